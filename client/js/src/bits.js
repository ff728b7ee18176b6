/**
 * Mechanisms that report one noisy bit per value: yes-no coins, unary encodings (RAPPOR's), any-of flips.
 *
 * Each bit of the true answer is replaced by a coin: heads with `threshold_if_true` where the bit is one, with
 * `threshold_if_other` where it is zero. That is RAPPOR's permanent randomized response (Erlingsson, Pihur & Korolova
 * 2014); behind it there can be an instantaneous one: in every report each permanent bit is replaced by a fresh coin.
 */

import { base64, packBits, unpackBits } from "./bytes.js";
import { COIN_SCALE } from "./coins.js";
import { logRatioAbove, sumAbove } from "./decimals.js";

/** @typedef {import("./coins.js").Coins} Coins */

const SCALE = BigInt(COIN_SCALE);
const SYMMETRIC = ["warner", "sue", "bit-flips", "asked-option", "basic-rappor", "rappor"];

/** A coin per value: yes-no coins, unary encodings, flips; what its kinds do not share stands in the classes below. */
export class BitMechanism {
  /** @param {string} name @param {number} nValues @param {import("./mechanisms.js").Parameters} published */
  constructor(name, nValues, published) {
    this.name = name;
    this.nValues = nValues;
    this.ifTrue = published.threshold_if_true;
    this.ifOther = published.threshold_if_other;
    this.ifOne = published.report_if_one ?? COIN_SCALE;
    this.ifZero = published.report_if_zero ?? 0;
    this.hasTwoStages = published.report_if_one !== undefined;
    this.published = published;
    check(this.ifOther < this.ifTrue, "threshold_if_other must be below threshold_if_true.");
    check(this.ifZero < this.ifOne, "report_if_zero must be below report_if_one.");
    const isSymmetric = this.ifTrue + this.ifOther === COIN_SCALE || !SYMMETRIC.includes(name);
    check(isSymmetric, `the thresholds of ${name} must add up to ${COIN_SCALE}.`);
    check(name !== "oue" || this.ifTrue === COIN_SCALE / 2, `threshold_if_true of oue must be ${COIN_SCALE / 2}.`);
  }

  get isSet() {
    return false;
  }

  get epsilon() {
    return this.#lossOf(1);
  }

  get epsilonForever() {
    const [ifTrue, ifOther] = [this.ifTrue, this.ifOther].map(BigInt);
    return this.#bound([ifTrue, ifOther], [SCALE - ifOther, SCALE - ifTrue]);
  }

  /**
   * What so many reports of one answer take together, of which one takes `once` as it is declared. They do not add up
   * over two stages: the exact loss is that of reports that are all alike.
   */
  epsilonOf(/** @type {number} */ nReports, /** @type {bigint} */ once) {
    if (!this.hasTwoStages || nReports < 2) return BigInt(nReports) * once;
    const together = this.#lossOf(nReports);
    return together > once ? together : once;
  }

  /** The loss of so many reports: of each bit, of those that are all alike, since no others tell more. */
  #lossOf(/** @type {number} */ nReports) {
    const all = (/** @type {number} */ permanent, /** @type {number} */ ifOne, /** @type {number} */ ifZero) =>
      BigInt(permanent) * BigInt(ifOne) ** BigInt(nReports) +
      (SCALE - BigInt(permanent)) * BigInt(ifZero) ** BigInt(nReports);
    const zeros = [COIN_SCALE - this.ifOne, COIN_SCALE - this.ifZero];
    return this.#bound(
      [this.ifTrue, this.ifOther].map((permanent) => all(permanent, this.ifOne, this.ifZero)),
      [this.ifOther, this.ifTrue].map((permanent) => all(permanent, zeros[0], zeros[1])),
    );
  }

  /** The largest log-ratio of two answers' bits, of those of a bit: coins are independent, so bits add up. */
  #bound(/** @type {bigint[]} */ ofLost, /** @type {bigint[]} */ ofGained) {
    const perLost = logRatioAbove(ofLost[0], ofLost[1]);
    const perGained = logRatioAbove(ofGained[0], ofGained[1]);
    const [most, fewest] = this.differences;
    const bounds = [
      [most, fewest],
      [fewest, most],
    ].map(([lost, gained]) =>
      sumAbove([
        [lost, perLost],
        [gained, perGained],
      ]),
    );
    return bounds[0] > bounds[1] ? bounds[0] : bounds[1];
  }

  /** The most bits, and the fewest at that, by which an answer's ones can differ from another's. @returns {number[]} */
  get differences() {
    return [1, 0];
  }

  /** @param {Coins} _coins @returns {Promise<Uint8Array>} what a device draws once, whatever it answers */
  async drawGroup(_coins) {
    return new Uint8Array(0);
  }

  /** @param {any} answer @param {Uint8Array} _group @param {Coins} coins @returns {Promise<Uint8Array>} */
  async respond(answer, _group, coins) {
    return packBits(await replaceBits(this.trueBits(answer), this.ifTrue, this.ifOther, coins));
  }

  /** @param {any} answer @returns {Uint8Array} of 0 and 1 */
  trueBits(answer) {
    return Uint8Array.of(answer);
  }

  /** @param {Uint8Array} permanent @param {Coins} coins @returns {Promise<Uint8Array>} */
  async report(permanent, coins) {
    if (!this.hasTwoStages) return permanent;
    return packBits(await replaceBits(unpackBits(permanent, this.nValues), this.ifOne, this.ifZero, coins));
  }

  /** @param {Uint8Array} report @returns {any} */
  toWire(report) {
    return base64(report);
  }

  /** @returns {Uint8Array} a report that no other one is longer than as JSON */
  get longest() {
    return new Uint8Array(Math.ceil(this.nValues / 8));
  }

  /** @param {Uint8Array} report @returns {any} the values that it supports */
  said(report) {
    return onesOf(unpackBits(report, this.nValues));
  }
}

/** Yes-no: one coin, whose bias depends on the answer. */
export class BinaryResponse extends BitMechanism {
  toWire(/** @type {Uint8Array} */ report) {
    return report[0] === 1;
  }
}

/** One-of: a bit per option, one of them true. */
export class UnaryEncoding extends BitMechanism {
  get differences() {
    return [1, 1];
  }

  /** @returns {Promise<Uint8Array>} */
  async respond(/** @type {number} */ answer, /** @type {Uint8Array} */ _group, /** @type {Coins} */ coins) {
    return packBits(await flipAround([answer], this.nValues, this, coins));
  }
}

/** Any-of: a bit per option, at most max_selected of them true. */
export class BitFlips extends BitMechanism {
  /** Take what no other mechanism of bits publishes. */
  static readMore(/** @type {import("./documents.js").Fields} */ fields, /** @type {number} */ nOptions) {
    return { max_selected: fields.integer("max_selected", 1, nOptions) };
  }

  get differences() {
    const most = this.published.max_selected;
    return [most, Math.min(most, this.nValues - most)]; // options left to gain when `most` others are lost
  }

  /** @returns {Uint8Array} */
  trueBits(/** @type {Uint8Array} */ answer) {
    return answer;
  }
}

/** Throw RangeError unless the parameters are of the shape that is needed. */
export function check(/** @type {boolean} */ holds, /** @type {string} */ problem) {
  if (!holds) throw new RangeError(problem);
}

/**
 * Replace every bit by a coin; both coins are drawn for each, so that their number does not depend on the bits.
 * @returns {Promise<Uint8Array>}
 */
export async function replaceBits(
  /** @type {Uint8Array} */ bits,
  /** @type {number} */ ifOne,
  /** @type {number} */ ifZero,
  /** @type {Coins} */ coins,
) {
  const zeros = await coins.flip(ifZero, bits.length);
  const ones = await coins.flip(ifOne, bits.length);
  return bits.map((bit, index) => (bit ? ones[index] : zeros[index]));
}

/**
 * Flip a coin for every bit as if none were true, and replace those at the true bits; of equal ones the last stays.
 * @returns {Promise<Uint8Array>}
 */
export async function flipAround(
  /** @type {number[]} */ trueBits,
  /** @type {number} */ width,
  /** @type {BitMechanism} */ { ifTrue, ifOther },
  /** @type {Coins} */ coins,
) {
  const bits = await coins.flip(ifOther, width);
  const coinsIfTrue = await coins.flip(ifTrue, trueBits.length);
  trueBits.forEach((bit, index) => (bits[bit] = coinsIfTrue[index]));
  return bits;
}

/** @returns {number[]} the numbers of the bits that are set */
export function onesOf(/** @type {Uint8Array} */ bits) {
  return [...bits.keys()].filter((index) => bits[index] === 1);
}
