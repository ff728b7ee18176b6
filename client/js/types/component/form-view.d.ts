/** @typedef {import("../form/words.js").Translate} Translate */
/** @typedef {import("../src/survey.js").Item} Item */
/** @typedef {import("../src/words.js").QuestionWords & {lang: string}} QuestionWords */
/** @typedef {{[id: string]: (string | boolean)[]}} State what stands in the fields, by question id */
/** @typedef {{title: HTMLElement | null, views: QuestionView[], element: HTMLElement}} Part what is shown at once */
export class FormView {
    /**
     * @param {Translate} t @param {import("../src/survey.js").Survey} survey @param {readonly Item[]} items that are asked
     * @param {(id: string) => QuestionWords} wordsOf @param {() => void} onReview what follows the last part
     */
    constructor(t: Translate, survey: import("../src/survey.js").Survey, items: readonly Item[], wordsOf: (id: string) => QuestionWords, onReview: () => void);
    element: HTMLDivElement;
    /** By question id what was answered, as the client takes it; null where it was left out. */
    get answers(): any;
    /** Whether anything stands in the fields. */
    get isAnswered(): boolean;
    set state({ at, fields }: {
        at: number;
        fields: any;
    });
    /** What stands in the fields, and which part is shown: for the same questions in another language. */
    get state(): {
        at: number;
        fields: any;
    };
    /** Lead the reader to the questions that are shown. */
    focus(): void;
    /** Show what the client says of one question, in English. @param {string} id @param {string} words */
    refuse(id: string, words: string): void;
    /** Nothing that was answered stays in the page. */
    clear(): void;
    #private;
}
export type Translate = import("../form/words.js").Translate;
export type Item = import("../src/survey.js").Item;
export type QuestionWords = import("../src/words.js").QuestionWords & {
    lang: string;
};
/**
 * what stands in the fields, by question id
 */
export type State = {
    [id: string]: (string | boolean)[];
};
/**
 * what is shown at once
 */
export type Part = {
    title: HTMLElement | null;
    views: QuestionView[];
    element: HTMLElement;
};
import { QuestionView } from "./question-view.js";
