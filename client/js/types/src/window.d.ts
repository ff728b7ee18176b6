/** A window: with one probability an output of the level's own, else one of the others; a second stage of one bit. */
export class WindowResponse extends LevelResponse {
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
    levels: any;
    width: any;
    repeats: any;
    /** What one report takes, in units of 1e-12 nats. */
    get hasTwoStages(): boolean;
    /** What so many reports of one answer take together, of which one takes `once`: see `KaryResponse`. */
    epsilonOf(nReports: number, once: bigint): bigint;
    /** @param {any} level @param {Uint8Array} _group @param {import("./coins.js").Coins} coins @returns {Promise<Uint8Array>} */
    respond(level: any, _group: Uint8Array, coins: import("./coins.js").Coins): Promise<Uint8Array>;
}
import { LevelResponse } from "./levels.js";
