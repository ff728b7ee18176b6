/**
 * Return the bucket, in [0, nBuckets), of a string in a cohort: its number by the cohort's line, modulo PRIME.
 * @param {number} nBuckets @param {number} cohort @param {Uint8Array} text UTF-8 @returns {Promise<number>}
 */
export function bucketOf(nBuckets: number, cohort: number, text: Uint8Array): Promise<number>;
/**
 * Text: the bucket of a string, or of its first characters, in the device's cohort, by projective geometry response. A
 * response is the cohort (2 bytes), then the point.
 */
export class SketchResponse {
    /** Take what is published beside the threshold. */
    static readMore(fields: import("./documents.js").Fields): {
        prefix_lengths?: number[] | undefined;
        n_cohorts: number;
        field: number;
        dimension: number;
    };
    /** @param {string} name @param {number} _nValues @param {import("./mechanisms.js").Parameters} published */
    constructor(name: string, _nValues: number, published: import("./mechanisms.js").Parameters);
    name: string;
    nValues: number;
    geometry: GeometryResponse;
    nCohorts: any;
    prefixLengths: any;
    epsilon: bigint;
    epsilonForever: bigint;
    /** @returns {Promise<Uint8Array>} */
    drawGroup(coins: Coins): Promise<Uint8Array>;
    /** @param {any} answer @param {Uint8Array} group @param {Coins} coins @returns {Promise<Uint8Array>} */
    respond(answer: any, group: Uint8Array, coins: Coins): Promise<Uint8Array>;
    /** @returns {Promise<Uint8Array>} */
    report(permanent: Uint8Array): Promise<Uint8Array>;
    /** @param {Uint8Array} report @returns {[number, number]} */
    toWire(report: Uint8Array): [number, number];
    /** @returns {Uint8Array} */
    get longest(): Uint8Array;
    said(report: Uint8Array): {
        cohort: number;
        value: number;
    };
}
export type Coins = import("./coins.js").Coins;
import { GeometryResponse } from "./geometry.js";
