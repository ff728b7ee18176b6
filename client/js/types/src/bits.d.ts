/** Throw RangeError unless the parameters are of the shape that is needed. */
export function check(holds: boolean, problem: string): void;
/**
 * Replace every bit by a coin; both coins are drawn for each, so that their number does not depend on the bits.
 * @returns {Promise<Uint8Array>}
 */
export function replaceBits(bits: Uint8Array, ifOne: number, ifZero: number, coins: Coins): Promise<Uint8Array>;
/**
 * Flip a coin for every bit as if none were true, and replace those at the true bits; of equal ones the last stays.
 * @returns {Promise<Uint8Array>}
 */
export function flipAround(trueBits: number[], width: number, { ifTrue, ifOther }: BitMechanism, coins: Coins): Promise<Uint8Array>;
/** @returns {number[]} the numbers of the bits that are set */
export function onesOf(bits: Uint8Array): number[];
/** A coin per value: yes-no coins, unary encodings, flips; what its kinds do not share stands in the classes below. */
export class BitMechanism {
    /** @param {string} name @param {number} nValues @param {import("./mechanisms.js").Parameters} published */
    constructor(name: string, nValues: number, published: import("./mechanisms.js").Parameters);
    name: string;
    nValues: number;
    ifTrue: any;
    ifOther: any;
    ifOne: any;
    ifZero: any;
    hasTwoStages: boolean;
    published: import("./mechanisms.js").Parameters;
    get isSet(): boolean;
    get epsilon(): bigint;
    get epsilonForever(): bigint;
    /**
     * What so many reports of one answer take together, of which one takes `once` as it is declared. They do not add up
     * over two stages: the exact loss is that of reports that are all alike.
     */
    epsilonOf(nReports: number, once: bigint): bigint;
    /** The most bits, and the fewest at that, by which an answer's ones can differ from another's. @returns {number[]} */
    get differences(): number[];
    /** @param {Coins} _coins @returns {Promise<Uint8Array>} what a device draws once, whatever it answers */
    drawGroup(_coins: Coins): Promise<Uint8Array>;
    /** @param {any} answer @param {Uint8Array} _group @param {Coins} coins @returns {Promise<Uint8Array>} */
    respond(answer: any, _group: Uint8Array, coins: Coins): Promise<Uint8Array>;
    /** @param {any} answer @returns {Uint8Array} of 0 and 1 */
    trueBits(answer: any): Uint8Array;
    /** @param {Uint8Array} permanent @param {Coins} coins @returns {Promise<Uint8Array>} */
    report(permanent: Uint8Array, coins: Coins): Promise<Uint8Array>;
    /** @param {Uint8Array} report @returns {any} */
    toWire(report: Uint8Array): any;
    /** @returns {Uint8Array} a report that no other one is longer than as JSON */
    get longest(): Uint8Array;
    /** @param {Uint8Array} report @returns {any} the values that it supports */
    said(report: Uint8Array): any;
    #private;
}
/** Yes-no: one coin, whose bias depends on the answer. */
export class BinaryResponse extends BitMechanism {
    toWire(report: Uint8Array): boolean;
}
/** One-of: a bit per option, one of them true. */
export class UnaryEncoding extends BitMechanism {
    /** @returns {Promise<Uint8Array>} */
    respond(answer: number, _group: Uint8Array, coins: Coins): Promise<Uint8Array>;
}
/** Any-of: a bit per option, at most max_selected of them true. */
export class BitFlips extends BitMechanism {
    /** Take what no other mechanism of bits publishes. */
    static readMore(fields: import("./documents.js").Fields, nOptions: number): {
        max_selected: number;
    };
    get differences(): any[];
    /** @returns {Uint8Array} */
    trueBits(answer: Uint8Array): Uint8Array;
}
export type Coins = import("./coins.js").Coins;
