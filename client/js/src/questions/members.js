/** The members of a question that types share: options, of which one or some are an answer, and `skip`. */

import { isText } from "../documents.js";

const MAX_OPTIONS = 4096;
const MAX_OPTION_TEXT = 200;

/**
 * Take the member `options`: distinct texts, at least so many, and at most.
 * @param {import("../documents.js").Fields} fields @param {number} fewest @param {number} [most]
 * @returns {readonly string[]}
 */
export function takeOptions(fields, fewest, most = MAX_OPTIONS) {
  const expected = `a list of ${fewest} to ${most} different texts of 1 to ${MAX_OPTION_TEXT} characters`;
  const areOptions = (/** @type {any} */ value) =>
    Array.isArray(value) &&
    fewest <= value.length &&
    value.length <= most &&
    value.every((option) => isText(option, MAX_OPTION_TEXT)) &&
    new Set(value).size === value.length;
  return fields.take("options", expected, areOptions);
}

/** Return the first options, for a message. @param {readonly string[]} options */
export function listed(options) {
  return options.slice(0, 12).join(" | ") + (options.length > 12 ? " | .." : "");
}

/** Return the texts of some options, by their numbers. @param {number[]} values @param {{options: readonly string[]}} of */
export function textsOf(values, { options }) {
  return values.map((value) => options[value]);
}

/** @param {import("../documents.js").Fields} fields @returns {never} */
export function refuseSkip(fields) {
  throw fields.fail("skip", "does not go with this type of question.");
}
