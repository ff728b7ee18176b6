/** The client for React Native: the app gives a key-value store, and entropy where the engine has none. */

import { SurveyClient as Client } from "../src/client.js";
import { MEMORY } from "../src/state.js";
import { nameOf } from "../kept/storage.js";
import { crypto, setEntropy } from "./globals.js";

/**
 * A store of texts such as AsyncStorage or MMKV: what it was given last is there after a restart, whole.
 * @typedef {{getItem: (key: string) => string | null | undefined | Promise<string | null | undefined>,
 *   setItem: (key: string, text: string) => unknown}} KeyValueStore
 */
/**
 * @typedef {Omit<import("../src/options.js").Options, "state"> & {
 *   state: ":memory:" | KeyValueStore,
 *   stateKey?: string,
 *   getRandomValues?: (bytes: Uint8Array) => unknown,
 * }} Options `stateKey`: the key of the state in the store, "sottovoce" by default
 */

/** @template {object} [Given=import("../src/client.js").Answers] @extends {Client<Given>} */
export class SurveyClient extends Client {
  /** @param {string} url @param {string} surveyId @param {Options} options */
  constructor(url, surveyId, { state, stateKey = "sottovoce", getRandomValues, ...options }) {
    if (getRandomValues !== undefined) setEntropy(getRandomValues);
    crypto.getRandomValues(new Uint8Array(16)); // an app without entropy is told at once
    super(url, surveyId, { ...options, state: state === MEMORY ? MEMORY : nameOf(storageIn(state, stateKey)) });
  }
}

/** @type {WeakMap<object, Map<string, Promise<unknown>>>} the last write to each key, which the next read awaits */
const writing = new WeakMap();

/**
 * Return the storage that is one key of a store. It counts the versions of a text, so that two clients of one app do not
 * overwrite each other's.
 * @param {KeyValueStore} store @param {string} key @returns {import("../kept/storage.js").Storage}
 */
function storageIn(store, key) {
  if (typeof store?.getItem !== "function" || typeof store.setItem !== "function") {
    throw new TypeError('state must be ":memory:", or a store with getItem and setItem.');
  }
  const lasts = writing.get(store) ?? new Map();
  writing.set(store, lasts);
  const read = async () => {
    const kept = (await store.getItem(key)) ?? null;
    const [, version, text] = /^(\d+) ([^]*)$/.exec(kept ?? "0 ") ?? [];
    return { text: kept === null ? null : (text ?? ""), version: Number(version ?? 0) };
  };
  const write = async (/** @type {string} */ text, /** @type {number} */ version) => {
    if ((await read()).version !== version) return false;
    await store.setItem(key, `${version + 1} ${text}`);
    return true;
  };
  const inTurn = (/** @type {() => Promise<any>} */ work) => {
    const turn = (lasts.get(key) ?? Promise.resolve()).then(work);
    lasts.set(
      key,
      turn.catch(() => undefined),
    );
    return turn;
  };
  return { name: key, read: () => inTurn(read), write: (text, version) => inTurn(() => write(text, version)) };
}
