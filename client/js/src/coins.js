/**
 * Exact coins: the only way to randomness. A probability is an integer threshold out of 2^32, and a coin is heads when a
 * uniform 32-bit integer is below it; compared lazily, one byte decides 255 coins of 256, and a tie draws the next.
 * The order in which bytes are consumed is part of the protocol: all first bytes of a batch, then the second bytes of
 * the coins that are still tied, in order, and so on (docs/maths-coins.md of the project).
 */

import { bigEndian, concat } from "./bytes.js";

/** A threshold t stands for the probability t / COIN_SCALE. */
export const COIN_SCALE = 2 ** 32;

/** @typedef {(nBytes: number) => Promise<Uint8Array>} Take so many fresh, independent, uniform bytes */

/** Ascending fractions in (0, 1], of `whole`, that cut [0, 1) into pieces for `Coins.place`. */
export class Edges {
  /** @param {bigint[]} numerators @param {bigint} whole */
  constructor(numerators, whole) {
    const scaled = numerators.map((numerator) => numerator * BigInt(COIN_SCALE));
    this.whole = whole;
    this.rests = scaled.map((number) => number % whole);
    this.firsts = scaled.map((number) => Number(number / whole)); // the first 32 bits of each
  }
}

export class Coins {
  /** @param {Take} take */
  constructor(take) {
    this.take = take;
  }

  /**
   * Flip coins that are heads with probability threshold / 2^32, exactly; threshold in [1, 2^32 - 1].
   * @param {number} threshold @param {number} nCoins @returns {Promise<Uint8Array>} of 0 and 1
   */
  async flip(threshold, nCoins) {
    const [first, rest] = [threshold >>> 24, threshold & 0xffffff];
    const drawn = await this.#draw(nCoins);
    const heads = drawn.map((byte) => (byte < first ? 1 : 0));
    const tied = rest === 0 ? [] : [...drawn.keys()].filter((index) => drawn[index] === first);
    if (tied.length > 0) {
      const settled = await this.flip((rest << 8) >>> 0, tied.length);
      tied.forEach((index, at) => (heads[index] = settled[at]));
    }
    return heads;
  }

  /**
   * Draw integers uniform on [0, nValues), exactly, by rejection (Lemire 2019); nValues in [1, 2^32 - 1]. The rejected are
   * drawn again, in order, after the batch.
   * @param {number} nValues @param {number} nDraws @returns {Promise<number[]>}
   */
  async uniform(nValues, nDraws) {
    const nBytes = nValues <= 256 ? 2 : 4;
    const scale = 2 ** (8 * nBytes);
    const drawn = await this.#draw(nBytes * nDraws);
    const wide = Array.from({ length: nDraws }, (_, index) => {
      const bytes = drawn.subarray(nBytes * index, nBytes * (index + 1));
      const value = bytes.reduce((value, byte) => 256 * value + byte, 0);
      // The product in two parts, each below 2^49: a number holds no more than 53 bits.
      const upper = Math.floor(value / 65536) * nValues;
      return [Math.floor(upper / 65536), (upper % 65536) * 65536 + (value % 65536) * nValues];
    });
    const values = wide.map(([upper, lower]) => upper + Math.floor(lower / scale));
    const rejected = [...wide.keys()].filter((index) => wide[index][1] % scale < scale % nValues);
    if (rejected.length > 0) {
      const again = await this.uniform(nValues, rejected.length);
      rejected.forEach((index, at) => (values[index] = again[at]));
    }
    return values;
  }

  /**
   * Draw an outcome by a uniform 32-bit integer, of four bytes whatever is drawn: the first up to which weights sum above it.
   * @param {number[]} weights which add up to 2^32 @returns {Promise<number>}
   */
  async choose(weights) {
    const drawn = (await this.#draw(4)).reduce((value, byte) => 256 * value + byte, 0);
    let sum = 0;
    return weights.findIndex((weight) => (sum += weight) > drawn);
  }

  /**
   * Draw a number uniform on [0, 1), and return how many edges it is not below, exactly: 32 bits at a time, and more of
   * them while it begins as an edge does.
   * @param {Edges} edges @returns {Promise<number>}
   */
  async place({ firsts, rests, whole }) {
    const drawn = new DataView((await this.#draw(4)).slice().buffer).getUint32(0);
    const isBelow = firsts.map((first, edge) => first < drawn || (first === drawn && rests[edge] === 0n));
    const tied = rests.filter((rest, edge) => firsts[edge] === drawn && rest > 0n);
    const nBelow = isBelow.filter(Boolean).length;
    return tied.length > 0 ? nBelow + (await this.place(new Edges(tied, whole))) : nBelow;
  }

  /**
   * Draw different integers in [0, nValues), in order: each by `uniform` on one value less than before (Fisher & Yates).
   * @param {number} nValues @param {number} nDifferent @returns {Promise<number[]>}
   */
  async different(nValues, nDifferent) {
    const left = Array.from({ length: nValues }, (_, value) => value);
    for (let place = 0; place < Math.min(nDifferent, nValues - 1); place += 1) {
      const [step] = await this.uniform(nValues - place, 1);
      [left[place], left[place + step]] = [left[place + step], left[place]];
    }
    return left.slice(0, nDifferent);
  }

  async #draw(/** @type {number} */ nBytes) {
    const drawn = await this.take(nBytes);
    if (drawn.length !== nBytes)
      throw new Error(`a source of coins gave ${drawn.length} bytes where ${nBytes} were asked for.`);
    return drawn;
  }
}

/** The device's own source: nobody can foresee it, nobody can repeat it. @type {Take} */
export async function osBytes(nBytes) {
  return crypto.getRandomValues(new Uint8Array(nBytes));
}

/** @param {number} most @returns {number} drawn uniformly from [0, most): of times, not of answers */
export function drawUpTo(most) {
  return (crypto.getRandomValues(new Uint32Array(1))[0] / COIN_SCALE) * most;
}

/**
 * Return a source that hands out given bytes from their start: for test vectors, which every language's client shares.
 * @param {Uint8Array} bytes @returns {Take}
 */
export function givenBytes(bytes) {
  let position = 0;
  return async (nBytes) => {
    if (position + nBytes > bytes.length)
      throw new RangeError(`given bytes (${bytes.length}) must be at least ${position + nBytes}.`);
    position += nBytes;
    return bytes.slice(position - nBytes, position);
  };
}

/**
 * Return a key that signs, and that no script can read back.
 * @param {Uint8Array} secret 32 bytes @returns {Promise<CryptoKey>}
 */
export function importSecret(secret) {
  return crypto.subtle.importKey(
    "raw",
    /** @type {BufferSource} */ (secret),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["sign"],
  );
}

/** @param {CryptoKey} key @param {Uint8Array} message @returns {Promise<Uint8Array>} 32 bytes */
export async function hmac(key, message) {
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, /** @type {BufferSource} */ (message)));
}

/**
 * Return a source of HMAC-SHA256(key, context || block number) bytes: the same inputs give the same bytes.
 *
 * Block numbers are 8 bytes, big-endian, from 0; what a call leaves of a block is handed out by the next: the counter
 * mode of NIST SP 800-108 without its optional fields.
 * @param {CryptoKey} key @param {Uint8Array} context @returns {Take}
 */
export function hmacBytes(key, context) {
  /** @type {Uint8Array} */
  let leftOver = new Uint8Array(0);
  let block = 0;
  return async (nBytes) => {
    while (leftOver.length < nBytes) {
      leftOver = concat(leftOver, await hmac(key, concat(context, bigEndian(block, 8))));
      block += 1;
    }
    const drawn = leftOver.slice(0, nBytes);
    leftOver = leftOver.slice(nBytes);
    return drawn;
  };
}
