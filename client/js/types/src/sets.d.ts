/** One-of: what subset selection, projective geometry and k-ary response have in common. */
export class SetResponse {
    /**
     * @param {string} name @param {number} nValues @param {import("./mechanisms.js").Parameters} published
     * @param {number} nAgainst how many outputs do not support an answer, @param {number} nFor for so many that do
     */
    constructor(name: string, nValues: number, { threshold_if_true: threshold }: import("./mechanisms.js").Parameters, nAgainst: number, nFor: number);
    name: string;
    nValues: number;
    ifTrue: any;
    epsilon: bigint;
    epsilonForever: bigint;
    /** Whether a report names a set of options, and not a yes or a no to each. */
    get isSet(): boolean;
    drawGroup(): Promise<Uint8Array<ArrayBuffer>>;
    /** @param {Uint8Array} permanent */
    report(permanent: Uint8Array): Promise<Uint8Array<ArrayBufferLike>>;
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
