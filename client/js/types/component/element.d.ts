export class SottoSurvey extends HTMLElement {
    static observedAttributes: string[];
    /** Where the files of words are, unless the attribute `words` says so. @type {string | URL} */
    static words: string | URL;
    connectedCallback(): void;
    disconnectedCallback(): void;
    /** @param {string} name @param {string | null} before @param {string | null} now */
    attributeChangedCallback(name: string, before: string | null, now: string | null): undefined;
    #private;
}
export type Survey = import("../src/survey.js").Survey;
export type Fault = import("../form/faults.js").Fault;
export type Translate = import("../form/words.js").Translate;
