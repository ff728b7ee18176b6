/** @param {Translate} t @param {Question} question @param {QuestionWords} words @returns {Control} */
export function controlOf(t: Translate, question: Question, words: QuestionWords): Control;
export type Question = import("../src/survey.js").Item;
export type Translate = import("./words.js").Translate;
export type QuestionWords = import("../src/words.js").QuestionWords;
/**
 * what can be picked, as the client takes it, and the words for it
 */
export type Choice = {
    answer: unknown;
    label: string;
};
/**
 * `field`: radios, list, boxes, line or number; `most`: how many boxes may be chosen; `hint` and `expected` in words;
 * `skip`: in words, what leaving it out stands for, null where it cannot be left out.
 */
export type Control = {
    field: string;
    choices: Choice[];
    most: number;
    hint: string;
    expected: string;
    skip: string | null;
    unit: string;
};
