/** @typedef {import("../form/words.js").Translate} Translate */
export class InvitationView {
    /**
     * @param {Translate} t @param {string} given what came @param {boolean} isUsed of an invitation: that it is of no use
     * @param {(typed: string) => void} take
     */
    constructor(t: Translate, given: string, isUsed: boolean, take: (typed: string) => void);
    element: HTMLFormElement;
    /** The focus goes there only where somebody has typed one before. */
    open(): void;
    #private;
}
export type Translate = import("../form/words.js").Translate;
