/** The outbox: noisy reports that wait for the collector, always sent as the same bytes. Run inside of a transaction. */

import { drawUpTo } from "./coins.js";
import { entryOf, receiptOf, settleReport } from "./ledger.js";
import { batchBody, blanksAfter } from "./report.js";
import { dropSent, keepSent, sweep } from "./sent.js";
import { BACKOFF_CAP_MS, backoffMs } from "./turns.js";
import { isBelieved, isSurveyOver, isUnknown, lengthen, needsInvitation } from "./verdict.js";

/** The longest back-off where the collector does not know the survey: it is asked less often. */
export const UNKNOWN_CAP_MS = 3_600_000;

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
export async function putReport(transaction, url, survey, sent, maxDelayMs, daysLeft = 0, restored = "0", via = null) {
  const { id: surveyId, fingerprint } = survey;
  const made = { receipt: sent.id, url, surveyId, fingerprint, sent, nBlanks: blanksAfter(survey, sent) };
  await putWaiting(transaction, { ...made, daysLeft, restored, via }, maxDelayMs);
}

/**
 * Let what was delivered and is kept wait again, for a store of this number; return the receipts.
 * @param {Transaction} transaction @param {(report: Kept) => boolean} isMeant @param {string} [restored]
 */
export async function sendAgain(transaction, isMeant, restored, maxDelayMs = 0) {
  const again = /** @type {Kept[]} */ (await transaction.all("sent")).filter(isMeant);
  for (const report of again) {
    await transaction.delete("sent", report.receipt);
    await putWaiting(transaction, { ...report, restored: restored ?? report.restored }, maxDelayMs);
  }
  return again.map((report) => report.receipt);
}

/** Let a report wait as long as its collector asked this device to stay away, and a random delay besides. */
async function putWaiting(
  /** @type {Transaction} */ transaction,
  /** @type {Partial<Kept>} */ report,
  /** @type {number} */ maxDelayMs,
) {
  const kept = /** @type {Kept[]} */ (await transaction.all("outbox"));
  const held = kept.filter(({ url, isHeld, problem }) => url === report.url && isHeld && problem === null);
  await transaction.put("outbox", {
    ...report,
    nAttempts: 0,
    notBefore: Math.max(0, ...held.map((report) => report.notBefore)),
    isHeld: held.length > 0,
    delayUntil: maxDelayMs > 0 ? Date.now() + drawUpTo(maxDelayMs) : 0,
    doubt: null,
    problem: null,
  });
}

/**
 * Return what waits, the least often tried first: no report can keep the others back.
 * @param {Transaction} transaction @returns {Promise<Waiting[]>}
 */
export async function waitingReports(transaction) {
  await sweep(transaction);
  const kept = /** @type {Kept[]} */ (await transaction.all("outbox"));
  const invitations = await invitationsOf(transaction);
  const bodyOf = (/** @type {Kept} */ { fingerprint, sent, receipt, nBlanks = 0 }) =>
    batchBody(fingerprint, sent, nBlanks, invitations.get(receipt));
  return kept
    .filter((report) => report.problem === null)
    .map((report) => ({ ...report, body: bodyOf(report) }))
    .sort((left, right) => left.nAttempts - right.nAttempts);
}

/** @param {Transaction} transaction @returns {Promise<Rejected[]>} what was refused for good */
export async function rejectedReports(transaction) {
  const kept = /** @type {Kept[]} */ (await transaction.all("outbox"));
  const invitations = await invitationsOf(transaction);
  return kept.flatMap(({ receipt, url, surveyId, problem }) => {
    if (problem === null) return [];
    const lacksInvitation = isUnknown(problem) && invitations.get(receipt) === "";
    const takesInvitation = needsInvitation(problem) || lacksInvitation;
    return [{ receipt, url, surveyId, problem, isUnknown: isUnknown(problem), needsInvitation: takesInvitation }];
  });
}

/** By receipt, what the ledger has of every report. */
async function invitationsOf(/** @type {Transaction} */ transaction) {
  const entries = /** @type {Entry[]} */ (await transaction.all("ledger"));
  return new Map(entries.map((entry) => [entry.receipt, entry.invitation]));
}

/**
 * Note what the collector said of a report; return what came of it for good, and null as long as it waits, or where
 * another page was faster.
 * @param {Transaction} transaction @param {string} receipt @param {import("./verdict.js").Verdict} verdict
 * @returns {Promise<import("./callbacks.js").Outcome | null>}
 */
export async function recordVerdict(transaction, receipt, verdict) {
  const kept = /** @type {Kept | undefined} */ (await transaction.get("outbox", receipt));
  if (kept === undefined) return null; // another page was faster
  if (verdict.kind === "again") {
    const doubt = verdict.isAnswered ? null : kept.doubt; // something else was said
    return postpone(transaction, { ...kept, doubt }, verdict.holdMs);
  }
  const doubt = lengthen(kept.doubt ?? {}, Date.now());
  if (verdict.kind === "unknown" && !isBelieved(doubt)) {
    const isAlone = verdict.holdMs === null; // its collector's other surveys need not wait
    return postpone(transaction, { ...kept, doubt }, verdict.holdMs, isAlone, UNKNOWN_CAP_MS);
  }
  if (verdict.kind === "counted") {
    const entry = await entryOf(transaction, receipt); // as it is before the last one is settled: with what it took
    await transaction.delete("outbox", receipt);
    await keepSent(transaction, kept);
    if (entry && verdict.keys) await transaction.put("ledger", Object.assign(entry, { keys: verdict.keys }));
    await settleReport(transaction, receipt, false);
    return entry === undefined ? null : { delivered: receiptOf(entry) };
  }
  await transaction.put("outbox", { ...kept, problem: verdict.problem, nAttempts: kept.nAttempts + 1 });
  const isOver = isSurveyOver(verdict.problem);
  if (isOver) await dropSent(transaction, ({ fingerprint }) => fingerprint === kept.fingerprint);
  await settleReport(transaction, receipt, isOver);
  const rejected = (await rejectedReports(transaction)).find((report) => report.receipt === receipt);
  return rejected === undefined || kept.problem !== null ? null : { rejected };
}

/**
 * Let a report that was refused wait again: for its invitation, under another one, and so do the waves that had the same;
 * or since the collector did not know its survey. One that had no invitation gets none: its survey was open to all.
 * @param {Transaction} transaction @param {string} receipt @param {string | null} invitation
 * @returns {Promise<Entry | null>} what the ledger had of it; null where it does not wait again
 */
export async function readmit(transaction, receipt, invitation) {
  const entry = await entryOf(transaction, receipt);
  const report = /** @type {Kept | undefined} */ (await transaction.get("outbox", receipt));
  if (!report?.problem || entry === undefined) return null;
  const isOpen = entry.invitation === null;
  if (isOpen ? !isUnknown(report.problem) : invitation === null && entry.invitation === "") return null;
  const isAlike = (/** @type {Entry} */ old) =>
    old.receipt === receipt ||
    (old.fingerprint === entry.fingerprint && old.invitation === entry.invitation && old.invitation !== "");
  if (!isOpen && invitation !== null) {
    for (const old of (await transaction.all("ledger")).filter(isAlike))
      await transaction.put("ledger", { ...old, invitation });
  }
  await transaction.put("outbox", { ...report, problem: null, nAttempts: 0, doubt: null });
  return entry;
}

/** Count a failed attempt, and leave the report's collector alone for a while, or, `isAlone`, try others there. */
async function postpone(
  /** @type {Transaction} */ transaction,
  /** @type {Kept} */ failed,
  /** @type {number | null} */ holdMs,
  isAlone = false,
  capMs = BACKOFF_CAP_MS,
) {
  const nAttempts = failed.nAttempts + 1;
  const later = { notBefore: Date.now() + (holdMs ?? 0) + backoffMs(nAttempts, capMs), isHeld: holdMs !== null };
  await transaction.put("outbox", { ...failed, ...later, nAttempts });
  if (isAlone) return null;
  for (const report of await transaction.all("outbox")) {
    if (report.url === failed.url) await transaction.put("outbox", { ...report, ...later });
  }
  return null;
}
