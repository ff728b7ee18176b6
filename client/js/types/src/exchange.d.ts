/** @typedef {{status: number, headers: Headers, body: Uint8Array}} Reply */
/** @typedef {{status: number, code: string, detail: string, where: string}} Problem RFC 9457's, or `unexpected` */
/**
 * Return a collector's or a relay's address without a trailing slash. Throws TypeError, which quotes nothing.
 * @param {unknown} url @param {string} [name]
 */
export function checkUrl(url: unknown, name?: string): string;
/** @param {string} url @param {string} surveyId @param {number} timeoutMs @param {number} maxBytes */
export function getSurvey(url: string, surveyId: string, timeoutMs: number, maxBytes: number): Promise<Reply>;
/** Send a report's text as it is. @param {string} url @param {string} surveyId @param {string} body @param {number} timeoutMs */
export function postReport(url: string, surveyId: string, body: string, timeoutMs: number): Promise<Reply>;
/** Ask that a report be erased. @param {string} url @param {string} surveyId @param {string} receipt @param {number} timeoutMs */
export function postErasure(url: string, surveyId: string, receipt: string, timeoutMs: number): Promise<Reply>;
/** Send a report as the page closes, and wait for nothing. @param {string} url @param {string} surveyId @param {string} body */
export function postAndLeave(url: string, surveyId: string, body: string): void;
/**
 * Return what a collector says is wrong with a request, with 4xx. Whatever is not a problem document of its own kind, by
 * media type and `type`, has the code `unexpected`: gateways and portals in between send JSON with a `code`, too.
 * @param {Reply} reply @returns {Problem}
 */
export function problemOf({ status, headers, body }: Reply): Problem;
/** @param {Uint8Array} body @returns {any} undefined for what is no JSON object */
export function readJson(body: Uint8Array): any;
export type Reply = {
    status: number;
    headers: Headers;
    body: Uint8Array;
};
/**
 * RFC 9457's, or `unexpected`
 */
export type Problem = {
    status: number;
    code: string;
    detail: string;
    where: string;
};
