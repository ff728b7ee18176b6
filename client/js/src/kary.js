/** One-of: k-ary randomized response (Kairouz, Oh & Viswanath 2014), also called generalised or direct. */

import { bigEndian } from "./bytes.js";
import { COIN_SCALE } from "./coins.js";
import { logRatioAbove, sumAbove } from "./decimals.js";

/** k-ary randomized response: the truth with one probability, any other option with the rest. */
export class KaryResponse {
  /** @param {string} name @param {number} nValues @param {import("./mechanisms.js").Parameters} published */
  constructor(name, nValues, { threshold_if_true: threshold }) {
    this.name = name;
    this.nValues = nValues;
    this.threshold = threshold;
    const isTruthLikeliest = BigInt(threshold) * BigInt(nValues) > BigInt(COIN_SCALE);
    if (!isTruthLikeliest) throw new RangeError(`threshold_if_true must be above 2**32 / ${nValues}.`);
    const others = BigInt(COIN_SCALE - threshold);
    this.epsilon = sumAbove([[1, logRatioAbove(BigInt(threshold) * BigInt(nValues - 1), others)]]);
    this.epsilonForever = this.epsilon;
  }

  async drawGroup() {
    return new Uint8Array(0);
  }

  /** @param {any} answer @param {Uint8Array} _group @param {import("./coins.js").Coins} coins */
  async respond(answer, _group, coins) {
    const [isTruth] = await coins.flip(this.threshold, 1);
    const other = await coins.uniform(this.nValues - 1);
    return bigEndian(isTruth ? answer : other + (other >= answer ? 1 : 0), this.nValues <= 256 ? 1 : 2);
  }

  /** @param {Uint8Array} permanent */
  async report(permanent) {
    return permanent;
  }

  /** @param {Uint8Array} report */
  toWire(report) {
    return report.reduce((value, byte) => 256 * value + byte, 0);
  }

  /** @returns {Uint8Array} a report that no other one is longer than as JSON */
  get longest() {
    return bigEndian(this.nValues - 1, 2);
  }

  /** @param {Uint8Array} report @returns {number[]} the values that it supports */
  said(report) {
    return [this.toWire(report)];
  }
}
