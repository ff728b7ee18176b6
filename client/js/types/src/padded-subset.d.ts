/** A set of `weight` of the options and as many blanks as may be selected; a report has a bit for each of them. */
export class PaddedSubset extends SetResponse {
    /** What is published beside the threshold: no weight at which more than half of all sets have any of an answer. */
    static readMore(fields: import("./documents.js").Fields, nOptions: number): {
        max_selected: number;
        weight: number;
    };
    /** @param {string} name @param {number} nValues @param {import("./mechanisms.js").Parameters} published */
    constructor(name: string, nValues: number, published: import("./mechanisms.js").Parameters);
    published: import("./mechanisms.js").Parameters;
    weight: any;
    nMembers: any;
    none: bigint;
    every: bigint;
    /** @param {any} answer @param {Uint8Array} _group @param {import("./coins.js").Coins} coins @returns {Promise<Uint8Array>} */
    respond(answer: any, _group: Uint8Array, coins: import("./coins.js").Coins): Promise<Uint8Array>;
    /** @param {Uint8Array} report @returns {any} */
    toWire(report: Uint8Array): any;
    /** @returns {Uint8Array} a report that no other one is longer than as JSON */
    get longest(): Uint8Array;
    /** @param {Uint8Array} report @returns {number[]} the options that it supports */
    said(report: Uint8Array): number[];
    #private;
}
import { SetResponse } from "./sets.js";
