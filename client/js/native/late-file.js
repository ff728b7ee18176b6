/** An app has no WebCrypto: it refuses surveys whose reports or invitations must be encrypted or blinded. */

import { SurveyRefused } from "../src/errors.js";

/** @param {string} what @returns {() => Promise<never>} */
const refuse = (what) => async () => {
  throw new SurveyRefused(`the survey ${what}: that needs WebCrypto, which React Native lacks.`);
};
const oblivious = { ask: refuse("is oblivious") };

export const file = {
  /** @param {"blind" | "oblivious"} name @returns {Promise<any>} */
  load: (name) => (name === "blind" ? refuse("has blind invitations")() : Promise.resolve(oblivious)),
};
