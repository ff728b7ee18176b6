/**
 * `<sotto-survey>`, ready to be written into a page. Importing it defines the element, once.
 *
 *     <script type="module" src="sotto-survey.min.js"></script>
 *     <sotto-survey collector="https://collector.example" survey="lunch-2026" fingerprint="0e23d8.."></sotto-survey>
 *
 * @module
 */

import { SottoSurvey } from "./component/element.js";

export { SottoSurvey };

SottoSurvey.words ||= new URL("words/", import.meta.url);
if (globalThis.customElements && !customElements.get("sotto-survey"))
  customElements.define("sotto-survey", SottoSurvey);
