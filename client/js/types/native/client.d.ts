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
export class SurveyClient<Given extends object = import("../src/client.js").Answers> extends Client<Given> {
    /** @param {string} url @param {string} surveyId @param {Options} options */
    constructor(url: string, surveyId: string, { state, stateKey, getRandomValues, ...options }: Options);
}
/**
 * A store of texts such as AsyncStorage or MMKV: what it was given last is there after a restart, whole.
 */
export type KeyValueStore = {
    getItem: (key: string) => string | null | undefined | Promise<string | null | undefined>;
    setItem: (key: string, text: string) => unknown;
};
/**
 * `stateKey`: the key of the state in the store, "sottovoce" by default
 */
export type Options = Omit<import("../src/options.js").Options, "state"> & {
    state: ":memory:" | KeyValueStore;
    stateKey?: string;
    getRandomValues?: (bytes: Uint8Array) => unknown;
};
import { SurveyClient as Client } from "../src/client.js";
