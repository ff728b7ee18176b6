/** @typedef {import("./words.js").Translate} Translate */
/** @typedef {import("../src/questions/number.js").Range} Range */
/**
 * What a form must know of a question: how it is answered (radios, list, boxes, line, number), how many boxes may be
 * chosen, whether it may be left out, and what a number may be, in a sentence.
 * @typedef {{field: string, most: number, mayBeLeftOut: boolean, expected: string}} Asked
 */
/** What is typed; direction marks and tabs, which nobody sees, count as blanks do. @param {string} typed */
export function textIn(typed: string): string | null;
/**
 * Return the number that is typed, in the digits of any of the product's languages, with a point or a comma before
 * decimals; null where there is none, NaN where it cannot be read or can be read in two ways (1,500), undefined where it is
 * none of the range.
 * @param {string} typed @param {Range} range
 */
export function numberIn(typed: string, range: Range): number | null | undefined;
/**
 * Return what is wrong with an answer, in words; nothing where it is good. No answer is in it.
 * @param {Translate} t @param {Asked} asked @param {any} answer null where it was left out @returns {string}
 */
export function judge(t: Translate, { field, most, mayBeLeftOut, expected }: Asked, answer: any): string;
export type Translate = import("./words.js").Translate;
export type Range = import("../src/questions/number.js").Range;
/**
 * What a form must know of a question: how it is answered (radios, list, boxes, line, number), how many boxes may be
 * chosen, whether it may be left out, and what a number may be, in a sentence.
 */
export type Asked = {
    field: string;
    most: number;
    mayBeLeftOut: boolean;
    expected: string;
};
