/** @typedef {import("./ledger.js").Entry} Entry */
/** @typedef {import("./state.js").Transaction} Transaction */
/** @typedef {import("./exchange.js").Problem} Problem */
/**
 * A report that waits; `notBefore` and `delayUntil` in milliseconds since 1970: no attempt, no first attempt before.
 * `isHeld`: the collector asked for it. `doubt`: while the collector says only that it does not know the survey.
 * `problem`: why it was refused for good; null while it waits. Its invitation is in the ledger.
 * @typedef {object} Kept
 * @property {string} receipt
 * @property {string} url
 * @property {string} surveyId
 * @property {string} fingerprint
 * @property {import("./report.js").Sent} sent
 * @property {number} [nBlanks] that follow it; states of before have none
 * @property {number} nAttempts
 * @property {number} notBefore
 * @property {boolean} isHeld
 * @property {number} delayUntil
 * @property {import("./verdict.js").Doubt | null} [doubt] states of before have none
 * @property {Problem | null} problem
 * @property {number} [daysLeft] for so many it is kept once it is delivered
 * @property {string} [seen] of what was delivered: the day that was counted last, an ISO date
 * @property {string} [restored] the number that its collector's store had got when it was last restored before
 * @property {import("./way.js").Via | null} [via] the oblivious way, where it goes by none but that
 */
/** How a page's reports are posted. @typedef {{url: string, maxDelayMs: number, resendDays: number}} Posting */
/** @typedef {Kept & {body: string}} Waiting with the text to be posted */
/**
 * A report that the collector refused for good; it stays charged. `SurveyClient.resend` can send it again if
 * `needsInvitation`, under another one, or `isUnknown`: the collector did not know the survey, for a week.
 * @typedef {{receipt: string, url: string, surveyId: string, problem: Problem, isUnknown: boolean,
 *   needsInvitation: boolean}} Rejected
 */
/**
 * Add a report of a survey; `daysLeft`: for so many it is kept once it is delivered; `restored`: its store's number.
 * @param {Transaction} transaction @param {string} url where it is posted @param {import("./survey.js").Survey} survey
 * @param {import("./report.js").Sent} sent @param {number} maxDelayMs @param {import("./way.js").Via | null} [via]
 */
export function putReport(transaction: Transaction, url: string, survey: import("./survey.js").Survey, sent: import("./report.js").Sent, maxDelayMs: number, daysLeft?: number, restored?: string, via?: import("./way.js").Via | null): Promise<void>;
/**
 * Let what was delivered and is kept wait again, for a store of this number; return the receipts.
 * @param {Transaction} transaction @param {(report: Kept) => boolean} isMeant @param {string} [restored]
 */
export function sendAgain(transaction: Transaction, isMeant: (report: Kept) => boolean, restored?: string, maxDelayMs?: number): Promise<string[]>;
/**
 * Return what waits, the least often tried first: no report can keep the others back.
 * @param {Transaction} transaction @returns {Promise<Waiting[]>}
 */
export function waitingReports(transaction: Transaction): Promise<Waiting[]>;
/** @param {Transaction} transaction @returns {Promise<Rejected[]>} what was refused for good */
export function rejectedReports(transaction: Transaction): Promise<Rejected[]>;
/**
 * Note what the collector said of a report; return what came of it for good, and null as long as it waits, or where
 * another page was faster.
 * @param {Transaction} transaction @param {string} receipt @param {import("./verdict.js").Verdict} verdict
 * @returns {Promise<import("./callbacks.js").Outcome | null>}
 */
export function recordVerdict(transaction: Transaction, receipt: string, verdict: import("./verdict.js").Verdict): Promise<import("./callbacks.js").Outcome | null>;
/**
 * Let a report that was refused wait again: for its invitation, under another one, and so do the waves that had the same;
 * or since the collector did not know its survey. One that had no invitation gets none: its survey was open to all.
 * @param {Transaction} transaction @param {string} receipt @param {string | null} invitation
 * @returns {Promise<Entry | null>} what the ledger had of it; null where it does not wait again
 */
export function readmit(transaction: Transaction, receipt: string, invitation: string | null): Promise<Entry | null>;
/** The longest back-off where the collector does not know the survey: it is asked less often. */
export const UNKNOWN_CAP_MS: 3600000;
export type Entry = import("./ledger.js").Entry;
export type Transaction = import("./state.js").Transaction;
export type Problem = import("./exchange.js").Problem;
/**
 * A report that waits; `notBefore` and `delayUntil` in milliseconds since 1970: no attempt, no first attempt before.
 * `isHeld`: the collector asked for it. `doubt`: while the collector says only that it does not know the survey.
 * `problem`: why it was refused for good; null while it waits. Its invitation is in the ledger.
 */
export type Kept = {
    receipt: string;
    url: string;
    surveyId: string;
    fingerprint: string;
    sent: import("./report.js").Sent;
    /**
     * that follow it; states of before have none
     */
    nBlanks?: number | undefined;
    nAttempts: number;
    notBefore: number;
    isHeld: boolean;
    delayUntil: number;
    /**
     * states of before have none
     */
    doubt?: import("./verdict.js").Doubt | null | undefined;
    problem: Problem | null;
    /**
     * for so many it is kept once it is delivered
     */
    daysLeft?: number | undefined;
    /**
     * of what was delivered: the day that was counted last, an ISO date
     */
    seen?: string | undefined;
    /**
     * the number that its collector's store had got when it was last restored before
     */
    restored?: string | undefined;
    /**
     * the oblivious way, where it goes by none but that
     */
    via?: import("./way.js").Via | null | undefined;
};
/**
 * How a page's reports are posted.
 */
export type Posting = {
    url: string;
    maxDelayMs: number;
    resendDays: number;
};
/**
 * with the text to be posted
 */
export type Waiting = Kept & {
    body: string;
};
/**
 * A report that the collector refused for good; it stays charged. `SurveyClient.resend` can send it again if
 * `needsInvitation`, under another one, or `isUnknown`: the collector did not know the survey, for a week.
 */
export type Rejected = {
    receipt: string;
    url: string;
    surveyId: string;
    problem: Problem;
    isUnknown: boolean;
    needsInvitation: boolean;
};
