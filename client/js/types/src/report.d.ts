/** @typedef {{id: string, answers: {[id: string]: any}, wave?: number, invitation?: string}} Sent */
/**
 * Return the report as the JSON object that is sent.
 * @param {import("./survey.js").Survey} survey @param {Uint8Array} id 16 random bytes
 * @param {Uint8Array[]} columns every question's part, packed @param {number} wave @returns {Sent}
 */
export function wireReport(survey: import("./survey.js").Survey, id: Uint8Array, columns: Uint8Array[], wave: number): Sent;
/**
 * Return the body of a POST that carries a report; the same report gives the same text.
 * @param {string} fingerprint @param {Sent} report @param {string | null} [invitation] as it is written
 * @returns {string}
 */
export function batchBody(fingerprint: string, report: Sent, invitation?: string | null): string;
export const REPORT_ID_BYTES: 16;
export type Sent = {
    id: string;
    answers: {
        [id: string]: any;
    };
    wave?: number;
    invitation?: string;
};
