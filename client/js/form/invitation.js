/** The invitation to an invited survey: where it comes from, and whether it can be used. */

import { parseInvitation } from "../src/invitation.js";

const KEPT = "sottoInvitation"; // in the tab's history, so that it outlives a reload

/**
 * Return the invitation behind the # of the page's address, or an empty text. It leaves the address, so that no photo,
 * bookmark or shared address has it. An address that has anything else there is left alone. What was taken is given again
 * to who asks for the same survey.
 * @param {string} url of the survey
 */
export function takeFromAddress(url) {
  const given = location.hash.slice(1);
  const { state } = history;
  if (!isInvitation(given)) return String(state?.[KEPT]?.[url] ?? "");
  const isOpen = state === null || (typeof state === "object" && !Array.isArray(state));
  history.replaceState(
    isOpen ? { ...state, [KEPT]: { [url]: given } } : state,
    "",
    location.pathname + location.search,
  );
  return given;
}

/** @param {string} text */
export function isInvitation(text) {
  try {
    return parseInvitation(text) !== "";
  } catch {
    return false;
  }
}

/**
 * Ask the collector of an invitation, which spends nothing: unused, used or invalid. Who cannot ask now goes on as if it
 * were unused: the report tells.
 * @param {import("../src/client.js").SurveyClient} client @param {string} invitation @param {number} wave
 * @param {string} unknown what is returned where the collector cannot be asked @returns {Promise<string>}
 */
export function stateOf(client, invitation, wave, unknown = "unused") {
  return client.checkInvitation(invitation, wave).then(
    (said) => said?.state ?? unknown,
    () => unknown,
  );
}
