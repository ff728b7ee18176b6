/** @typedef {import("./survey.js").Survey} Survey */
/**
 * Draw nDrawn of nQuestions: every set of so many is as likely, exactly (Floyd; the order of coins: docs/maths-coins.md).
 * @param {number} nQuestions @param {number} nDrawn @param {Coins} coins @returns {Promise<boolean[]>}
 */
export function drawQuestions(nQuestions: number, nDrawn: number, coins: Coins): Promise<boolean[]>;
/**
 * Return of each question whether a device answers it that keeps this seed.
 * @param {Survey} survey @param {CryptoKey} seed @returns {Promise<boolean[]>}
 */
export function drawnOf(survey: Survey, seed: CryptoKey): Promise<boolean[]>;
/**
 * Return the waves in which a device is asked that keeps this seed, ascending.
 * @param {Survey} survey @param {CryptoKey} seed @returns {Promise<number[]>}
 */
export function wavesOf(survey: Survey, seed: CryptoKey): Promise<number[]>;
/**
 * Return the seed that is kept for this version of the survey, or else `fresh`, which is kept now.
 * @param {import("./state.js").Transaction} transaction @param {Survey} survey @param {CryptoKey} fresh
 * @returns {Promise<CryptoKey>}
 */
export function keepSeed(transaction: import("./state.js").Transaction, { fingerprint, id: surveyId }: Survey, fresh: CryptoKey): Promise<CryptoKey>;
export type Survey = import("./survey.js").Survey;
import { Coins } from "./coins.js";
