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
export function post(state: Promise<import("./state.js").State>, timeoutMs: number, { url, surveyId, via }: {
    url: string;
    surveyId: string;
    via?: Via | null;
}, last: string, body?: string): Promise<Reply>;
/** What blind.min.js exports. @typedef {typeof import("../blind/index.js")} Blind */
/** Load what only some surveys need. Throws DeliveryError. @param {"blind" | "oblivious"} name */
export function loadLate(name: "blind" | "oblivious"): Promise<any>;
export type Reply = import("./exchange.js").Reply;
/**
 * An oblivious way: the addresses of `relay` and collector (`url`), the `key` that signs the gateway's keys, and the bytes
 * of the survey's longest POST.
 */
export type Via = {
    relay: string;
    key: string;
    url: string;
    nBytes: number;
};
/**
 * What that file uses of the client.
 */
export type Parts = {
    state: import("./state.js").State;
    timeoutMs: number;
    exchange: typeof exchange;
    DeliveryError: typeof DeliveryError;
    SurveyRefused: typeof SurveyRefused;
};
/**
 * What that file has.
 */
export type Oblivious = {
    ask: (parts: Parts, via: Via, path: string, body?: string) => Promise<Reply>;
};
/**
 * What blind.min.js exports.
 */
export type Blind = typeof import("../blind/index.js");
import { exchange } from "./exchange.js";
import { DeliveryError } from "./errors.js";
import { SurveyRefused } from "./errors.js";
