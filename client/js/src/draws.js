/**
 * Which questions this device was drawn for, where a survey has `draw`: once, without an answer, and for good.
 *
 * A seed of the survey's own is kept from when the device is first asked: after a report that was refused, in every wave
 * and on every page the questions are the same. It outlives the secret of the noise, of which it says nothing.
 */

import { bigEndian, concat, utf8 } from "./bytes.js";
import { Coins, hmacBytes } from "./coins.js";

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
  const parts = ["sottovoce-draw-1", survey.fingerprint].map(utf8);
  const context = concat(...parts.flatMap((part) => [bigEndian(part.length, 8), part]));
  return drawQuestions(survey.questions.length, survey.nDrawn, new Coins(hmacBytes(seed, context)));
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
