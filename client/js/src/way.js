/**
 * The way of a request to its collector: straight, or obliviously, through a relay that cannot read it.
 *
 * What encrypts has a file of its own, `oblivious.min.js`, that is loaded where a survey asks for it. What is to go through
 * a relay goes there, or nowhere.
 */

import { DeliveryError, SurveyRefused } from "./errors.js";
import { exchange } from "./exchange.js";
import { file } from "./late-file.js";

const MAX_REPLY_BYTES = 2 ** 16;

/** @typedef {import("./exchange.js").Reply} Reply */
/**
 * An oblivious way: the addresses of `relay` and collector (`url`), the `key` that signs the gateway's keys, and the bytes
 * of the survey's longest POST.
 * @typedef {{relay: string, key: string, url: string, nBytes: number}} Via
 */
/**
 * What that file uses of the client.
 * @typedef {{state: import("./state.js").State, timeoutMs: number, exchange: typeof exchange,
 *   DeliveryError: typeof DeliveryError, SurveyRefused: typeof SurveyRefused}} Parts
 */
/** What that file has. @typedef {{ask: (parts: Parts, via: Via, path: string, body?: string) => Promise<Reply>}} Oblivious */

/**
 * Send a survey's collector a POST, its text as it is. Throws DeliveryError if no reply comes, and SurveyRefused if the
 * gateway's keys must not be used; obliviously and without a body it only sees to these keys.
 * @param {Promise<import("./state.js").State>} state @param {number} timeoutMs
 * @param {{url: string, surveyId: string, via?: Via | null}} target @param {string} last of its path @param {string} [body]
 * @returns {Promise<Reply>}
 */
export async function post(state, timeoutMs, { url, surveyId, via }, last, body) {
  const path = `/v1/surveys/${surveyId}/${last}`;
  if (!via) return exchange(url + path, timeoutMs, MAX_REPLY_BYTES, body);
  /** @type {Oblivious} */
  const { ask } = await loadLate("oblivious");
  return ask({ state: await state, timeoutMs, exchange, DeliveryError, SurveyRefused }, via, path, body);
}

/** What blind.min.js exports. @typedef {typeof import("../blind/index.js")} Blind */

/** Load what only some surveys need. Throws DeliveryError. @param {"blind" | "oblivious"} name */
export function loadLate(name) {
  return file.load(name).catch((cause) => {
    throw new DeliveryError(`${name}.min.js cannot be loaded.`, { cause });
  });
}
