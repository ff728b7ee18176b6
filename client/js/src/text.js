/** An open answer: a string that people type, in one form whatever keyboard it came from. */

import { isText } from "./documents.js";

export const MAX_ANSWER_CHARACTERS = 200; // of the normal form: a syllable that a keyboard types in parts counts once
/** In UTF-16. No character is composed of more than four, so whatever is longer is too long in normal form, too. */
const MAX_TYPED_LENGTH = 8 * MAX_ANSWER_CHARACTERS;
export const EXPECTED = `a text of 1 to ${MAX_ANSWER_CHARACTERS} characters without control characters or very new accents`;
/**
 * The characters of Unicode 14 to 17 that reorder, compose or decompose, and a few beside them: older browsers do not know
 * them, and leave them as they are (sotto_protocol/text.py).
 */
const UNSETTLED =
  /[\u0897-\u089f\u08ca-\u08d2\u0c3c\u1715\u1ac1-\u1add\u1ae0-\u1aeb\u1dfa\u{105c9}\u{105d2}\u{105da}\u{105e4}\u{10d69}-\u{10d6d}\u{10efa}-\u{10eff}\u{10f82}-\u{10f85}\u{11070}\u{11382}-\u{11385}\u{1138b}-\u{11391}\u{113b8}-\u{113d0}\u{11f41}\u{11f42}\u{1611e}-\u{1612f}\u{16d63}-\u{16d6a}\u{1e08f}\u{1e2ae}\u{1e4ec}-\u{1e4ef}\u{1e5ee}\u{1e5ef}\u{1e6e3}\u{1e6e6}\u{1e6ee}\u{1e6ef}\u{1e6f5}]/u;

/**
 * Return what an answer counts as: without direction marks and outer blanks, tabs as blanks, in normal form C.
 * @param {string} answer
 */
export function normalise(answer) {
  return tidy(answer).normalize("NFC");
}

/** @param {unknown} value @returns {value is string} whether it is a string that can be an answer */
export function isAnswer(value) {
  const typed = typeof value === "string" ? tidy(value) : "";
  if (typed.length > MAX_TYPED_LENGTH) return false;
  const normal = typed.normalize("NFC");
  return isText(normal, MAX_ANSWER_CHARACTERS) && !UNSETTLED.test(typed + normal);
}

/** What an answer must be, of one that is none: of a string that is too long, by how much. @param {unknown} value */
export function expectedOf(value) {
  const nCharacters = typeof value === "string" ? countCharacters(value) : 0;
  const isLong = nCharacters > MAX_ANSWER_CHARACTERS;
  return EXPECTED + (isLong ? ` (too long: ${nCharacters} of ${MAX_ANSWER_CHARACTERS})` : "");
}

/** How many characters an answer counts as. @param {string} answer */
export function countCharacters(answer) {
  return [...normalise(answer)].length;
}

function tidy(/** @type {string} */ answer) {
  return answer
    .replace(/\t/g, " ")
    .replace(/[\u061c\u200e\u200f]/g, "")
    .trim();
}
