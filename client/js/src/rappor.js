/**
 * RAPPOR for strings: a Bloom filter of the answer, in the device's cohort, through both stages of coins (Erlingsson,
 * Pihur & Korolova 2014; n-grams: Fanti, Pihur & Erlingsson 2015).
 */

import { BitMechanism, check, flipAround, onesOf, replaceBits } from "./bits.js";
import { bloomBits } from "./bloom.js";
import { base64, bigEndian, concat, packBits, unpackBits, utf8 } from "./bytes.js";

/** @typedef {import("./coins.js").Coins} Coins */

const MAX_COUNTS = 2 ** 18;
const COHORT_BYTES = 2;
const PADDING = "\0"; // fills a short text up to the length that is cut into n-grams

/**
 * Text: a noisy bit per bit of a Bloom filter, in the device's cohort; and, where strings are unknown, of the filters
 * of two n-grams. A response is the cohort (2 bytes), the pair's number (a byte, with n-grams), then every filter.
 */
export class BloomResponse extends BitMechanism {
  /** Take what no other mechanism publishes: the shape of its filters. */
  static readMore(/** @type {import("./documents.js").Fields} */ fields) {
    return {
      n_bits: fields.integer("n_bits", 2, 4096),
      n_hashes: fields.integer("n_hashes", 1, 8),
      n_cohorts: fields.integer("n_cohorts", 1, 1024),
      ...((fields.has("max_length") || fields.has("gram_length")) && {
        gram_length: fields.integer("gram_length", 1, 4),
        max_length: fields.integer("max_length", 2, 64),
      }),
    };
  }

  /** @param {string} name @param {number} nValues @param {import("./mechanisms.js").Parameters} published */
  constructor(name, nValues, published) {
    super(name, nValues, published);
    const {
      n_hashes: nHashes,
      n_cohorts: nCohorts,
      max_length: maxLength = 0,
      gram_length: gramLength = 1,
    } = published;
    check(nHashes <= nValues, `n_hashes must be at most n_bits (${nValues}).`);
    check(nValues * nCohorts <= MAX_COUNTS, `n_bits * n_cohorts must be at most ${MAX_COUNTS}.`);
    const isCut =
      maxLength % gramLength === 0 && maxLength <= 16 * gramLength && (!maxLength || maxLength >= 2 * gramLength);
    check(isCut, "max_length must be 2 to 16 times gram_length.");
    this.design = { nBits: nValues, nHashes };
    this.nCohorts = nCohorts;
    this.maxLength = maxLength;
    this.gramLength = gramLength;
    this.pairs = pairsOf(maxLength / gramLength);
    this.nBlocks = maxLength ? 3 : 1;
    this.groupBytes = COHORT_BYTES + (maxLength ? 1 : 0);
  }

  get differences() {
    const most = Math.min(this.design.nHashes, this.nValues - 1);
    return [this.nBlocks * most, this.nBlocks * Math.min(most, this.nValues - most)];
  }

  async drawGroup(/** @type {Coins} */ coins) {
    const cohort = bigEndian((await coins.uniform(this.nCohorts, 1))[0], COHORT_BYTES);
    return this.maxLength ? concat(cohort, await coins.uniform(this.pairs.length, 1)) : cohort;
  }

  /** @returns {Promise<Uint8Array>} */
  async respond(/** @type {string} */ answer, /** @type {Uint8Array} */ group, /** @type {Coins} */ coins) {
    const bits = await flipAround(await this.#trueBits(answer, group), this.nBlocks * this.nValues, this, coins);
    return this.#join(group, bits);
  }

  async report(/** @type {Uint8Array} */ permanent, /** @type {Coins} */ coins) {
    if (!this.hasTwoStages) return permanent;
    const bits = concat(...this.#blocks(permanent).map((block) => unpackBits(block, this.nValues)));
    return this.#join(permanent.slice(0, this.groupBytes), await replaceBits(bits, this.ifOne, this.ifZero, coins));
  }

  toWire(/** @type {Uint8Array} */ report) {
    const pair = this.maxLength ? [report[COHORT_BYTES]] : [];
    return [256 * report[0] + report[1], ...pair, ...this.#blocks(report).map(base64)];
  }

  get longest() {
    const group = concat(bigEndian(this.nCohorts - 1, COHORT_BYTES), this.maxLength ? [this.pairs.length - 1] : []);
    return this.#join(group, new Uint8Array(this.nBlocks * this.nValues));
  }

  said(/** @type {Uint8Array} */ report) {
    const [bits, ...gramBits] = this.#blocks(report).map((block) => onesOf(unpackBits(block, this.nValues)));
    const cohort = 256 * report[0] + report[1];
    return this.maxLength ? { cohort, bits, positions: this.pairs[report[COHORT_BYTES]], gramBits } : { cohort, bits };
  }

  /** The numbers of all true bits, in the blocks' order. */
  async #trueBits(/** @type {string} */ answer, /** @type {Uint8Array} */ group) {
    const cohort = 256 * group[0] + group[1];
    const bits = await bloomBits(this.design, cohort, utf8(answer));
    if (!this.maxLength) return bits;
    const padded = [...answer, ...PADDING.repeat(this.maxLength)].slice(0, this.maxLength);
    for (const [index, position] of this.pairs[group[COHORT_BYTES]].entries()) {
      const gram = padded.slice((position - 1) * this.gramLength, position * this.gramLength).join("");
      const ofGram = await bloomBits(this.design, cohort, utf8(gram), position);
      bits.push(...ofGram.map((bit) => (index + 1) * this.nValues + bit));
    }
    return bits;
  }

  #join(/** @type {Uint8Array} */ group, /** @type {Uint8Array} */ bits) {
    const starts = Array.from({ length: this.nBlocks }, (_, block) => block * this.nValues);
    return concat(group, ...starts.map((start) => packBits(bits.slice(start, start + this.nValues))));
  }

  #blocks(/** @type {Uint8Array} */ packed) {
    const width = Math.ceil(this.nValues / 8);
    const starts = Array.from({ length: this.nBlocks }, (_, block) => this.groupBytes + block * width);
    return starts.map((start) => packed.slice(start, start + width));
  }
}

function pairsOf(/** @type {number} */ nPositions) {
  const pairs = [];
  for (let first = 1; first < nPositions; first += 1) {
    for (let second = first + 1; second <= nPositions; second += 1) pairs.push([first, second]);
  }
  return pairs;
}
