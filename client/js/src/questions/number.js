/** A number of a range, in steps: an answer is a JavaScript number, which stands for the decimal that it is written as. */

import { LENGTHS } from "../words.js";

const MOST_UNITS = 10 ** 15; // of the last decimal: so every number of the range is one double, and no two are the same
const MAX_SPAN = 2 ** 32 - 1;

/**
 * `low` and `step` in units of the last decimal, `scale` of which are one; `span` steps; the rest as it is written.
 * @typedef {{minimum: string, maximum: string, unit: string, low: number, step: number, scale: number, span: number}} Range
 */

/** @satisfies {import("./types.js").QuestionType} */
export const number = {
  options: () => [],
  range: takeRange,
  skip: (fields, question) => {
    const text = fields.number("skip");
    const given = Number(text);
    const isExact = 10 ** placesOf(text) <= question.range.scale; // else digits of it were lost in `given`
    if (!isExact || stepsTo(given, question.range) === null)
      throw fields.fail("skip", `must be ${expectedOf(question.range)}.`);
    return given;
  },
  encode: (given, { range }) => stepsTo(given, range),
  expected: (_, { range }) => expectedOf(range),
  said: ({ output, from, to }, { range }) => ({ output, from: at(from, range), to: at(to, range) }),
};

/** @param {import("../documents.js").Fields} fields @returns {Range} */
function takeRange(fields) {
  const [minimum, maximum, stated] = ["minimum", "maximum", "step"].map((key) => fields.number(key));
  if (Number(minimum) >= Number(maximum)) throw fields.fail("maximum", `must be above minimum (${minimum}).`);
  const places = [minimum, maximum, stated].map(placesOf);
  const scale = 10 ** Math.max(...places);
  const [low, high, step] = [minimum, maximum, stated].map((text) => Math.round(Number(text) * scale));
  if (Math.max(Math.abs(low), Math.abs(high)) > MOST_UNITS) {
    throw fields.fail("step", "must leave minimum and maximum at most 15 digits.");
  }
  const span = (high - low) / step;
  if (!(step > 0 && (high - low) % step === 0 && span <= MAX_SPAN)) {
    throw fields.fail("step", `must go into maximum - minimum 1 to ${MAX_SPAN} times.`);
  }
  const unit = fields.optional("unit", "", () => fields.text("unit", LENGTHS.unit));
  return Object.freeze({ minimum, maximum, unit, low, step, scale, span });
}

/** How many decimals a number is written with. */
const placesOf = (/** @type {string} */ text) => (text.split(".")[1] ?? "").length;

/** How many steps a number is above the least, null where it is none of the range. */
function stepsTo(/** @type {any} */ given, /** @type {any} */ { low, step, scale, span }) {
  if (typeof given !== "number") return null;
  const units = Math.round(given * scale); // the quotient of two whole numbers is the double of the decimal
  const steps = (units - low) / step;
  return units / scale === given && (units - low) % step === 0 && 0 <= steps && steps <= span ? steps : null;
}

function at(/** @type {number} */ steps, /** @type {any} */ { low, step, scale }) {
  return (low + steps * step) / scale;
}

function expectedOf(/** @type {any} */ { minimum, maximum, step, scale }) {
  const steps = step === 1 && scale === 1 ? "" : ` in steps of ${step / scale}`;
  return `${scale === 1 ? "an integer" : "a number"} in [${minimum}, ${maximum}]${steps}`;
}
