/** A window: with one probability an output of the level's own, else one of the others; a second stage of one bit. */
export class WindowResponse extends NumberResponse {
    /** Take what is published beside the threshold. */
    static readMore(fields: import("./documents.js").Fields, nOptions: number): {
        levels: number;
        width: number;
        report_if_true?: undefined;
    } | {
        levels: number;
        width: number;
        report_if_true: number;
    };
    /** @param {string} name @param {number} nOptions @param {import("./mechanisms.js").Parameters} published */
    constructor(name: string, nOptions: number, published: import("./mechanisms.js").Parameters);
    span: number;
    levels: any;
    width: any;
    repeats: any;
    /** What one report takes, in units of 1e-12 nats. */
    get hasTwoStages(): boolean;
    /** What so many reports of one answer take together, of which one takes `once`: see `KaryResponse`. */
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
import { NumberResponse } from "./sets.js";
