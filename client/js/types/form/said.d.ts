/** @param {Translate} t @param {any} answer @param {Item} question @param {Said} words @returns {string} */
export function sayAnswer(t: Translate, answer: any, question: Item, words: Said): string;
/**
 * Return what is reported, in words: a line, and what opens from it where that is long.
 * @param {Translate} t @param {any} reported as `Draft.reported` has it @param {Question} question @param {Said} words
 * @returns {{line: string, more: string[]}}
 */
export function sayReported(t: Translate, reported: any, question: Question, words: Said): {
    line: string;
    more: string[];
};
/**
 * Return how many others send by chance what is sent here, where that speaks for the answer; else nothing.
 * @param {Translate} t @param {any} answer @param {any} reported @param {Question} question @returns {string}
 */
export function sayComfort(t: Translate, answer: any, reported: any, question: Question): string;
/**
 * The words of questions that are asked together, of each one's: a combination's are those of its answers.
 * @param {Translate} t @param {Item} question @param {{[id: string]: Said}} items @returns {Said}
 */
export function joined(t: Translate, question: Item, items: {
    [id: string]: Said;
}): Said;
/** An exact epsilon in at most four decimals, rounded up: never less than is given away. */
export function sayEpsilon(t: Translate, exact: string): string;
export type Translate = import("./words.js").Translate;
export type Item = import("../src/survey.js").Item;
export type Question = import("../src/survey.js").Question;
/**
 * A question's words in the form's language: `label` of an option, as the client takes it; `unit` of a number, or nothing;
 * of questions that are asked together each one's `items`, by id.
 */
export type Said = {
    label: (option: any) => string;
    unit: string;
    items?: {
        [id: string]: Said;
    };
};
