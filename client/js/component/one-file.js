/** What `sotto-survey.min.js` is made of: one file for a script tag; its words are files beside it, held to their hashes. */

import { define } from "./define.js";
import { SottoSurvey } from "./element.js";

export { SottoSurvey };

define(new URL("words/", import.meta.url));
