/** One-of: k-ary randomized response (Kairouz, Oh & Viswanath 2014), also called generalised or direct. */

import { COIN_SCALE } from "./coins.js";
import { NumberResponse, likelier, lossOfAlike } from "./sets.js";

/**
 * k-ary randomized response: the truth with one probability, any other option with the rest. With a second stage what
 * was drawn is kept, and goes through k-ary response again in every report (L-GRR, Arcolezi et al. 2022).
 */
export class KaryResponse extends NumberResponse {
  /** @param {string} name @param {number} nValues @param {import("./mechanisms.js").Parameters} published */
  constructor(name, nValues, published) {
    super(name, nValues, published, nValues - 1, 1);
    /** @type {number | undefined} */
    this.ifKept = published.report_if_true;
    if (this.ifKept !== undefined) likelier("report_if_true", this.ifKept, nValues - 1, 1);
  }

  get hasTwoStages() {
    return this.ifKept !== undefined;
  }

  get epsilon() {
    return this.#lossOf(1);
  }

  /**
   * What so many reports of one answer take together, of which one takes `once` as it is declared. They do not add up
   * over two stages: the exact loss is that of reports that are all the same option.
   */
  epsilonOf(/** @type {number} */ nReports, /** @type {bigint} */ once) {
    if (this.ifKept === undefined || nReports < 2) return BigInt(nReports) * once;
    const together = this.#lossOf(nReports);
    return together > once ? together : once;
  }

  #lossOf(/** @type {number} */ nReports) {
    if (this.ifKept === undefined) return this.epsilonForever;
    return lossOfAlike(this.ifTrue, this.ifKept, nReports, this.nValues - 1);
  }

  /** @param {any} answer @param {Uint8Array} _group @param {import("./coins.js").Coins} coins @returns {Promise<Uint8Array>} */
  async respond(answer, _group, coins) {
    return this.#draw(answer, this.ifTrue, coins);
  }

  /** @param {Uint8Array} permanent @param {import("./coins.js").Coins} coins */
  async report(permanent, coins) {
    return this.ifKept === undefined ? permanent : this.#draw(this.toWire(permanent), this.ifKept, coins);
  }

  /** @param {number} option @param {number} threshold @param {import("./coins.js").Coins} coins */
  async #draw(option, threshold, coins) {
    const [isTruth] = await coins.flip(threshold, 1);
    const [other] = await coins.uniform(this.nValues - 1, 1);
    return this.pack(isTruth ? option : other + (other >= option ? 1 : 0));
  }

  /** @param {Uint8Array} report @returns {number[]} the values that it supports */
  said(report) {
    return [this.toWire(report)];
  }
}
