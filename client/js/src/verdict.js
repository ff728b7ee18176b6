/** What a collector's reply means for a report: it has it, it refuses it for good, or it is to be asked again. */

import { problemOf, readJson } from "./exchange.js";

/** A collector may ask a device to stay away for a day, not longer. */
export const MAX_HOLD_MS = 86_400_000;

/** Codes by which it says that it has not this version: erased, replaced, or it serves a wrong database for now. */
const SURVEY_UNKNOWN = ["no_such_survey", "wrong_fingerprint"];
/** For so long it must say nothing else before that is believed. */
const UNKNOWN_FINAL_MS = 604_800_000;
const MOST_BETWEEN_MS = 86_400_000;
const NEEDS_INVITATION = ["invitation_required", "invitation_invalid"];
const REFUSING = ["bad_json", "bad_report", ...NEEDS_INVITATION, "token_invalid", "survey_closed"];
const HTTP_DATE = /^[a-z]{3}, \d\d [a-z]{3} \d{4} \d\d:\d\d:\d\d GMT$/i; // Date.parse would read much else

/** @typedef {import("./exchange.js").Problem} Problem */
/**
 * `unknown`: the collector says that it has no such survey, or another version. `isAnswered`: somebody answered.
 * @typedef {{kind: "counted", keys?: string, holdMs?: null} | {kind: "refused", problem: Problem, holdMs?: null}
 *   | {kind: "unknown", problem: Problem, holdMs: number | null}
 *   | {kind: "again", holdMs: number | null, isAnswered: boolean}} Verdict
 */
/**
 * For how long a collector has said only that it knows no such survey, and when last, in milliseconds since 1970.
 * @typedef {{unknownMs: number, unknownAt: number}} Doubt
 */

/**
 * Return what the reply to one report means. Only the collector's own words count, an acknowledgement or one of its
 * problems with this very report: the login page of a café's network and the JSON of a firewall are neither, whatever
 * their status; nor is what the collector says of its settings, its load, or the way that a request came.
 * @param {import("./exchange.js").Reply} reply @param {number} now in milliseconds since 1970 @returns {Verdict}
 */
export function judge(reply, now) {
  if (reply.status === 200 && isAcknowledgement(readJson(reply.body))) return { kind: "counted", keys: reply.keys };
  const problem = problemOf(reply);
  if (REFUSING.includes(problem.code)) return { kind: "refused", problem };
  const holdMs = readRetryAfter(reply.headers.get("retry-after"), now);
  if (isUnknown(problem)) return { kind: "unknown", problem, holdMs };
  return { kind: "again", holdMs, isAnswered: true };
}

/**
 * Return the doubt of a survey that the collector says again not to know. What lies between two answers counts for a day
 * at most, and for nothing where the clock went back: neither a clock that is stepped nor a device that sleeps makes long
 * of few answers.
 * @param {Partial<Doubt>} doubt the one before, if any @param {number} now @returns {Doubt}
 */
export function lengthen({ unknownMs = 0, unknownAt = 0 }, now) {
  const passedMs = unknownAt > 0 ? Math.min(Math.max(now - unknownAt, 0), MOST_BETWEEN_MS) : 0;
  return { unknownMs: unknownMs + passedMs, unknownAt: now };
}

/** Whether it is believed that the collector knows no such survey. @param {Doubt} doubt */
export function isBelieved({ unknownMs }) {
  return unknownMs >= UNKNOWN_FINAL_MS;
}

/** Whether a collector says that it does not know a version of a survey. @param {Problem} problem */
export function isUnknown(problem) {
  return SURVEY_UNKNOWN.includes(problem.code);
}

/** Whether no report of a survey is taken any more, of which one was refused. @param {Problem} problem */
export function isSurveyOver(problem) {
  return problem.code === "survey_closed" || isUnknown(problem);
}

/** Whether a report was refused for its invitation alone. @param {Problem} problem */
export function needsInvitation(problem) {
  return NEEDS_INVITATION.includes(problem.code);
}

/**
 * Return the milliseconds, in [0, a day], that a Retry-After header asks for, in seconds or as a date (RFC 9110,
 * 10.2.3); null where it says nothing readable.
 * @param {string | null} text @param {number} now
 */
export function readRetryAfter(text, now) {
  if (text === null) return null;
  const date = HTTP_DATE.test(text) ? Date.parse(text) : NaN;
  const asked = /^\s*\d+\s*$/.test(text) ? 1000 * Number(text) : date - now;
  return Number.isNaN(asked) ? null : Math.min(Math.max(asked, 0), MAX_HOLD_MS);
}

function isAcknowledgement(/** @type {any} */ document) {
  const { counted, duplicates, conflicting = 0 } = document ?? {};
  const isOne = (counted === 1 && duplicates === 0) || (counted === 0 && duplicates === 1);
  return isOne && Number.isInteger(conflicting) && conflicting >= 0 && conflicting <= duplicates;
}
