/**
 * `<sotto-survey>`, ready to be written into a page. Importing it defines the element, once. Its words are modules, which
 * browsers and bundlers find; `sotto-survey.min.js` is one file for a script tag, with files of words beside it.
 *
 *     <script type="module" src="sotto-survey.min.js"></script>
 *     <sotto-survey collector="https://collector.example" survey="lunch-2026" fingerprint="0e23d8.."></sotto-survey>
 *
 * @module
 */

import { define } from "./component/define.js";
import { SottoSurvey } from "./component/element.js";
import { MODULES } from "./words/modules.js";

export { SottoSurvey };

define(MODULES);
