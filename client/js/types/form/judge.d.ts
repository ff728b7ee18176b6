/** What is wrong with an answer that stands in a form: in words, before the client is asked. */
/** @typedef {import("./words.js").Translate} Translate */
/**
 * What a form must know of a question: how it is answered (radios, list, boxes, line, number), how many boxes may be
 * chosen, whether it may be left out, and what a number may be, in a sentence.
 * @typedef {{field: string, most: number, mayBeLeftOut: boolean, expected: string}} Asked
 */
/** What is typed; direction marks and tabs, which nobody sees, count as blanks do. @param {string} typed */
export function textIn(typed: string): string | null;
/** The number in a field; null where there is none, NaN where it is none of the range. @param {HTMLInputElement} field */
export function numberIn(field: HTMLInputElement): number | null;
/**
 * Return what is wrong with an answer, in words; nothing where it is good. No answer is in it.
 * @param {Translate} t @param {Asked} asked @param {any} answer null where it was left out @returns {string}
 */
export function judge(t: Translate, { field, most, mayBeLeftOut, expected }: Asked, answer: any): string;
export type Translate = import("./words.js").Translate;
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
