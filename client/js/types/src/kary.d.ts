/** k-ary randomized response: the truth with one probability, any other option with the rest. */
export class KaryResponse {
    /** @param {string} name @param {number} nValues @param {import("./mechanisms.js").Parameters} published */
    constructor(name: string, nValues: number, { threshold_if_true: threshold }: import("./mechanisms.js").Parameters);
    name: string;
    nValues: number;
    threshold: number;
    epsilon: bigint;
    epsilonForever: bigint;
    drawGroup(): Promise<Uint8Array<ArrayBuffer>>;
    /** @param {any} answer @param {Uint8Array} _group @param {import("./coins.js").Coins} coins */
    respond(answer: any, _group: Uint8Array, coins: import("./coins.js").Coins): Promise<Uint8Array<ArrayBufferLike>>;
    /** @param {Uint8Array} permanent */
    report(permanent: Uint8Array): Promise<Uint8Array<ArrayBufferLike>>;
    /** @param {Uint8Array} report */
    toWire(report: Uint8Array): number;
    /** @returns {Uint8Array} a report that no other one is longer than as JSON */
    get longest(): Uint8Array;
    /** @param {Uint8Array} report @returns {number[]} the values that it supports */
    said(report: Uint8Array): number[];
}
