/** What a page says of a survey in the element's attributes. */

/**
 * @typedef {object} Settings
 * @property {string} collector its address @property {string} survey @property {string} fingerprint
 * @property {number} wave @property {string} invitation @property {string} maxEpsilon
 * @property {string} state the name of the device's database @property {number} resendDays
 */

/** The attributes by which a survey is another one, or asked in another way. */
export const ATTRIBUTES = [
  "collector",
  "survey",
  "fingerprint",
  "wave",
  "invitation",
  "max-epsilon",
  "state",
  "resend-days",
];
const NEEDED = ["collector", "survey", "fingerprint"];

/**
 * Read the attributes of an element. Throws TypeError where one is missing: without a fingerprint whatever the collector
 * serves would be asked. The client checks the rest.
 * @param {Element} element @returns {Settings}
 */
export function readSettings(element) {
  const given = (/** @type {string} */ name, usual = "") => element.getAttribute(name)?.trim() || usual;
  for (const name of NEEDED) {
    if (given(name) === "") throw new TypeError(`the attribute ${name} is missing.`);
  }
  return {
    collector: given("collector"),
    survey: given("survey"),
    fingerprint: given("fingerprint"),
    wave: Number(given("wave", "1")),
    invitation: given("invitation"),
    maxEpsilon: given("max-epsilon", "8"),
    state: given("state", "sottovoce"),
    resendDays: Number(given("resend-days", "0")),
  };
}
