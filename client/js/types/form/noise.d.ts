/** @param {Translate} t @param {Question} question @returns {string} */
export function sayInShort(t: Translate, question: Question): string;
/**
 * Return what a report tells at most, a sentence each: to who suspects an answer, and of others who send as much by chance.
 * @param {Translate} t @param {Question} question @returns {string[]}
 */
export function sayReadings(t: Translate, question: Question): string[];
/**
 * What a suspicion becomes at most, in per cent, rounded up: e^epsilon / (e^epsilon + odds against it).
 * @param {Translate} t @param {string} epsilon @param {number} prior
 */
export function suspicionOf(t: Translate, epsilon: string, prior?: number): string;
export type Translate = import("./words.js").Translate;
export type Fraction = import("./chance.js").Fraction;
export type Question = import("../src/survey.js").Question;
