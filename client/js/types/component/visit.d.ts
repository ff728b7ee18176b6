/** @typedef {import("../form/words.js").Translate} Translate */
/** @typedef {import("../form/faults.js").Fault} Fault */
/** @typedef {import("../src/draft.js").Draft} Draft */
/** @typedef {import("../src/survey.js").Survey} Survey */
/** @typedef {import("../src/survey.js").Question} Question */
/** @typedef {import("./settings.js").Settings} Settings */
/** @typedef {import("../src/words.js").QuestionWords & {lang: string}} QuestionWords */
/**
 * What a visit is shown in: `t` its words, `wordsOf` a question's, `show` puts an element onto the stage, `alarm` says
 * what went wrong, in whatever words there are, `emit` tells the page.
 * @typedef {object} Stage
 * @property {Translate} t
 * @property {(survey: Survey) => Promise<void>} announce the survey, checked
 * @property {(id: string) => QuestionWords} wordsOf
 * @property {(...elements: HTMLElement[]) => void} show
 * @property {(say?: (t: Translate) => Fault, again?: () => void) => void} alarm
 * @property {() => boolean} isAlone whether no other survey is asked on the page
 * @property {(name: string, detail: object) => void} emit
 */
export class Visit {
    /** Throws TypeError or RangeError for settings that no survey can have. @param {Stage} stage @param {Settings} settings */
    constructor(stage: Stage, settings: Settings);
    /** Check the survey; show the questions, or the receipt where this device has answered them. @returns {Promise<void>} */
    open(): Promise<void>;
    /** Whether anything was answered that was not sent. */
    get isAnswered(): boolean;
    /** Say all of it again, in the stage's words: nothing that was answered is lost. */
    translate(): void;
    /** Forget what was answered, as nobody looks any more; a report that was sent is delivered all the same. */
    end(): void;
    #private;
}
export type Translate = import("../form/words.js").Translate;
export type Fault = import("../form/faults.js").Fault;
export type Draft = import("../src/draft.js").Draft;
export type Survey = import("../src/survey.js").Survey;
export type Question = import("../src/survey.js").Question;
export type Settings = import("./settings.js").Settings;
export type QuestionWords = import("../src/words.js").QuestionWords & {
    lang: string;
};
/**
 * What a visit is shown in: `t` its words, `wordsOf` a question's, `show` puts an element onto the stage, `alarm` says
 * what went wrong, in whatever words there are, `emit` tells the page.
 */
export type Stage = {
    t: Translate;
    /**
     * the survey, checked
     */
    announce: (survey: Survey) => Promise<void>;
    wordsOf: (id: string) => QuestionWords;
    show: (...elements: HTMLElement[]) => void;
    alarm: (say?: (t: Translate) => Fault, again?: () => void) => void;
    /**
     * whether no other survey is asked on the page
     */
    isAlone: () => boolean;
    emit: (name: string, detail: object) => void;
};
