/**
 * Text: a noisy bit per bit of a Bloom filter, in the device's cohort; and, where strings are unknown, of the filters
 * of two n-grams. A response is the cohort (2 bytes), the pair's number (a byte, with n-grams), then every filter.
 */
export class BloomResponse extends BitMechanism {
    /** Take what no other mechanism publishes: the shape of its filters. */
    static readMore(fields: import("./documents.js").Fields): {
        gram_length?: number | undefined;
        max_length?: number | undefined;
        n_bits: number;
        n_hashes: number;
        n_cohorts: number;
    };
    design: {
        nBits: number;
        nHashes: any;
    };
    nCohorts: any;
    maxLength: any;
    gramLength: any;
    pairs: number[][];
    nBlocks: number;
    groupBytes: number;
    /** @returns {Promise<Uint8Array>} */
    respond(answer: string, group: Uint8Array, coins: Coins): Promise<Uint8Array>;
    toWire(report: Uint8Array): (string | number)[];
    said(report: Uint8Array): {
        cohort: number;
        bits: number[];
        positions: number[];
        gramBits: number[][];
    } | {
        cohort: number;
        bits: number[];
        positions?: undefined;
        gramBits?: undefined;
    };
    #private;
}
export type Coins = import("./coins.js").Coins;
import { BitMechanism } from "./bits.js";
