/** @typedef {import("./exchange.js").Problem} Problem */
/** @typedef {{kind: "counted"} | {kind: "refused", problem: Problem} | {kind: "again", holdMs: number | null}} Verdict */
/**
 * Return what the reply to one report means. Only the collector's own words count, an acknowledgement or a problem
 * document: the login page of a café's network, whatever its status, is neither.
 * @param {import("./exchange.js").Reply} reply @param {number} now in milliseconds since 1970 @returns {Verdict}
 */
export function judge(reply: import("./exchange.js").Reply, now: number): Verdict;
/** Whether the collector says that a version of a survey has ended. @param {Problem} problem */
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
export type Verdict = {
    kind: "counted";
} | {
    kind: "refused";
    problem: Problem;
} | {
    kind: "again";
    holdMs: number | null;
};
