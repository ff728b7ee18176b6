/**
 * k-ary randomized response: the truth with one probability, any other option with the rest. With a second stage what
 * was drawn is kept, and goes through k-ary response again in every report (L-GRR, Arcolezi et al. 2022).
 */
export class KaryResponse extends NumberResponse {
    /** @param {string} name @param {number} nValues @param {import("./mechanisms.js").Parameters} published */
    constructor(name: string, nValues: number, published: import("./mechanisms.js").Parameters);
    /** @type {number | undefined} */
    ifKept: number | undefined;
    get hasTwoStages(): boolean;
    /**
     * What so many reports of one answer take together, of which one takes `once` as it is declared. They do not add up
     * over two stages: the exact loss is that of reports that are all the same option.
     */
    epsilonOf(nReports: number, once: bigint): bigint;
    /** @param {any} answer @param {Uint8Array} _group @param {import("./coins.js").Coins} coins @returns {Promise<Uint8Array>} */
    respond(answer: any, _group: Uint8Array, coins: import("./coins.js").Coins): Promise<Uint8Array>;
    /** @param {Uint8Array} report @returns {number[]} the values that it supports */
    said(report: Uint8Array): number[];
    #private;
}
import { NumberResponse } from "./sets.js";
