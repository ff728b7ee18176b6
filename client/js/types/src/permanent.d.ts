/**
 * Return what a device takes an answer for: of a number its level, else the answer itself. All numbers, in every wave,
 * are rounded by one draw; so those of one level have the same noise.
 * @param {Question} question @param {Encoded} encoded @param {CryptoKey} key @param {string} fingerprint
 * @returns {Promise<Encoded>}
 */
export function settle({ id, mechanism }: Question, encoded: Encoded, key: CryptoKey, fingerprint: string): Promise<Encoded>;
/**
 * Return the permanent response of one answer that is settled: the same whenever it is asked for.
 * @param {Question} question @param {Encoded} settled @param {CryptoKey} key @param {string} fingerprint
 * @returns {Promise<Uint8Array>}
 */
export function respond(question: Question, settled: Encoded, key: CryptoKey, fingerprint: string): Promise<Uint8Array>;
/**
 * Return every question's part of a report, packed, null where there is no answer; it takes `survey.epsilon` at most.
 *
 * `coinsOf` gives the coins of the instantaneous stage of one question's answer.
 * @param {Survey} survey @param {AllEncoded} encoded @param {CryptoKey} key
 * @param {(question: Question, encoded: Encoded) => Coins} coinsOf @returns {Promise<(Uint8Array | null)[]>}
 */
export function reportAnswers(survey: Survey, encoded: AllEncoded, key: CryptoKey, coinsOf: (question: Question, encoded: Encoded) => Coins): Promise<(Uint8Array | null)[]>;
/**
 * Return the coins of a report that is drafted: of a seed that is drawn for this wave and forgotten when the report is
 * sent. So a respondent who looks at the noise, and changes an answer and changes it back, finds the same noise again:
 * nobody can draw until they like what is sent.
 * @param {Survey} survey @param {CryptoKey} seed @returns {(question: Question, encoded: Encoded) => Coins}
 */
export function draftCoins(survey: Survey, seed: CryptoKey): (question: Question, encoded: Encoded) => Coins;
/**
 * Return the key of the noise of one wave's report: that of the survey, unless each wave has noise of its own.
 * @param {Survey} survey @param {CryptoKey} key @param {number} wave @returns {Promise<CryptoKey>}
 */
export function noiseKey(survey: Survey, key: CryptoKey, wave: number): Promise<CryptoKey>;
/**
 * Return what a device knows these answers by, as long as it has the secret: if noise lasts over waves, a tag of 32 bytes
 * for every question, else the permanent responses. The key is `noiseKey`'s.
 * @param {Survey} survey @param {AllEncoded} encoded @param {CryptoKey} key @returns {Promise<Uint8Array>}
 */
export function markAnswers(survey: Survey, encoded: AllEncoded, key: CryptoKey): Promise<Uint8Array>;
/** Each part stands behind its length in 8 big-endian bytes, so no two contexts are written alike. */
export function joined(parts: Uint8Array[]): Uint8Array<ArrayBufferLike>;
/** @typedef {import("./survey.js").Survey} Survey */
/** @typedef {import("./survey.js").Question} Question */
/** @typedef {import("./mechanisms.js").Encoded} Encoded */
/** @typedef {(Encoded | null)[]} AllEncoded every question's answer; null where this device was not drawn for it */
export const SECRET_BYTES: 32;
export const TAG_BYTES: 32;
export type Survey = import("./survey.js").Survey;
export type Question = import("./survey.js").Question;
export type Encoded = import("./mechanisms.js").Encoded;
/**
 * every question's answer; null where this device was not drawn for it
 */
export type AllEncoded = (Encoded | null)[];
import { Coins } from "./coins.js";
