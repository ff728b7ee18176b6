/** @typedef {[first: number, last: number, inside: number, outside: number, worth: number]} Segment */
/** An output for each segment of the levels: likelier at these than at all others, by what is published. */
export class SegmentsResponse extends LevelResponse {
    /** It has no threshold. */
    static hasTable: boolean;
    /** Take what is published. */
    static readMore(fields: import("./documents.js").Fields): {
        levels: number;
        outputs: any[];
    };
    /** @param {string} name @param {number} nOptions @param {import("./mechanisms.js").Parameters} published */
    constructor(name: string, nOptions: number, { levels, outputs }: import("./mechanisms.js").Parameters);
    levels: any;
    /** @type {Segment[]} */
    segments: Segment[];
    /** @param {number} nReports @param {bigint} once @returns {bigint} what so many reports of one answer take together */
    epsilonOf(nReports: number, once: bigint): bigint;
    /** @param {any} level @param {Uint8Array} _group @param {import("./coins.js").Coins} coins @returns {Promise<Uint8Array>} */
    respond(level: any, _group: Uint8Array, coins: import("./coins.js").Coins): Promise<Uint8Array>;
}
export type Segment = [first: number, last: number, inside: number, outside: number, worth: number];
import { LevelResponse } from "./levels.js";
