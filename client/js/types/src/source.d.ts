/** @typedef {import("./survey.js").Survey} Survey */
/** @typedef {import("./state.js").State} State */
/** @typedef {import("./state.js").Transaction} Transaction */
/**
 * What is kept of a survey; `doubts`: versions that the collector has no more, as far as it says, by fingerprint; `restored`:
 * the number of its store.
 */
/** @typedef {{canonical: Uint8Array, restored?: string, doubts?: {[fingerprint: string]: Partial<import("./verdict.js").Doubt>}}} Record */
export class SurveySource {
    /**
     * @param {Promise<State>} state @param {string} url @param {string} surveyId
     * @param {import("./ledger.js").Limits} limits @param {string | undefined} fingerprint @param {number} timeoutMs
     * @param {import("./outbox.js").Posting} posting
     */
    constructor(state: Promise<State>, url: string, surveyId: string, limits: import("./ledger.js").Limits, fingerprint: string | undefined, timeoutMs: number, posting: import("./outbox.js").Posting);
    state: Promise<import("./state.js").State>;
    url: string;
    surveyId: string;
    limits: import("./ledger.js").Limits;
    fingerprint: string | undefined;
    timeoutMs: number;
    posting: import("./outbox.js").Posting;
    /** Whether the collector takes reports of it, where it has said so. @type {boolean | undefined} */
    isOpen: boolean | undefined;
    /**
     * Return the collector's survey and keep it, or the copy that was kept when the collector does not serve one.
     *
     * The version that was kept is over where the collector says that it is closed, or, for a week, that it has another one,
     * or none: the device forgets what could undo its noise, and does not use the copy. What a restored store may have lost
     * waits again, where it is kept. Throws SurveyRefused, SurveyUnavailable.
     * @returns {Promise<Survey>}
     */
    survey(): Promise<Survey>;
    /** The number of the collector's store, as this device heard it last. @param {Transaction} transaction @returns {Promise<string>} */
    restored(transaction: Transaction): Promise<string>;
    #private;
}
export type Survey = import("./survey.js").Survey;
export type State = import("./state.js").State;
export type Transaction = import("./state.js").Transaction;
export type Record = {
    canonical: Uint8Array;
    restored?: string;
    doubts?: {
        [fingerprint: string]: Partial<import("./verdict.js").Doubt>;
    };
};
