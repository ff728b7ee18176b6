/**
 * Set responses: a report is one of many outputs, and each answer is supported by a set of them, all as large. One coin
 * says whether a report is drawn uniformly from those that support the answer, or uniformly from all others.
 */

import { bigEndian } from "./bytes.js";
import { check } from "./bits.js";
import { COIN_SCALE } from "./coins.js";
import { logRatioAbove, sumAbove } from "./decimals.js";

/** One-of: what subset selection, projective geometry and k-ary response have in common. */
export class SetResponse {
  /**
   * @param {string} name @param {number} nValues @param {import("./mechanisms.js").Parameters} published
   * @param {number | bigint} nAgainst how many outputs do not support an answer, @param {number | bigint} nFor for so many
   * that do
   */
  constructor(name, nValues, { threshold_if_true: threshold }, nAgainst, nFor) {
    this.name = name;
    this.nValues = nValues;
    this.ifTrue = threshold;
    this.epsilonForever = epsilonOfOdds(likelier("threshold_if_true", threshold, nAgainst, nFor));
  }

  /** What one report takes, in units of 1e-12 nats; of one stage, what all reports of an answer take. */
  get epsilon() {
    return this.epsilonForever;
  }

  /** Whether a report names a set of options, and not a yes or a no to each. */
  get isSet() {
    return true;
  }

  /** @returns {Promise<Uint8Array>} */
  async drawGroup() {
    return new Uint8Array(0);
  }

  /** @param {Uint8Array} permanent @param {import("./coins.js").Coins} _coins @returns {Promise<Uint8Array>} */
  async report(permanent, _coins) {
    return permanent;
  }
}

/** @param {bigint[]} odds @returns {bigint} their logarithm, in units of 1e-12, rounded up */
export function epsilonOfOdds([ifTrue, ifOther]) {
  return sumAbove([[1, logRatioAbove(ifTrue, ifOther)]]);
}

/**
 * What so many reports of one answer take, in units of 1e-12, where two stages draw one of `nOthers` + 1 values each, any
 * other one as likely: that of reports that are all the same.
 */
export function lossOfAlike(
  /** @type {number} */ first,
  /** @type {number} */ second,
  /** @type {number} */ nReports,
  /** @type {number} */ nOthers,
) {
  const n = BigInt(nOthers);
  const [isTrue, isLie] = [BigInt(first) * n, BigInt(COIN_SCALE - first)];
  const [alike, other] = [BigInt(second) * n, BigInt(COIN_SCALE - second)].map((weight) => weight ** BigInt(nReports));
  const ifAnother = isTrue * other + isLie * (alike + (n - 1n) * other);
  return epsilonOfOdds([isTrue * alike + n * isLie * other, ifAnother]);
}

/** Return the odds, by a threshold, of one output that supports an answer; throw RangeError unless it is the likelier. */
export function likelier(
  /** @type {string} */ name,
  /** @type {number} */ threshold,
  /** @type {number | bigint} */ nAgainst,
  /** @type {number | bigint} */ nFor,
) {
  const odds = [BigInt(threshold) * BigInt(nAgainst), BigInt(COIN_SCALE - threshold) * BigInt(nFor)];
  check(odds[0] > odds[1], `${name} must be higher.`);
  return odds;
}

/** A set response whose report is one number. */
export class NumberResponse extends SetResponse {
  /** @returns {number} how many different reports there are */
  get nOutputs() {
    return this.nValues;
  }

  /** @param {number} output @returns {Uint8Array} */
  pack(output) {
    return bigEndian(output, this.nOutputs <= 256 ? 1 : 2);
  }

  /** @param {Uint8Array} report @returns {any} */
  toWire(report) {
    return report.reduce((value, byte) => 256 * value + byte, 0);
  }

  /** @returns {Uint8Array} a report that no other one is longer than as JSON */
  get longest() {
    return this.pack(this.nOutputs - 1);
  }
}
