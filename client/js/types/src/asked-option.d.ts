/** @typedef {import("./coins.js").Coins} Coins */
/** One option that is asked, and a yes or a no to it alone. */
export class AskedOption {
    static readMore: typeof BitFlips.readMore;
    /** @param {string} name @param {number} nValues @param {import("./mechanisms.js").Parameters} published */
    constructor(name: string, nValues: number, published: import("./mechanisms.js").Parameters);
    name: string;
    nValues: number;
    published: import("./mechanisms.js").Parameters;
    coin: BinaryResponse;
    epsilon: bigint;
    epsilonForever: bigint;
    get isSet(): boolean;
    /** @param {Coins} coins @returns {Promise<Uint8Array>} the option that this device is asked */
    drawGroup(coins: Coins): Promise<Uint8Array>;
    /** @param {any} answer of 0 and 1 @param {Uint8Array} group @param {Coins} coins @returns {Promise<Uint8Array>} */
    respond(answer: any, group: Uint8Array, coins: Coins): Promise<Uint8Array>;
    /** @param {Uint8Array} permanent @param {Coins} _coins @returns {Promise<Uint8Array>} */
    report(permanent: Uint8Array, _coins: Coins): Promise<Uint8Array>;
    /** @param {Uint8Array} report @returns {[number, boolean]} */
    toWire(report: Uint8Array): [number, boolean];
    /** @returns {Uint8Array} a report that no other one is longer than as JSON */
    get longest(): Uint8Array;
    /** @param {Uint8Array} report @returns {{asked: number, yes: boolean}} */
    said(report: Uint8Array): {
        asked: number;
        yes: boolean;
    };
    #private;
}
export type Coins = import("./coins.js").Coins;
import { BinaryResponse } from "./bits.js";
import { BitFlips } from "./bits.js";
