/** Makes the element known to the browser. */

import { SottoSurvey } from "./element.js";

/** Define the element, unless the page has; where there is no page, as on a server, do nothing. @param {import("./languages.js").Words} words */
export function define(words) {
  SottoSurvey.words ||= words;
  if (globalThis.customElements && !customElements.get("sotto-survey"))
    customElements.define("sotto-survey", SottoSurvey);
}
