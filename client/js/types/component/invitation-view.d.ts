/** @typedef {import("../form/words.js").Translate} Translate */
/** @typedef {import("../src/survey.js").Survey["blind"]} Blind */
export class InvitationView {
    /**
     * @param {Translate} t @param {string} given what came @param {string} state what the collector says of it
     * @param {(typed: string) => void} take @param {Blind} [blind]
     */
    constructor(t: Translate, given: string, state: string, take: (typed: string) => void, blind?: Blind);
    element: HTMLFormElement;
    /** Say all of it in these words; what is typed stays. */
    translate(t: Translate): void;
    /** The focus goes there only where somebody has typed one before. */
    open(): void;
    #private;
}
export type Translate = import("../form/words.js").Translate;
export type Blind = import("../src/survey.js").Survey["blind"];
