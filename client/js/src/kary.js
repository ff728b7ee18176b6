/** One-of: k-ary randomized response (Kairouz, Oh & Viswanath 2014), also called generalised or direct. */

import { NumberResponse } from "./sets.js";

/** k-ary randomized response: the truth with one probability, any other option with the rest. */
export class KaryResponse extends NumberResponse {
  /** @param {string} name @param {number} nValues @param {import("./mechanisms.js").Parameters} published */
  constructor(name, nValues, published) {
    super(name, nValues, published, nValues - 1, 1);
  }

  /** @param {any} answer @param {Uint8Array} _group @param {import("./coins.js").Coins} coins */
  async respond(answer, _group, coins) {
    const [isTruth] = await coins.flip(this.ifTrue, 1);
    const [other] = await coins.uniform(this.nValues - 1, 1);
    return this.pack(isTruth ? answer : other + (other >= answer ? 1 : 0));
  }

  /** @param {Uint8Array} report @returns {number[]} the values that it supports */
  said(report) {
    return [this.toWire(report)];
  }
}
