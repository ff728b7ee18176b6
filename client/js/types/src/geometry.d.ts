/** Projective geometry response: a point that is orthogonal to the answer's, or one that is not. */
export class GeometryResponse extends NumberResponse {
    /** What is published beside the threshold. */
    static readMore(fields: import("./documents.js").Fields): {
        field: number;
        dimension: number;
    };
    /** @param {string} name @param {number} nValues @param {import("./mechanisms.js").Parameters} published */
    constructor(name: string, nValues: number, published: import("./mechanisms.js").Parameters);
    field: any;
    dimension: any;
    /** @param {any} answer @param {Uint8Array} _group @param {import("./coins.js").Coins} coins @returns {Promise<Uint8Array>} */
    respond(answer: any, _group: Uint8Array, coins: import("./coins.js").Coins): Promise<Uint8Array>;
    /** @param {Uint8Array} report @returns {number[]} the values that it supports */
    said(report: Uint8Array): number[];
    #private;
}
import { NumberResponse } from "./sets.js";
