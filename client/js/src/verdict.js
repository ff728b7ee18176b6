/** What a collector's reply means for a report: it has it, it refuses it for good, or it is to be asked again. */

import { problemOf, readJson } from "./exchange.js";

/** A collector may ask a device to stay away for a day, not longer. */
export const MAX_HOLD_MS = 86_400_000;

const SURVEY_OVER = ["survey_closed", "wrong_fingerprint", "no_such_survey"];
const NEEDS_INVITATION = ["invitation_required", "invitation_invalid"];
const HTTP_DATE = /^[a-z]{3}, \d\d [a-z]{3} \d{4} \d\d:\d\d:\d\d GMT$/i; // Date.parse would read much else
const TRY_AGAIN = [408, 425, 429]; // request timeout, too early, too many requests

/** @typedef {import("./exchange.js").Problem} Problem */
/** @typedef {{kind: "counted"} | {kind: "refused", problem: Problem} | {kind: "again", holdMs: number | null}} Verdict */

/**
 * Return what the reply to one report means. Only the collector's own words count, an acknowledgement or a problem
 * document: the login page of a café's network, whatever its status, is neither.
 * @param {import("./exchange.js").Reply} reply @param {number} now in milliseconds since 1970 @returns {Verdict}
 */
export function judge(reply, now) {
  if (reply.status === 200 && isAcknowledgement(readJson(reply.body))) return { kind: "counted" };
  if (reply.status >= 400 && reply.status < 500 && !TRY_AGAIN.includes(reply.status)) {
    const problem = problemOf(reply);
    if (problem.code !== "unexpected") return { kind: "refused", problem };
  }
  return { kind: "again", holdMs: readRetryAfter(reply.headers.get("retry-after"), now) };
}

/** Whether the collector says that a version of a survey has ended. @param {Problem} problem */
export function isSurveyOver(problem) {
  return SURVEY_OVER.includes(problem.code);
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
