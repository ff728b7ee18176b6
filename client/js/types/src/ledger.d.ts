/** @param {Entry} entry @returns {Receipt} */
export function receiptOf({ receipt, surveyId, fingerprint, epsilon, wave, isSummed, keys }: Entry): Receipt;
/** @param {Transaction} transaction @param {string} fingerprint @returns {Promise<Entry[]>} by wave */
export function entriesOf(transaction: Transaction, fingerprint: string): Promise<Entry[]>;
/** @param {Transaction} transaction @param {string} receipt @returns {Promise<Entry | undefined>} */
export function entryOf(transaction: Transaction, receipt: string): Promise<Entry | undefined>;
/**
 * Return what one more report takes, after the earlier ones of this survey.
 *
 * It is what all reports take, this one too, beyond what the earlier ones were charged: if a version before charged them
 * too much, that counts. So an answer that is given in every wave never takes more than its question's `epsilonForever`;
 * a changed one begins a pot of its own, and one that comes back goes on with the pot that it had.
 * @param {Survey} survey @param {Uint8Array} marks @param {Pick<Entry, "marks" | "epsilon">[]} earlier
 * @param {readonly boolean[]} [drawn] which questions are answered, with `draw`: the same in every report
 * @returns {bigint}
 */
export function epsilonOfReport(survey: Survey, marks: Uint8Array, earlier: Pick<Entry, "marks" | "epsilon">[], drawn?: readonly boolean[]): bigint;
/**
 * Throw BudgetExceeded when an entry takes more than a limit leaves.
 *
 * The period ends on the entry's day. Entries of later days count too: a clock that went back frees no budget. A sum
 * counts on the day of its last report. `least` must be left even where the entry takes less: so whether a device takes
 * part in a survey with `draw` does not depend on what it drew.
 * @param {Entry[]} all the ledger's @param {Entry} entry @param {Limits} limits @param {bigint} [least]
 */
export function checkBudget(all: Entry[], entry: Entry, { maxEpsilon, maxPeriodEpsilon, periodDays }: Limits, least?: bigint): void;
/**
 * Note that reports wait no more, after the outbox did: with the last wave's, or the one by which the collector said that
 * the survey is over, the survey is forgotten.
 * @param {Transaction} transaction @param {string} receipt @param {boolean} endsSurvey
 */
export function settleReport(transaction: Transaction, receipt: string, endsSurvey: boolean): Promise<void>;
/**
 * Wipe what could tell which answers the reports of one version of a survey were made of: its secret and marks. What
 * they took stays, as one sum.
 * @param {Transaction} transaction @param {string} fingerprint
 */
export function endVersion(transaction: Transaction, fingerprint: string): Promise<void>;
/**
 * Forget the invitations of surveys that this device takes part in no more, once none of their reports waits, or is kept.
 * @param {Transaction} transaction
 */
export function releaseInvitations(transaction: Transaction): Promise<void>;
/**
 * Return a limit in units of 1e-12 nats. Throws RangeError unless it is finite and > 0.
 * @param {string} name @param {number | string} value nats
 */
export function readLimit(name: string, value: number | string): bigint;
/** @typedef {import("./state.js").Transaction} Transaction */
/** @typedef {import("./survey.js").Survey} Survey */
/**
 * What the respondent keeps: `id` (32 hexadecimal digits) names the report; `epsilon` (nats, an exact decimal) is what
 * it took, or, if `isSummed`, what this survey's reports of all waves took together. `keys`: once a report is delivered
 * obliviously, the SHA-256 of the gateway's keys that it was encrypted with; everybody's are the same for a time.
 * @typedef {{id: string, surveyId: string, fingerprint: string, epsilon: string, wave: number, isSummed: boolean,
 *   keys: string}} Receipt
 */
/**
 * One report that was made, in a wave up to `waves`, the device's last; `day` as an ISO date in UTC. `marks` tell the
 * answers from others, as long as the device has the secret; `invitation` until no report of the survey needs it any more, then "", and null where none was needed.
 * @typedef {object} Entry
 * @property {string} fingerprint
 * @property {number} wave
 * @property {number} waves
 * @property {string} surveyId
 * @property {bigint} epsilon
 * @property {string} day
 * @property {string} receipt
 * @property {Uint8Array | null} marks
 * @property {string | null} invitation
 * @property {boolean} isSummed
 * @property {import("./way.js").Via | null} [via] its oblivious way
 * @property {string} [keys] the digest of the gateway's keys that it was delivered with
 */
/** @typedef {{maxEpsilon: bigint, maxPeriodEpsilon: bigint, periodDays: number}} Limits */
export const DAY_MS: 86400000;
export function today(): string;
export type Transaction = import("./state.js").Transaction;
export type Survey = import("./survey.js").Survey;
/**
 * What the respondent keeps: `id` (32 hexadecimal digits) names the report; `epsilon` (nats, an exact decimal) is what
 * it took, or, if `isSummed`, what this survey's reports of all waves took together. `keys`: once a report is delivered
 * obliviously, the SHA-256 of the gateway's keys that it was encrypted with; everybody's are the same for a time.
 */
export type Receipt = {
    id: string;
    surveyId: string;
    fingerprint: string;
    epsilon: string;
    wave: number;
    isSummed: boolean;
    keys: string;
};
/**
 * One report that was made, in a wave up to `waves`, the device's last; `day` as an ISO date in UTC. `marks` tell the
 * answers from others, as long as the device has the secret; `invitation` until no report of the survey needs it any more, then "", and null where none was needed.
 */
export type Entry = {
    fingerprint: string;
    wave: number;
    waves: number;
    surveyId: string;
    epsilon: bigint;
    day: string;
    receipt: string;
    marks: Uint8Array | null;
    invitation: string | null;
    isSummed: boolean;
    /**
     * its oblivious way
     */
    via?: import("./way.js").Via | null | undefined;
    /**
     * the digest of the gateway's keys that it was delivered with
     */
    keys?: string | undefined;
};
export type Limits = {
    maxEpsilon: bigint;
    maxPeriodEpsilon: bigint;
    periodDays: number;
};
