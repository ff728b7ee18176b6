/**
 * The budget: what this device has spent of its respondent's privacy, and what it may still spend; in units of 1e-12
 * nats. Epsilons are added up (basic composition), and nothing is ever taken back.
 *
 * In a survey of several waves every answer has a pot of its own: its reports share their noise, so what they take
 * together is no sum. What each wave took would tell for good in which of them an answer changed, so that goes with the
 * secret: the ledger keeps the survey's sum.
 */

import { hex } from "./bytes.js";
import { parseEpsilon, writeEpsilon } from "./decimals.js";
import { BudgetExceeded } from "./errors.js";
import { TAG_BYTES } from "./permanent.js";

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

export const DAY_MS = 86_400_000;

/** The day that this device's clock says it is: an ISO date in UTC. */
export const today = () => new Date().toISOString().slice(0, 10);

/** @param {Entry} entry @returns {Receipt} */
export function receiptOf({ receipt, surveyId, fingerprint, epsilon, wave, isSummed, keys = "" }) {
  return { id: receipt, surveyId, fingerprint, epsilon: writeEpsilon(epsilon), wave, isSummed, keys };
}

/** @param {Transaction} transaction @param {string} fingerprint @returns {Promise<Entry[]>} by wave */
export async function entriesOf(transaction, fingerprint) {
  const entries = /** @type {Entry[]} */ (await transaction.all("ledger"));
  return entries.filter((entry) => entry.fingerprint === fingerprint).sort((left, right) => left.wave - right.wave);
}

/** @param {Transaction} transaction @param {string} receipt @returns {Promise<Entry | undefined>} */
export async function entryOf(transaction, receipt) {
  return (await transaction.all("ledger")).find((entry) => entry.receipt === receipt);
}

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
export function epsilonOfReport(survey, marks, earlier, drawn) {
  const tag = (/** @type {Uint8Array} */ of, /** @type {number} */ index) =>
    of.slice(index * TAG_BYTES, (index + 1) * TAG_BYTES);
  const answered = survey.questions.filter((_, index) => drawn?.[index] ?? true);
  if (!survey.keepsNoise) return sumOf(answered.map((question) => question.epsilonOf(1))); // they add up
  const known = earlier.filter((before) => before.marks !== null);
  const given = [marks, ...known.map((before) => /** @type {Uint8Array} */ (before.marks))];
  const taken = answered.flatMap((question, index) => {
    /** @type {Map<string, number>} how often each answer was given */
    const pots = new Map();
    for (const answer of given.map((of) => hex(tag(of, index)))) pots.set(answer, (pots.get(answer) ?? 0) + 1);
    return [...pots.values()].map((nReports) => question.epsilonOf(nReports));
  });
  const more = known.reduce((left, before) => left - before.epsilon, sumOf(taken));
  return more > 0n ? more : 0n;
}

function sumOf(/** @type {bigint[]} */ epsilons) {
  return epsilons.reduce((sum, epsilon) => sum + epsilon, 0n);
}

/**
 * Throw BudgetExceeded when an entry takes more than a limit leaves.
 *
 * The period ends on the entry's day. Entries of later days count too: a clock that went back frees no budget. A sum
 * counts on the day of its last report. `least` must be left even where the entry takes less: so whether a device takes
 * part in a survey with `draw` does not depend on what it drew.
 * @param {Entry[]} all the ledger's @param {Entry} entry @param {Limits} limits @param {bigint} [least]
 */
export function checkBudget(all, entry, { maxEpsilon, maxPeriodEpsilon, periodDays }, least = 0n) {
  const start = new Date(Date.parse(entry.day) - (periodDays - 1) * DAY_MS).toISOString().slice(0, 10);
  const earlier = [
    ...new Map([...all].sort(byDay).map((old) => [old.isSummed ? old.fingerprint : old.receipt, old])).values(),
  ];
  const ofSurvey = earlier.filter((old) => old.surveyId === entry.surveyId);
  const ofPeriod = earlier.filter((old) => old.day >= start);
  const needed = entry.epsilon > least ? entry.epsilon : least;
  require(entry, needed, "maxEpsilon", maxEpsilon, ofSurvey, `for survey ${entry.surveyId}`);
  require(entry, needed, "maxPeriodEpsilon", maxPeriodEpsilon, ofPeriod, `for ${periodDays} days`);
}

/**
 * Note that reports wait no more, after the outbox did: with the last wave's, or the one by which the collector said that
 * the survey is over, the survey is forgotten.
 * @param {Transaction} transaction @param {string} receipt @param {boolean} endsSurvey
 */
export async function settleReport(transaction, receipt, endsSurvey) {
  const entry = await entryOf(transaction, receipt);
  if (entry !== undefined && (entry.wave === entry.waves || endsSurvey))
    await endVersion(transaction, entry.fingerprint);
  await releaseInvitations(transaction);
}

/**
 * Wipe what could tell which answers the reports of one version of a survey were made of: its secret and marks. What
 * they took stays, as one sum.
 * @param {Transaction} transaction @param {string} fingerprint
 */
export async function endVersion(transaction, fingerprint) {
  const entries = await entriesOf(transaction, fingerprint);
  for (const end of ["", ":tokens"]) await transaction.delete("secrets", fingerprint + end);
  if (entries.some((entry) => entry.marks !== null)) {
    const epsilon = sumOf(entries.map((entry) => entry.epsilon));
    for (const entry of entries) {
      await transaction.put("ledger", { ...entry, epsilon, marks: null, isSummed: entry.waves > 1 });
    }
  }
  await releaseInvitations(transaction);
}

/**
 * Forget the invitations of surveys that this device takes part in no more, once none of their reports waits, or is kept.
 * @param {Transaction} transaction
 */
export async function releaseInvitations(transaction) {
  const entries = /** @type {Entry[]} */ (await transaction.all("ledger"));
  const waiting = (await transaction.all("outbox")).filter((report) => report.problem === null);
  const kept = [...waiting, ...(await transaction.all("sent"))];
  const needed = new Set(kept.map((report) => report.fingerprint));
  for (const entry of entries) {
    if (entry.invitation && entry.marks === null && !needed.has(entry.fingerprint)) {
      await transaction.put("ledger", { ...entry, invitation: "" });
    }
  }
}

/**
 * Return a limit in units of 1e-12 nats. Throws RangeError unless it is finite and > 0.
 * @param {string} name @param {number | string} value nats
 */
export function readLimit(name, value) {
  const units = parseEpsilon(typeof value === "number" && Number.isFinite(value) ? value.toFixed(12) : String(value));
  if (units === null || units === 0n) throw new RangeError(`${name} must be a number of nats, finite and > 0.`);
  return units;
}

function require(
  /** @type {Entry} */ entry,
  /** @type {bigint} */ units,
  /** @type {string} */ limit,
  /** @type {bigint} */ most,
  /** @type {Entry[]} */ earlier,
  /** @type {string} */ scope,
) {
  const left = earlier.reduce((rest, old) => rest - old.epsilon, most);
  if (units <= left || units === 0n) return; // what is free fits, also where more is spent already
  const [needed, rest] = [writeEpsilon(units), writeEpsilon(left > 0n ? left : 0n)];
  throw new BudgetExceeded(
    `answering survey ${entry.surveyId} would spend epsilon ${needed}, but ${limit} (${writeEpsilon(most)}) leaves ` +
      `${rest} ${scope}.`,
    { needed, left: rest, limit },
  );
}

function byDay(/** @type {Entry} */ left, /** @type {Entry} */ right) {
  return left.day < right.day ? -1 : Number(left.day > right.day);
}
