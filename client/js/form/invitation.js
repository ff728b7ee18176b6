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
 * @param {string} url of the survey @param {string} invitation @param {number} wave
 * @param {string} unknown what is returned where the collector cannot be asked @returns {Promise<string>}
 */
export async function stateOf(url, invitation, wave, unknown = "unused") {
  const headers = { "Content-Type": "application/json" };
  const body = JSON.stringify({ invitation, wave });
  try {
    /** @type {RequestInit} */
    const request = { method: "POST", headers, body, credentials: "omit", referrerPolicy: "no-referrer" };
    const answer = await fetch(`${url}/invitations/check`, request);
    const { state } = answer.ok ? await answer.json() : { state: unknown };
    return String(state);
  } catch {
    return unknown;
  }
}
