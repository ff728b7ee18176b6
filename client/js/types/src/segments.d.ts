/** @typedef {[first: number, last: number, inside: number, outside: number, worth: number]} Segment */
/** An output for each segment of the levels: likelier at these than at all others, by what is published. */
export class SegmentsResponse extends NumberResponse {
    /** It has no threshold. */
    static hasTable: boolean;
    /** Take what is published. */
    static readMore(fields: import("./documents.js").Fields): {
        levels: number;
        outputs: any[];
    };
    /** @param {string} name @param {number} nOptions @param {import("./mechanisms.js").Parameters} published */
    constructor(name: string, nOptions: number, { levels, outputs }: import("./mechanisms.js").Parameters);
    span: number;
    levels: any;
    /** @type {Segment[]} */
    segments: Segment[];
    odds: [number, number];
    /** The least, of all levels, that is for the rounded number, of 2^32; and the most. */
    ifTrue: number;
    mostIfTrue: number;
    /** How many levels an output stands for at most. */
    get width(): number;
    /** @param {number} nReports @param {bigint} once @returns {bigint} what so many reports of one answer take together */
    epsilonOf(nReports: number, once: bigint): bigint;
    /**
     * Return the level below or above a number, so that their mean is the number, exactly; by coins that say nothing of it.
     * @param {any} answer in steps @param {import("./coins.js").Coins} coins
     */
    settle(answer: any, coins: import("./coins.js").Coins): Promise<number>;
    /** @param {any} level @param {Uint8Array} _group @param {import("./coins.js").Coins} coins @returns {Promise<Uint8Array>} */
    respond(level: any, _group: Uint8Array, coins: import("./coins.js").Coins): Promise<Uint8Array>;
    /** @param {Uint8Array} report @returns {any} the output, and from which number to which it speaks for, in steps */
    said(report: Uint8Array): any;
}
export type Segment = [first: number, last: number, inside: number, outside: number, worth: number];
import { NumberResponse } from "./sets.js";
