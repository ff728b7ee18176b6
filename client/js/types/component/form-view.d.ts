/** @typedef {import("../form/words.js").Translate} Translate */
/** @typedef {import("../src/survey.js").Question} Question */
/** @typedef {import("../form/controls.js").QuestionWords} QuestionWords */
/** @typedef {{[id: string]: (string | boolean)[]}} State what stands in the fields, by question id */
export class FormView {
    /**
     * @param {Translate} t @param {readonly Question[]} questions that are asked @param {(id: string) => QuestionWords} wordsOf
     * @param {() => void} onReview what follows the last page
     */
    constructor(t: Translate, questions: readonly Question[], wordsOf: (id: string) => QuestionWords, onReview: () => void);
    element: HTMLDivElement;
    /** By question id what was answered, as the client takes it; null where it was left out. */
    get answers(): any;
    set state(kept: State);
    /** What stands in the fields: for the same questions in another language. @returns {State} */
    get state(): State;
    set page(page: number);
    get page(): number;
    /** Lead the reader to the first of the questions that are shown. */
    focus(): void;
    /** Show what the client says of one question. @param {string} id @param {string} words */
    refuse(id: string, words: string): void;
    /** Nothing that was answered stays in the page. */
    clear(): void;
    #private;
}
export type Translate = import("../form/words.js").Translate;
export type Question = import("../src/survey.js").Question;
export type QuestionWords = import("../form/controls.js").QuestionWords;
/**
 * what stands in the fields, by question id
 */
export type State = {
    [id: string]: (string | boolean)[];
};
