/**
 * Return the invitation behind the # of the page's address, or an empty text. It leaves the address, so that no photo,
 * bookmark or shared address has it. An address that has anything else there is left alone. What was taken is given again
 * to who asks for the same survey.
 * @param {string} url of the survey
 */
export function takeFromAddress(url: string): string;
/** @param {string} text */
export function isInvitation(text: string): boolean;
/**
 * Ask the collector of an invitation, which spends nothing: unused, used or invalid. Who cannot ask now goes on as if it
 * were unused: the report tells.
 * @param {import("../src/client.js").SurveyClient} client @param {string} invitation @param {number} wave
 * @param {string} unknown what is returned where the collector cannot be asked @returns {Promise<string>}
 */
export function stateOf(client: import("../src/client.js").SurveyClient, invitation: string, wave: number, unknown?: string): Promise<string>;
