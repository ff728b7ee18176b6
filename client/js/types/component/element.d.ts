export class SottoSurvey extends HTMLElement {
    static observedAttributes: string[];
    /** Where its words are, unless the attribute `words` names a folder. @type {import("./languages.js").Words} */
    static words: import("./languages.js").Words;
    /** The browser calls it when the element is put into a page: the survey is fetched and asked. */
    connectedCallback(): void;
    /** By `moveBefore`: it is where it was, and nothing ends. */
    connectedMoveCallback(): void;
    /** What is put elsewhere at once was moved; what is not there by then has left the page. */
    disconnectedCallback(): void;
    /**
     * The browser calls it when an attribute changes: what is shown follows.
     * @param {string} name @param {string | null} before @param {string | null} now
     */
    attributeChangedCallback(name: string, before: string | null, now: string | null): undefined;
    #private;
}
export type Survey = import("../src/survey.js").Survey;
export type Fault = import("../form/faults.js").Fault;
export type Translate = import("../form/words.js").Translate;
