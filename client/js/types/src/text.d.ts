/**
 * Return what an answer counts as: without direction marks and outer blanks, tabs as blanks, in normal form C.
 * @param {string} answer
 */
export function normalise(answer: string): string;
/** @param {unknown} value @returns {value is string} whether it is a string that can be an answer */
export function isAnswer(value: unknown): value is string;
/** What an answer must be, of one that is none: of a string that is too long, by how much. @param {unknown} value */
export function expectedOf(value: unknown): string;
/** How many characters an answer counts as. @param {string} answer */
export function countCharacters(answer: string): number;
export const MAX_ANSWER_CHARACTERS: 200;
export const EXPECTED: "a text of 1 to 200 characters without control characters or very new accents";
