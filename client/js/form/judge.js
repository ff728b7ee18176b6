/** What is typed in a form, as an answer; and what is wrong with one: in words, before the client is asked. */

import { MAX_ANSWER_CHARACTERS, countCharacters, isAnswer } from "../src/text.js";

/** @typedef {import("./words.js").Translate} Translate */
/** @typedef {import("../src/questions/number.js").Range} Range */
/**
 * What a form must know of a question: how it is answered (radios, list, boxes, line, number), how many boxes may be
 * chosen, whether it may be left out, and what a number may be, in a sentence.
 * @typedef {{field: string, most: number, mayBeLeftOut: boolean, expected: string}} Asked
 */

/** What is typed; direction marks and tabs, which nobody sees, count as blanks do. @param {string} typed */
export function textIn(typed) {
  return typed.replace(/[\t\u061c\u200e\u200f]/g, " ").trim() ? typed : null;
}

const ZEROS = [0x660, 0x6f0, 0x966, 0xff10]; // Arabic, Persian, Devanagari, full width
const NUMBER = /^([-+\u2212\u2013\uff0d]?)(\d*)[.,\u060c\u066b\uff0c\uff0e]?(\d*)$/;

/**
 * Return the number that is typed, in the digits of any of the product's languages, with a point or a comma before
 * decimals; null where there is none, NaN where it cannot be read or can be read in two ways (1,500), undefined where it is
 * none of the range.
 * @param {string} typed @param {Range} range
 */
export function numberIn(typed, range) {
  const text = [...typed.replace(/[\u061c\u200e\u200f]/g, "").trim()].map(inLatin).join("");
  if (text === "") return null;
  const [, sign, whole = "", decimals = ""] = NUMBER.exec(text) ?? [];
  if (!(whole || decimals)) return NaN;
  const places = String(range.scale).length - 1;
  const isNegative = sign !== "" && sign !== "+";
  const numberOf = (/** @type {string} */ units) => inRange(Number(units) * (isNegative ? -1 : 1), range);
  if (/^[1-9]\d{0,2}$/.test(whole) && decimals.length === 3) {
    const isIn = numberOf(whole + decimals.padEnd(3 + places, "0")) !== undefined;
    if (places < 3 || isIn) return NaN;
  }
  const exact = decimals.replace(/0+$/, "");
  return exact.length > places ? undefined : numberOf(whole + exact.padEnd(places, "0"));
}

/** @param {string} character a digit, or another, which stays */
function inLatin(character) {
  const code = character.charCodeAt(0);
  const zero = ZEROS.find((each) => each <= code && code < each + 10);
  return zero === undefined ? character : String(code - zero);
}

/** The number of so many units of the last decimal, if it is one of the range. */
function inRange(/** @type {number} */ units, /** @type {Range} */ { low, step, scale, span }) {
  const steps = (units - low) / step;
  return (units - low) % step === 0 && 0 <= steps && steps <= span ? units / scale || 0 : undefined; // no -0
}

/**
 * Return what is wrong with an answer, in words; nothing where it is good. No answer is in it.
 * @param {Translate} t @param {Asked} asked @param {any} answer null where it was left out @returns {string}
 */
export function judge(t, { field, most, mayBeLeftOut, expected }, answer) {
  if (answer === null && mayBeLeftOut) return "";
  if (answer === null) {
    return [missing(t, field, expected), t("A gap would show that you skipped this question.")].join(" ");
  }
  if (answer === undefined) return expected;
  if (Number.isNaN(answer)) {
    const how = t("Use digits with at most one point or comma, and nothing between thousands.");
    return `${expected} ${how}`;
  }
  if (field === "line") return judgeText(t, answer);
  if (field !== "boxes" || answer.length <= most) return "";
  return t.n("Choose at most %(most)s; %(n)s is chosen.", "Choose at most %(most)s; %(n)s are chosen.", answer.length, {
    most,
  });
}

function judgeText(/** @type {Translate} */ t, /** @type {string} */ typed) {
  if (isAnswer(typed)) return "";
  const n = countCharacters(typed);
  return n > MAX_ANSWER_CHARACTERS
    ? t("This is too long: %(n)s of at most %(most)s characters.", { n, most: MAX_ANSWER_CHARACTERS })
    : t("This has a character that isn't allowed, perhaps an invisible one. Please type it again.");
}

function missing(/** @type {Translate} */ t, /** @type {string} */ field, /** @type {string} */ expected) {
  if (field === "number") return expected;
  return field === "line" ? t("Please write something.") : t("Please choose one.");
}
