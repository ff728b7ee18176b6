/** What is wrong with an answer that stands in a form: in words, before the client is asked. */

/** @typedef {import("./words.js").Translate} Translate */
/**
 * What a form must know of a question: how it is answered (radios, list, boxes, line, number), how many boxes may be
 * chosen, whether it may be left out, and what a number may be, in a sentence.
 * @typedef {{field: string, most: number, mayBeLeftOut: boolean, expected: string}} Asked
 */

/** What is typed; direction marks and tabs, which nobody sees, count as blanks do. @param {string} typed */
export function textIn(typed) {
  return typed.replace(/[\t\u061c\u200e\u200f]/g, " ").trim() ? typed : null;
}

/** The number in a field; null where there is none, NaN where it is none of the range. @param {HTMLInputElement} field */
export function numberIn(field) {
  const { badInput, rangeOverflow, rangeUnderflow, stepMismatch } = field.validity;
  if (field.value === "" && !badInput) return null;
  return badInput || rangeOverflow || rangeUnderflow || stepMismatch ? NaN : field.valueAsNumber;
}

/**
 * Return what is wrong with an answer, in words; nothing where it is good. No answer is in it.
 * @param {Translate} t @param {Asked} asked @param {any} answer null where it was left out @returns {string}
 */
export function judge(t, { field, most, mayBeLeftOut, expected }, answer) {
  if (answer === null && mayBeLeftOut) return "";
  if (answer === null) {
    return [missing(t, field, expected), t("A report without it would tell that you left it out.")].join(" ");
  }
  if (Number.isNaN(answer)) return expected;
  if (field !== "boxes" || answer.length <= most) return "";
  return t.n("Choose at most %(most)s; %(n)s is chosen.", "Choose at most %(most)s; %(n)s are chosen.", answer.length, {
    most,
  });
}

function missing(/** @type {Translate} */ t, /** @type {string} */ field, /** @type {string} */ expected) {
  if (field === "number") return expected;
  return field === "line" ? t("Please write something.") : t("Please choose one.");
}
