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
export function judge(reply: import("./exchange.js").Reply, now: number): Verdict;
/**
 * Return the doubt of a survey that the collector says again not to know. What lies between two answers counts for a day
 * at most, and for nothing where the clock went back: neither a clock that is stepped nor a device that sleeps makes long
 * of few answers.
 * @param {Partial<Doubt>} doubt the one before, if any @param {number} now @returns {Doubt}
 */
export function lengthen({ unknownMs, unknownAt }: Partial<Doubt>, now: number): Doubt;
/** Whether it is believed that the collector knows no such survey. @param {Doubt} doubt */
export function isBelieved({ unknownMs }: Doubt): boolean;
/** Whether a collector says that it does not know a version of a survey. @param {Problem} problem */
export function isUnknown(problem: Problem): boolean;
/** Whether no report of a survey is taken any more, of which one was refused. @param {Problem} problem */
export function isSurveyOver(problem: Problem): boolean;
/** Whether a report was refused for its invitation alone. @param {Problem} problem */
export function needsInvitation(problem: Problem): boolean;
/**
 * Return the milliseconds, in [0, a day], that a Retry-After header asks for, in seconds or as a date (RFC 9110,
 * 10.2.3); null where it says nothing readable.
 * @param {string | null} text @param {number} now
 */
export function readRetryAfter(text: string | null, now: number): number | null;
/** A collector may ask a device to stay away for a day, not longer. */
export const MAX_HOLD_MS: 86400000;
export type Problem = import("./exchange.js").Problem;
/**
 * `unknown`: the collector says that it has no such survey, or another version. `isAnswered`: somebody answered.
 */
export type Verdict = {
    kind: "counted";
    keys?: string;
    holdMs?: null;
} | {
    kind: "refused";
    problem: Problem;
    holdMs?: null;
} | {
    kind: "unknown";
    problem: Problem;
    holdMs: number | null;
} | {
    kind: "again";
    holdMs: number | null;
    isAnswered: boolean;
};
/**
 * For how long a collector has said only that it knows no such survey, and when last, in milliseconds since 1970.
 */
export type Doubt = {
    unknownMs: number;
    unknownAt: number;
};
