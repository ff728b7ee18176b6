/** An app has no WebCrypto: it refuses surveys whose reports are encrypted, or whose invitations are blind. */

import { SurveyRefused } from "../src/errors.js";

/** @param {string} what @returns {never} */
const refuse = (what) => {
  throw new SurveyRefused(`the survey ${what}: that needs WebCrypto, which React Native lacks.`);
};
const files = {
  oblivious: { ask: async () => refuse("is oblivious") },
  blind: { of: () => refuse("has blind invitations") },
};

export const file = {
  /** @param {"blind" | "oblivious"} name @returns {Promise<any>} */
  load: async (name) => files[name],
};
