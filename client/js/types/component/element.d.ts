export class SottoSurvey extends HTMLElement {
    static observedAttributes: string[];
    /** Where its words are, unless the attribute `words` names a folder. @type {import("./languages.js").Words} */
    static words: import("./languages.js").Words;
    connectedCallback(): void;
    /** By `moveBefore`: it is where it was, and nothing ends. */
    connectedMoveCallback(): void;
    /** What is put elsewhere at once was moved; what is not there by then has left the page. */
    disconnectedCallback(): void;
    /** @param {string} name @param {string | null} before @param {string | null} now */
    attributeChangedCallback(name: string, before: string | null, now: string | null): undefined;
    #private;
}
export type Survey = import("../src/survey.js").Survey;
export type Fault = import("../form/faults.js").Fault;
export type Translate = import("../form/words.js").Translate;
