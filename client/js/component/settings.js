/** What a page says of a survey in the element's attributes. */

/**
 * @typedef {object} Settings
 * @property {string} collector its address @property {string} survey @property {number} wave
 * @property {string} invitation @property {import("../src/options.js").Options & {resendDays: number}} options the client's
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
  const maxEpsilon = given("max-epsilon", "8");
  return {
    collector: given("collector").replace(/\/+$/, ""),
    survey: given("survey"),
    wave: Number(given("wave", "1")),
    invitation: given("invitation"),
    options: {
      fingerprint: given("fingerprint"),
      maxEpsilon,
      maxPeriodEpsilon: Math.max(16, Number(maxEpsilon)),
      state: given("state") || undefined,
      resendDays: Number(given("resend-days", "0")),
    },
  };
}
