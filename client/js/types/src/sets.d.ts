/** @param {bigint[]} odds @returns {bigint} their logarithm, in units of 1e-12, rounded up */
export function epsilonOfOdds([ifTrue, ifOther]: bigint[]): bigint;
/**
 * What so many reports of one answer take, in units of 1e-12, where two stages draw one of `nOthers` + 1 values each, any
 * other one as likely: that of reports that are all the same.
 */
export function lossOfAlike(first: number, second: number, nReports: number, nOthers: number): bigint;
/** Return the odds, by a threshold, of one output that supports an answer; throw RangeError unless it is the likelier. */
export function likelier(name: string, threshold: number, nAgainst: number | bigint, nFor: number | bigint): bigint[];
/** One-of: what subset selection, projective geometry and k-ary response have in common. */
export class SetResponse {
    /**
     * @param {string} name @param {number} nValues @param {import("./mechanisms.js").Parameters} published
     * @param {number | bigint} nAgainst how many outputs do not support an answer, @param {number | bigint} nFor for so many
     * that do
     */
    constructor(name: string, nValues: number, { threshold_if_true: threshold }: import("./mechanisms.js").Parameters, nAgainst: number | bigint, nFor: number | bigint);
    name: string;
    nValues: number;
    ifTrue: any;
    epsilonForever: bigint;
    /** What one report takes, in units of 1e-12 nats; of one stage, what all reports of an answer take. */
    get epsilon(): bigint;
    /** Whether a report names a set of options, and not a yes or a no to each. */
    get isSet(): boolean;
    /** @returns {Promise<Uint8Array>} */
    drawGroup(): Promise<Uint8Array>;
    /** @param {Uint8Array} permanent @param {import("./coins.js").Coins} _coins @returns {Promise<Uint8Array>} */
    report(permanent: Uint8Array, _coins: import("./coins.js").Coins): Promise<Uint8Array>;
}
/** A set response whose report is one number. */
export class NumberResponse extends SetResponse {
    /** @returns {number} how many different reports there are */
    get nOutputs(): number;
    /** @param {number} output @returns {Uint8Array} */
    pack(output: number): Uint8Array;
    /** @param {Uint8Array} report @returns {any} */
    toWire(report: Uint8Array): any;
    /** @returns {Uint8Array} a report that no other one is longer than as JSON */
    get longest(): Uint8Array;
}
