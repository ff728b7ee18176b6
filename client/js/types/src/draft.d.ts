/** Draw what a report could be drawn from. @param {Uint8Array} [id] that its token gives it @returns {Promise<Drawn>} */
export function drawAnew(id?: Uint8Array): Promise<Drawn>;
/**
 * Return what this wave's report is drawn from: what was kept before, or else `fresh`, which is kept now. Throws
 * AlreadyAnswered, ParticipationEnded.
 * @param {Transaction} transaction @param {Survey} survey @param {number} wave @param {Drawn} fresh
 * @returns {Promise<Drawn>}
 */
export function keepDrawn(transaction: Transaction, survey: Survey, wave: number, fresh: Drawn): Promise<Drawn>;
/**
 * Forget what a report was drawn from that is sent now, but for the survey's secret. Throws ParticipationEnded where it
 * is forgotten already.
 * @param {Transaction} transaction @param {Survey} survey @param {number} wave @param {Drawn} drawn
 */
export function endDraft(transaction: Transaction, survey: Survey, wave: number, drawn: Drawn): Promise<void>;
/**
 * Return the ledger's entry of one more report. Throws where it must not be made: AlreadyAnswered, BudgetExceeded,
 * InvitationError.
 * @param {Transaction} transaction @param {Survey} survey @param {number} wave @param {Uint8Array} marks
 * @param {Uint8Array} id @param {string | null} invitation @param {import("./ledger.js").Limits} limits
 * @param {readonly boolean[]} drawn which questions are answered @param {number} lastWave the device's
 * @returns {Promise<Entry>}
 */
export function makeEntry(transaction: Transaction, survey: Survey, wave: number, marks: Uint8Array, id: Uint8Array, invitation: string | null, limits: import("./ledger.js").Limits, drawn: readonly boolean[], lastWave: number): Promise<Entry>;
/** The fault of a device that has forgotten what it would draw a survey's report from. @param {Survey} survey */
export function ended(survey: Survey): ParticipationEnded;
/** @typedef {import("./ledger.js").Receipt} Receipt */
/** @typedef {import("./ledger.js").Entry} Entry */
/** @typedef {import("./survey.js").Survey} Survey */
/** @typedef {import("./state.js").Transaction} Transaction */
/**
 * What one wave's report is drawn from: `key` the survey's secret, for permanent responses, `seed` this wave's, for the
 * instantaneous stage, `id` the report's.
 * @typedef {{key: CryptoKey, seed: CryptoKey, id: Uint8Array}} Drawn
 */
/** @typedef {{fingerprint: string, surveyId: string, key: CryptoKey, drafts: {[wave: number]: {seed: CryptoKey, id: Uint8Array}}}} Secret */
/** A report that is not sent yet, for the respondent to look at. */
export class Draft {
    /**
     * @param {Survey} survey @param {(Uint8Array | null)[]} columns every question's part, packed; null where it was not
     * drawn @param {Uint8Array} id
     * @param {Entry} entry what the ledger will have of it @param {() => Promise<Receipt>} send
     * @param {import("./report.js").Admission} [admission]
     */
    constructor(survey: Survey, columns: (Uint8Array | null)[], id: Uint8Array, { wave, epsilon, invitation }: Entry, send: () => Promise<Receipt>, admission?: import("./report.js").Admission);
    /** The epsilon that it takes, in nats; an exact decimal. */
    epsilon: string;
    /** The report as it is sent. The invitation to an invited survey is not in it. */
    sent: import("./report.js").Sent;
    /** The receipt that it will have. */
    receipt: string;
    /** An English sentence for respondents if their answers are protected little, or else "". */
    protectedLittle: string;
    /** The text that is posted, with all its blanks. */
    body: string;
    /**
     * What it says about each question that is answered, by question id. For yes-no that is a boolean, for a text
     * question its cohort and the numbers of the bits that are set, for others the options that it supports.
     * @type {{[id: string]: any}}
     */
    reported: {
        [id: string]: any;
    };
    /** Charge the budget and deliver the report, once, however often this is called. @returns {Promise<Receipt>} */
    send(): Promise<Receipt>;
    #private;
}
export type Receipt = import("./ledger.js").Receipt;
export type Entry = import("./ledger.js").Entry;
export type Survey = import("./survey.js").Survey;
export type Transaction = import("./state.js").Transaction;
/**
 * What one wave's report is drawn from: `key` the survey's secret, for permanent responses, `seed` this wave's, for the
 * instantaneous stage, `id` the report's.
 */
export type Drawn = {
    key: CryptoKey;
    seed: CryptoKey;
    id: Uint8Array;
};
export type Secret = {
    fingerprint: string;
    surveyId: string;
    key: CryptoKey;
    drafts: {
        [wave: number]: {
            seed: CryptoKey;
            id: Uint8Array;
        };
    };
};
import { ParticipationEnded } from "./errors.js";
