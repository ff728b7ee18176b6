/** The form of a survey with blind invitations: `blind.min.js` has it. */

/** @typedef {import("./words.js").Translate} Translate */

/**
 * Trade an invitation for its token, and return its state as `stateOf` of invitation.js does.
 * @param {import("../src/client.js").SurveyClient} client that has the invitation @param {string} _ the invitation
 * @param {number} wave @returns {Promise<string>}
 */
export function tokenOf(client, _, wave) {
  return client.fetchToken(wave).catch(() => "unused"); // it is fetched again with the report
}

/** Of the invitation. @param {Translate} t */
export const sayTraded = (t) =>
  t(
    "It has 26 letters and digits, and lets you answer. This page trades it for a token now, and later sends the token " +
      "with your report. Nobody can tell from the token whose invitation it was.",
  );

/** Of what is sent. @param {Translate} t */
export const sayAll = (t) => t("This is all that leaves this device now, with your token.");
