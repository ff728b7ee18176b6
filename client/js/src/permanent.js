/**
 * Permanent responses: the same answer to the same question gets the same noise, and no answer is stored for it. The
 * coins are HMAC-SHA256 under a secret of the survey's own. The limit: whoever has the secret and a report can try every
 * answer and see which one fits. So the secret is forgotten when the last report that needs it is delivered.
 */

import { bigEndian, concat, utf8 } from "./bytes.js";
import { Coins, hmac, hmacBytes, importSecret } from "./coins.js";

/** @typedef {import("./survey.js").Survey} Survey */
/** @typedef {import("./survey.js").Question} Question */
/** @typedef {import("./mechanisms.js").Encoded} Encoded */
/** @typedef {(Encoded | null)[]} AllEncoded every question's answer; null where this device was not drawn for it */

export const SECRET_BYTES = 32;
export const TAG_BYTES = 32;

/**
 * Return what a device takes an answer for: of a number its level, else the answer itself. All numbers, in every wave,
 * are rounded by one draw; so those of one level have the same noise.
 * @param {Question} question @param {Encoded} encoded @param {CryptoKey} key @param {string} fingerprint
 * @returns {Promise<Encoded>}
 */
export async function settle({ id, mechanism }, encoded, key, fingerprint) {
  if (!("settle" in mechanism)) return encoded;
  return mechanism.settle(encoded, new Coins(hmacBytes(key, context("sottovoce-settling-1", fingerprint, id))));
}

/**
 * Return the permanent response of one answer that is settled: the same whenever it is asked for.
 * @param {Question} question @param {Encoded} settled @param {CryptoKey} key @param {string} fingerprint
 * @returns {Promise<Uint8Array>}
 */
export async function respond(question, settled, key, fingerprint) {
  const ofDevice = new Coins(hmacBytes(key, context("sottovoce-group-1", fingerprint, question.id)));
  const ofAnswer = new Coins(hmacBytes(key, context("sottovoce-permanent-1", fingerprint, question.id, settled)));
  return question.mechanism.respond(settled, await question.mechanism.drawGroup(ofDevice), ofAnswer);
}

/**
 * Return every question's part of a report, packed, null where there is no answer; it takes `survey.epsilon` at most.
 *
 * `coinsOf` gives the coins of the instantaneous stage of one question's answer.
 * @param {Survey} survey @param {AllEncoded} encoded @param {CryptoKey} key
 * @param {(question: Question, encoded: Encoded) => Coins} coinsOf @returns {Promise<(Uint8Array | null)[]>}
 */
export function reportAnswers(survey, encoded, key, coinsOf) {
  const report = async (/** @type {Question} */ question, /** @type {number} */ index) => {
    const answer = encoded[index];
    if (answer === null) return null;
    const settled = await settle(question, answer, key, survey.fingerprint);
    const permanent = await respond(question, settled, key, survey.fingerprint);
    return question.mechanism.report(permanent, coinsOf(question, settled));
  };
  return Promise.all(survey.questions.map(report));
}

/**
 * Return the coins of a report that is drafted: of a seed that is drawn for this wave and forgotten when the report is
 * sent. So a respondent who looks at the noise, and changes an answer and changes it back, finds the same noise again:
 * nobody can draw until they like what is sent.
 * @param {Survey} survey @param {CryptoKey} seed @returns {(question: Question, encoded: Encoded) => Coins}
 */
export function draftCoins(survey, seed) {
  return ({ id }, encoded) => new Coins(hmacBytes(seed, context("sottovoce-draft-1", survey.fingerprint, id, encoded)));
}

/**
 * Return the key of the noise of one wave's report: that of the survey, unless each wave has noise of its own.
 * @param {Survey} survey @param {CryptoKey} key @param {number} wave @returns {Promise<CryptoKey>}
 */
export async function noiseKey(survey, key, wave) {
  if (survey.keepsNoise || survey.askedIn === 0) return key;
  return importSecret(
    await hmac(key, joined([utf8("sottovoce-wave-1"), utf8(survey.fingerprint), bigEndian(wave, 2)])),
  );
}

/**
 * Return what a device knows these answers by, as long as it has the secret: if noise lasts over waves, a tag of 32 bytes
 * for every question, else the permanent responses. The key is `noiseKey`'s.
 * @param {Survey} survey @param {AllEncoded} encoded @param {CryptoKey} key @returns {Promise<Uint8Array>}
 */
export async function markAnswers(survey, encoded, key) {
  const mark = async (/** @type {Question} */ question, /** @type {number} */ index) => {
    const answer = encoded[index];
    if (answer === null) return new Uint8Array(0);
    const settled = await settle(question, answer, key, survey.fingerprint);
    return survey.keepsNoise
      ? hmac(key, context("sottovoce-tag-1", survey.fingerprint, question.id, settled))
      : respond(question, settled, key, survey.fingerprint);
  };
  const marks = await Promise.all(survey.questions.map(mark)); // Babel lowers no call with `...await` in it
  return concat(...marks);
}

function context(
  /** @type {string} */ label,
  /** @type {string} */ fingerprint,
  /** @type {string} */ questionId,
  /** @type {Encoded | undefined} */ encoded = undefined,
) {
  const parts = [label, fingerprint, questionId].map(utf8);
  if (encoded !== undefined) parts.push(written(encoded));
  return joined(parts);
}

/** Each part stands behind its length in 8 big-endian bytes, so no two contexts are written alike. */
export function joined(/** @type {Uint8Array[]} */ parts) {
  return concat(...parts.flatMap((part) => [bigEndian(part.length, 8), part]));
}

/** An answer in bytes: a text in UTF-8, numbers as 16-bit big-endian integers. */
function written(/** @type {Encoded} */ encoded) {
  if (typeof encoded === "string") return utf8(encoded);
  const numbers = typeof encoded === "number" ? [encoded] : [...encoded];
  return concat(...numbers.map((number) => bigEndian(number, 2)));
}
