/** k-ary randomized response: the truth with one probability, any other option with the rest. */
export class KaryResponse extends NumberResponse {
    /** @param {string} name @param {number} nValues @param {import("./mechanisms.js").Parameters} published */
    constructor(name: string, nValues: number, published: import("./mechanisms.js").Parameters);
    /** @param {any} answer @param {Uint8Array} _group @param {import("./coins.js").Coins} coins */
    respond(answer: any, _group: Uint8Array, coins: import("./coins.js").Coins): Promise<Uint8Array<ArrayBufferLike>>;
    /** @param {Uint8Array} report @returns {number[]} the values that it supports */
    said(report: Uint8Array): number[];
}
import { NumberResponse } from "./sets.js";
