/** @typedef {import("../form/words.js").Translate} Translate */
/** @typedef {import("../src/survey.js").Item} Item */
/** @typedef {import("../src/survey.js").Question} Question */
/** @typedef {import("../src/words.js").QuestionWords & {lang: string}} QuestionWords */
export class QuestionView {
    /**
     * @param {Translate} t @param {Item} question @param {Question} noisy what a device changes it in @param {QuestionWords} words
     * @param {number} number from 1 @param {"h3" | "h4"} heading
     */
    constructor(t: Translate, question: Item, noisy: Question, words: QuestionWords, number: number, heading: "h3" | "h4");
    question: import("../src/survey.js").Item;
    number: number;
    key: string;
    element: HTMLDivElement | HTMLFieldSetElement;
    /** What the client takes as the answer; null where it was left out. */
    get answer(): unknown;
    set state(kept: (string | boolean)[]);
    /** What stands in the fields, as it stands there: it can be put into another view of the same question. */
    get state(): (string | boolean)[];
    /** What is wrong with the answer, in words; nothing where it is good. */
    get problem(): string;
    /** Say what is wrong at the question, or that nothing is; `tongue`: in which language, where it is another. @param {string} words */
    tell(words: string, tongue?: {}): void;
    focus(): void;
    /** Nothing that was answered stays in it. */
    clear(): void;
    #private;
}
export type Translate = import("../form/words.js").Translate;
export type Item = import("../src/survey.js").Item;
export type Question = import("../src/survey.js").Question;
export type QuestionWords = import("../src/words.js").QuestionWords & {
    lang: string;
};
