/** What admits a report to a survey with blind invitations. @typedef {{token?: string, stratum?: number}} Admission */
/** @typedef {Admission & {id: string, answers: {[id: string]: any}, wave?: number, invitation?: string}} Sent */
/**
 * Return the report as the JSON object that is sent.
 * @param {import("./survey.js").Survey} survey @param {Uint8Array} id 16 random bytes
 * @param {(Uint8Array | null)[]} columns every question's part, packed; null where it was not drawn
 * @param {number} wave @param {Admission} [admission] @returns {Sent}
 */
export function wireReport(survey: import("./survey.js").Survey, id: Uint8Array, columns: (Uint8Array | null)[], wave: number, admission?: Admission): Sent;
/**
 * Return by how much a report is shorter than the survey's longest: so many blanks follow it, so that the length of a POST
 * says nothing of what is in it.
 * @param {import("./survey.js").Survey} survey @param {Sent} sent without its invitation
 */
export function blanksAfter(survey: import("./survey.js").Survey, sent: Sent): number;
/**
 * Return how long the body of a POST of the survey's longest report is.
 * @param {import("./survey.js").Survey} survey
 */
export function longestBody(survey: import("./survey.js").Survey): number;
/**
 * Return the body of a POST that carries a report; the same report gives the same text.
 * @param {string} fingerprint @param {Sent} report @param {number} nBlanks @param {string | null} [invitation] as written
 * @returns {string}
 */
export function batchBody(fingerprint: string, report: Sent, nBlanks: number, invitation?: string | null): string;
export const REPORT_ID_BYTES: 16;
/**
 * What admits a report to a survey with blind invitations.
 */
export type Admission = {
    token?: string;
    stratum?: number;
};
export type Sent = Admission & {
    id: string;
    answers: {
        [id: string]: any;
    };
    wave?: number;
    invitation?: string;
};
