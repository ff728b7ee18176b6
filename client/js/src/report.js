/** A report: what leaves the device. A random id, which is also the respondent's receipt, and noisy answers. */

import { hex } from "./bytes.js";
import { canonical } from "./documents.js";

export const REPORT_ID_BYTES = 16;

/** What admits a report to a survey with blind invitations. @typedef {{token?: string, stratum?: number}} Admission */
/** @typedef {Admission & {id: string, answers: {[id: string]: any}, wave?: number, invitation?: string}} Sent */

/**
 * Return the report as the JSON object that is sent.
 * @param {import("./survey.js").Survey} survey @param {Uint8Array} id 16 random bytes
 * @param {(Uint8Array | null)[]} columns every question's part, packed; null where it was not drawn
 * @param {number} wave @param {Admission} [admission] @returns {Sent}
 */
export function wireReport(survey, id, columns, wave, admission) {
  const answers = survey.questions.flatMap(({ id, mechanism }, index) => {
    const column = columns[index];
    return column === null ? [] : [[id, mechanism.toWire(column)]];
  });
  return { id: hex(id), ...(survey.waves > 1 ? { wave } : {}), ...admission, answers: Object.fromEntries(answers) };
}

/**
 * Return by how much a report is shorter than the survey's longest: so many blanks follow it, so that the length of a POST
 * says nothing of what is in it.
 * @param {import("./survey.js").Survey} survey @param {Sent} sent without its invitation
 */
export function blanksAfter(survey, sent) {
  return canonical(longestReport(survey)).length - canonical(sent).length;
}

/**
 * Return how long the body of a POST of the survey's longest report is.
 * @param {import("./survey.js").Survey} survey
 */
export function longestBody(survey) {
  const invitation = survey.invited && !survey.blind ? "a".repeat(26) : null;
  return batchBody(survey.fingerprint, longestReport(survey), 0, invitation).length;
}

function longestReport(/** @type {import("./survey.js").Survey} */ survey) {
  const lengths = survey.questions.map(
    ({ id, mechanism }) => canonical({ [id]: mechanism.toWire(mechanism.longest) }).length,
  );
  const order = [...lengths.keys()].sort((left, right) => lengths[right] - lengths[left]);
  const drawn = order.slice(0, survey.nDrawn);
  const columns = survey.questions.map(({ mechanism }, index) => (drawn.includes(index) ? mechanism.longest : null));
  return wireReport(survey, new Uint8Array(REPORT_ID_BYTES), columns, survey.waves, survey.blind?.longest);
}

/**
 * Return the body of a POST that carries a report; the same report gives the same text.
 * @param {string} fingerprint @param {Sent} report @param {number} nBlanks @param {string | null} [invitation] as written
 * @returns {string}
 */
export function batchBody(fingerprint, report, nBlanks, invitation = null) {
  const sent = invitation === null ? report : { ...report, invitation };
  return canonical({ fingerprint, reports: [sent] }) + " ".repeat(nBlanks);
}
