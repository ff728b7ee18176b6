/** @typedef {import("../form/words.js").Translate} Translate */
/** @typedef {import("../src/words.js").QuestionWords & {lang: string}} QuestionWords */
/** @typedef {import("../src/survey.js").Question} Question */
/** @typedef {import("../src/survey.js").Survey} Survey */
/** @typedef {import("../src/draft.js").Draft} Draft */
/**
 * Return a draft beside the answers that it was made of, with the buttons that send it, and that lead back.
 * @param {Translate} t @param {Survey} survey @param {(id: string) => QuestionWords} wordsOf
 * @param {{answers: {[id: string]: any}, draft: Draft}} made @param {() => void} send @param {() => void} change
 */
export function reviewOf(t: Translate, survey: Survey, wordsOf: (id: string) => QuestionWords, { answers, draft }: {
    answers: {
        [id: string]: any;
    };
    draft: Draft;
}, send: () => void, change: () => void): HTMLElement;
export type Translate = import("../form/words.js").Translate;
export type QuestionWords = import("../src/words.js").QuestionWords & {
    lang: string;
};
export type Question = import("../src/survey.js").Question;
export type Survey = import("../src/survey.js").Survey;
export type Draft = import("../src/draft.js").Draft;
