/** @typedef {import("./coins.js").Coins} Coins */
/** Some options that are asked, and a yes or a no to each of them alone. */
export class AskedOption {
    static readMore(fields: import("./documents.js").Fields, nOptions: number): {
        asked: number;
        max_selected: number;
    } | {
        asked?: undefined;
        max_selected: number;
    };
    /** @param {string} name @param {number} nValues @param {import("./mechanisms.js").Parameters} published */
    constructor(name: string, nValues: number, published: import("./mechanisms.js").Parameters);
    name: string;
    nValues: number;
    published: import("./mechanisms.js").Parameters;
    asked: any;
    coin: BitFlips;
    epsilon: bigint;
    epsilonForever: bigint;
    get isSet(): boolean;
    /** @param {Coins} coins @returns {Promise<Uint8Array>} the options that this device is asked */
    drawGroup(coins: Coins): Promise<Uint8Array>;
    /** @param {any} answer of 0 and 1 @param {Uint8Array} group @param {Coins} coins @returns {Promise<Uint8Array>} */
    respond(answer: any, group: Uint8Array, coins: Coins): Promise<Uint8Array>;
    /** @param {Uint8Array} permanent @param {Coins} _coins @returns {Promise<Uint8Array>} */
    report(permanent: Uint8Array, _coins: Coins): Promise<Uint8Array>;
    /** @param {Uint8Array} report @returns {(number | boolean)[]} each option, and behind it whether the report says yes */
    toWire(report: Uint8Array): (number | boolean)[];
    /** @returns {Uint8Array} a report that no other one is longer than as JSON */
    get longest(): Uint8Array;
    /** @param {Uint8Array} report @returns {{asked: number | number[], yes: boolean | number[]}} of several those with a yes */
    said(report: Uint8Array): {
        asked: number | number[];
        yes: boolean | number[];
    };
    #private;
}
export type Coins = import("./coins.js").Coins;
import { BitFlips } from "./bits.js";
