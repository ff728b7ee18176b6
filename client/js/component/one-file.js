/**
 * What `sotto-survey.min.js` is made of: one file for a script tag. Its words, and what encrypts for oblivious surveys, are
 * files beside it, each held to its hash.
 */

import { define } from "./define.js";
import { SottoSurvey } from "./element.js";

export { SottoSurvey };

define(new URL("words/", import.meta.url));
