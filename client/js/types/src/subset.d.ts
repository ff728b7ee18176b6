/** Subset selection: `weight` different options, with the true one among them or without. */
export class SubsetResponse extends SetResponse {
    /** What is published beside the threshold. */
    static readMore(fields: import("./documents.js").Fields, nOptions: number): {
        weight: number;
    };
    /** @param {string} name @param {number} nValues @param {import("./mechanisms.js").Parameters} published */
    constructor(name: string, nValues: number, published: import("./mechanisms.js").Parameters);
    weight: any;
    /** @param {any} answer @param {Uint8Array} _group @param {import("./coins.js").Coins} coins @returns {Promise<Uint8Array>} */
    respond(answer: any, _group: Uint8Array, coins: import("./coins.js").Coins): Promise<Uint8Array>;
    /** @param {Uint8Array} report @returns {any} */
    toWire(report: Uint8Array): any;
    /** @returns {Uint8Array} a report that no other one is longer than as JSON */
    get longest(): Uint8Array;
    /** @param {Uint8Array} report @returns {number[]} the values that it supports */
    said(report: Uint8Array): number[];
}
import { SetResponse } from "./sets.js";
