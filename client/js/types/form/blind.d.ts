/** The form of a survey with blind invitations: `blind.min.js` has it. */
/** @typedef {import("./words.js").Translate} Translate */
/**
 * Trade an invitation for its token, and return its state as `stateOf` of invitation.js does.
 * @param {import("../src/client.js").SurveyClient} client that has the invitation @param {string} _ the invitation
 * @param {number} wave @returns {Promise<string>}
 */
export function tokenOf(client: import("../src/client.js").SurveyClient, _: string, wave: number): Promise<string>;
export function sayTraded(t: Translate): string;
export function sayAll(t: Translate): string;
export type Translate = import("./words.js").Translate;
