/** The outbox: noisy reports that wait for the collector, always sent as the same bytes. Run inside of a transaction. */

import { drawUpTo } from "./coins.js";
import { settleReport } from "./ledger.js";
import { batchBody } from "./report.js";
import { isSurveyOver, needsInvitation } from "./verdict.js";

const BACKOFF_BASE_MS = 1000;
/** The longest back-off; it has full jitter. */
export const BACKOFF_CAP_MS = 300_000;

/** @typedef {import("./ledger.js").Entry} Entry */
/** @typedef {import("./state.js").Transaction} Transaction */
/** @typedef {import("./exchange.js").Problem} Problem */
/**
 * A report that waits; `notBefore` and `delayUntil` in milliseconds since 1970: no attempt, no first attempt before.
 * `isHeld`: the collector asked for it. `problem`: why it was refused for good; null while it waits. Its invitation is
 * in the ledger.
 * @typedef {object} Kept
 * @property {string} receipt
 * @property {string} url
 * @property {string} surveyId
 * @property {string} fingerprint
 * @property {import("./report.js").Sent} sent
 * @property {number} nAttempts
 * @property {number} notBefore
 * @property {boolean} isHeld
 * @property {number} delayUntil
 * @property {Problem | null} problem
 */
/** @typedef {Kept & {body: string}} Waiting with the text to be posted */
/**
 * A report that the collector refused for good; it stays charged. `needsInvitation`: another one can mend it.
 * @typedef {{receipt: string, url: string, surveyId: string, problem: Problem, needsInvitation: boolean}} Rejected
 */

/**
 * Add a report, which waits as long as its collector asked this device to stay away, and a random delay besides.
 * @param {Transaction} transaction @param {string} url where it is posted @param {import("./survey.js").Survey} survey
 * @param {import("./report.js").Sent} sent @param {number} maxDelayMs
 */
export async function putReport(transaction, url, { id: surveyId, fingerprint }, sent, maxDelayMs) {
  const kept = /** @type {Kept[]} */ (await transaction.all("outbox"));
  const held = kept.filter((report) => report.url === url && report.isHeld && report.problem === null);
  await transaction.put("outbox", {
    receipt: sent.id,
    url,
    surveyId,
    fingerprint,
    sent,
    nAttempts: 0,
    notBefore: Math.max(0, ...held.map((report) => report.notBefore)),
    isHeld: held.length > 0,
    delayUntil: maxDelayMs > 0 ? Date.now() + drawUpTo(maxDelayMs) : 0,
    problem: null,
  });
}

/**
 * Return what waits, the least often tried first: no report can keep the others back.
 * @param {Transaction} transaction @returns {Promise<Waiting[]>}
 */
export async function waitingReports(transaction) {
  const kept = /** @type {Kept[]} */ (await transaction.all("outbox"));
  const entries = /** @type {Entry[]} */ (await transaction.all("ledger"));
  const invitations = new Map(entries.map((entry) => [entry.receipt, entry.invitation]));
  return kept
    .filter((report) => report.problem === null)
    .map((report) => ({ ...report, body: batchBody(report.fingerprint, report.sent, invitations.get(report.receipt)) }))
    .sort((left, right) => left.nAttempts - right.nAttempts);
}

/** @param {Transaction} transaction @returns {Promise<Rejected[]>} what was refused for good */
export async function rejectedReports(transaction) {
  const kept = /** @type {Kept[]} */ (await transaction.all("outbox"));
  return kept.flatMap(({ receipt, url, surveyId, problem }) =>
    problem === null ? [] : [{ receipt, url, surveyId, problem, needsInvitation: needsInvitation(problem) }],
  );
}

/**
 * Note what the collector said of a report.
 * @param {Transaction} transaction @param {string} receipt @param {import("./verdict.js").Verdict} verdict
 */
export async function recordVerdict(transaction, receipt, verdict) {
  const kept = /** @type {Kept | undefined} */ (await transaction.get("outbox", receipt));
  if (kept === undefined) return; // another page was faster
  if (verdict.kind === "again") return postpone(transaction, kept, verdict.holdMs);
  if (verdict.kind === "counted") await transaction.delete("outbox", receipt);
  else await transaction.put("outbox", { ...kept, problem: verdict.problem, nAttempts: kept.nAttempts + 1 });
  await settleReport(transaction, receipt, verdict.kind === "refused" && isSurveyOver(verdict.problem));
}

/**
 * Let a report that was refused for its invitation wait again, under another one; so do the waves that had the same.
 * One that had none gets none: its survey was open to all.
 * @param {Transaction} transaction @param {string} receipt @param {string} invitation
 * @returns {Promise<boolean>} whether it waits again
 */
export async function readmit(transaction, receipt, invitation) {
  const entries = /** @type {Entry[]} */ (await transaction.all("ledger"));
  const entry = entries.find((candidate) => candidate.receipt === receipt);
  const report = await transaction.get("outbox", receipt);
  if (report === undefined || entry === undefined || entry.invitation === null) return false;
  const isAlike = (/** @type {Entry} */ old) =>
    old.receipt === receipt ||
    (old.fingerprint === entry.fingerprint && old.invitation === entry.invitation && old.invitation !== "");
  for (const old of entries.filter(isAlike)) await transaction.put("ledger", { ...old, invitation });
  await transaction.put("outbox", { ...report, problem: null });
  return true;
}

/** Count a failed attempt, and leave the report's collector alone for a while, whatever waits for it. */
async function postpone(
  /** @type {Transaction} */ transaction,
  /** @type {Kept} */ failed,
  /** @type {number | null} */ holdMs,
) {
  const notBefore = Date.now() + (holdMs ?? 0) + backoffMs(failed.nAttempts + 1);
  await transaction.put("outbox", { ...failed, nAttempts: failed.nAttempts + 1 });
  for (const report of await transaction.all("outbox")) {
    if (report.url === failed.url) {
      await transaction.put("outbox", { ...report, notBefore, isHeld: holdMs !== null });
    }
  }
}

/** Exponential, with full jitter (Brooker 2015): uniform on [0, min(cap, base 2^(n - 1))]. @param {number} nFailed */
export function backoffMs(nFailed) {
  return drawUpTo(Math.min(BACKOFF_CAP_MS, BACKOFF_BASE_MS * 2 ** Math.min(nFailed - 1, 30)));
}
