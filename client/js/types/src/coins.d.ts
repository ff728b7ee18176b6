export function osBytes(nBytes: number): Promise<Uint8Array>;
/** @param {number} most @returns {number} drawn uniformly from [0, most): of times, not of answers */
export function drawUpTo(most: number): number;
/**
 * Return a source that hands out given bytes from their start: for test vectors, which every language's client shares.
 * @param {Uint8Array} bytes @returns {Take}
 */
export function givenBytes(bytes: Uint8Array): Take;
/**
 * Return a key that signs, and that no script can read back.
 * @param {Uint8Array} secret 32 bytes @returns {Promise<CryptoKey>}
 */
export function importSecret(secret: Uint8Array): Promise<CryptoKey>;
/** @param {CryptoKey} key @param {Uint8Array} message @returns {Promise<Uint8Array>} 32 bytes */
export function hmac(key: CryptoKey, message: Uint8Array): Promise<Uint8Array>;
/**
 * Return a source of HMAC-SHA256(key, context || block number) bytes: the same inputs give the same bytes.
 *
 * Block numbers are 8 bytes, big-endian, from 0; what a call leaves of a block is handed out by the next: the counter
 * mode of NIST SP 800-108 without its optional fields.
 * @param {CryptoKey} key @param {Uint8Array} context @returns {Take}
 */
export function hmacBytes(key: CryptoKey, context: Uint8Array): Take;
/** A threshold t stands for the probability t / COIN_SCALE. */
export const COIN_SCALE: number;
/** @typedef {(nBytes: number) => Promise<Uint8Array>} Take so many fresh, independent, uniform bytes */
/** Ascending fractions in (0, 1], of `whole`, that cut [0, 1) into pieces for `Coins.place`. */
export class Edges {
    /** @param {bigint[]} numerators @param {bigint} whole */
    constructor(numerators: bigint[], whole: bigint);
    whole: bigint;
    rests: bigint[];
    firsts: number[];
}
export class Coins {
    /** @param {Take} take */
    constructor(take: Take);
    take: Take;
    /**
     * Flip coins that are heads with probability threshold / 2^32, exactly; threshold in [1, 2^32 - 1].
     * @param {number} threshold @param {number} nCoins @returns {Promise<Uint8Array>} of 0 and 1
     */
    flip(threshold: number, nCoins: number): Promise<Uint8Array>;
    /**
     * Draw integers uniform on [0, nValues), exactly, by rejection (Lemire 2019); nValues in [1, 2^32 - 1]. The rejected are
     * drawn again, in order, after the batch.
     * @param {number} nValues @param {number} nDraws @returns {Promise<number[]>}
     */
    uniform(nValues: number, nDraws: number): Promise<number[]>;
    /**
     * Draw an outcome by a uniform 32-bit integer, of four bytes whatever is drawn: the first up to which weights sum above it.
     * @param {number[]} weights which add up to 2^32 @returns {Promise<number>}
     */
    choose(weights: number[]): Promise<number>;
    /**
     * Draw a number uniform on [0, 1), and return how many edges it is not below, exactly: 32 bits at a time, and more of
     * them while it begins as an edge does.
     * @param {Edges} edges @returns {Promise<number>}
     */
    place({ firsts, rests, whole }: Edges): Promise<number>;
    /**
     * Draw different integers in [0, nValues), in order: each by `uniform` on one value less than before (Fisher & Yates).
     * @param {number} nValues @param {number} nDifferent @returns {Promise<number[]>}
     */
    different(nValues: number, nDifferent: number): Promise<number[]>;
    #private;
}
/**
 * so many fresh, independent, uniform bytes
 */
export type Take = (nBytes: number) => Promise<Uint8Array>;
