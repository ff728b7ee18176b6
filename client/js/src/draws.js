/**
 * What this device was drawn for: questions, where a survey has `draw`, and waves, where it has `asked_in`. It is drawn
 * once, without an answer, and for good.
 *
 * A seed of the survey's own is kept from when the device is first asked: after a report that was refused, in every wave
 * and on every page both are the same. It outlives the secret of the noise, of which it says nothing.
 */

import { utf8 } from "./bytes.js";
import { Coins, hmacBytes } from "./coins.js";
import { joined } from "./permanent.js";

/** @typedef {import("./survey.js").Survey} Survey */

/**
 * Draw nDrawn of nQuestions: every set of so many is as likely, exactly (Floyd; the order of coins: docs/maths-coins.md).
 * @param {number} nQuestions @param {number} nDrawn @param {Coins} coins @returns {Promise<boolean[]>}
 */
export async function drawQuestions(nQuestions, nDrawn, coins) {
  /** @type {boolean[]} */
  const drawn = new Array(nQuestions).fill(false);
  for (let last = nQuestions - nDrawn; last < nQuestions; last += 1) {
    const [chosen] = await coins.uniform(last + 1, 1);
    drawn[drawn[chosen] ? last : chosen] = true;
  }
  return drawn;
}

/**
 * Return of each question whether a device answers it that keeps this seed.
 * @param {Survey} survey @param {CryptoKey} seed @returns {Promise<boolean[]>}
 */
export function drawnOf(survey, seed) {
  return drawQuestions(survey.questions.length, survey.nDrawn, coinsOf("sottovoce-draw-1", survey, seed));
}

/**
 * Return the waves in which a device is asked that keeps this seed, ascending.
 * @param {Survey} survey @param {CryptoKey} seed @returns {Promise<number[]>}
 */
export async function wavesOf(survey, seed) {
  const drawn = await drawQuestions(survey.waves, survey.askedIn, coinsOf("sottovoce-waves-1", survey, seed));
  return drawn.flatMap((isAsked, index) => (isAsked ? [index + 1] : []));
}

function coinsOf(/** @type {string} */ label, /** @type {Survey} */ { fingerprint }, /** @type {CryptoKey} */ seed) {
  return new Coins(hmacBytes(seed, joined([label, fingerprint].map(utf8))));
}

/**
 * Return the seed that is kept for this version of the survey, or else `fresh`, which is kept now.
 * @param {import("./state.js").Transaction} transaction @param {Survey} survey @param {CryptoKey} fresh
 * @returns {Promise<CryptoKey>}
 */
export async function keepSeed(transaction, { fingerprint, id: surveyId }, fresh) {
  const kept = await transaction.get("draws", fingerprint);
  if (kept === undefined) await transaction.put("draws", { fingerprint, surveyId, seed: fresh });
  return kept?.seed ?? fresh;
}
