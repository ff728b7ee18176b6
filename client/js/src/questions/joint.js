/** Joint: two or three closed items that are answered as one. An answer is an object, from the items' ids to answers. */

import { Fields } from "../documents.js";
import { textsOf } from "./members.js";

const MOST_ITEMS = 3;
const MOST_CELLS = 4096;
const BETWEEN = ", ";
const YES_NO = Object.freeze([false, true]);

/** @typedef {import("../survey.js").Item} Item */

/** @satisfies {import("./types.js").QuestionType} */
export const joint = {
  options: () => [],
  skip: (fields) => {
    throw fields.fail("skip", "does not go with this type of question.");
  },
  encode: (given, { items }) => {
    if (given === null || typeof given !== "object" || Array.isArray(given)) return null;
    const known = items.map((item) => item.id);
    if (Object.keys(given).some((key) => !known.includes(key))) return null;
    const answers = items.map((item) => item.encode(Object.keys(given).includes(item.id) ? given[item.id] : null));
    return answers.reduce((cell, answer, place) => cell * answersOf(items[place]).length + answer, 0);
  },
  expected: (_, { items }) => `an object with an answer to each of ${items.map((item) => item.id).join(", ")}`,
  said: textsOf,
};

/**
 * Take the items of a joint question.
 * @param {Fields} fields @param {(fields: Fields) => Item} read @returns {readonly Item[]}
 */
export function takeItems(fields, read) {
  const expected = `a list of 2 to ${MOST_ITEMS} questions`;
  const isList = (/** @type {unknown} */ value) =>
    Array.isArray(value) && 2 <= value.length && value.length <= MOST_ITEMS;
  const stated = /** @type {unknown[]} */ (fields.take("questions", expected, isList));
  const items = stated.map((one, place) => read(new Fields(one, `${fields.where}.questions[${place}]`)));
  if (new Set(items.map(({ id }) => id)).size < items.length) {
    throw fields.fail("questions", "must not have two questions of the same id.");
  }
  const options = optionsOf(items);
  if (options.length > MOST_CELLS || new Set(options).size < options.length) {
    throw fields.fail("questions", `must have at most ${MOST_CELLS} different answers.`);
  }
  return Object.freeze(items);
}

/** The combinations in words, the last item's answers fastest. @param {readonly Item[]} items */
export function optionsOf(items) {
  return cellsIn(items, sayOwn);
}

/**
 * The same in words of a language.
 * @param {readonly Item[]} items @param {(item: Item, answer: any) => string} say
 */
export function cellsIn(items, say) {
  return Object.freeze(cellsOf(items.map((item) => answersOf(item).map((answer) => say(item, answer)))));
}

/** Every answer to an item, in the order of its numbers. @param {Item} item @returns {readonly any[]} */
export function answersOf(item) {
  return item.type === "yes-no" ? YES_NO : item.options;
}

function sayOwn(/** @type {Item} */ { type }, /** @type {any} */ answer) {
  return type === "yes-no" ? (answer ? "yes" : "no") : answer;
}

function cellsOf(/** @type {string[][]} */ told) {
  return told
    .reduce(
      (cells, answers) => cells.flatMap((cell) => answers.map((one) => [...cell, one])),
      [/** @type {string[]} */ ([])],
    )
    .map((cell) => cell.join(BETWEEN));
}
