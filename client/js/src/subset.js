/** One-of: subset selection (Ye & Barg 2017): a set of so many options, which the true one is in most often. */

import { onesOf } from "./bits.js";
import { base64, packBits, unpackBits } from "./bytes.js";
import { drawSet } from "./drawn-sets.js";
import { SetResponse } from "./sets.js";

/** Subset selection: `weight` different options, with the true one among them or without. */
export class SubsetResponse extends SetResponse {
  /** @param {string} name @param {number} nValues @param {import("./mechanisms.js").Parameters} published */
  constructor(name, nValues, published) {
    super(name, nValues, published, nValues - published.weight, published.weight);
    this.weight = published.weight;
  }

  /** What is published beside the threshold. */
  static readMore(/** @type {import("./documents.js").Fields} */ fields, /** @type {number} */ nOptions) {
    return { weight: fields.integer("weight", 1, Math.max(1, Math.floor(nOptions / 2))) };
  }

  /** @param {any} answer @param {Uint8Array} _group @param {import("./coins.js").Coins} coins @returns {Promise<Uint8Array>} */
  async respond(answer, _group, coins) {
    const nOthers = this.nValues - 1;
    const [isTruth] = await coins.flip(this.ifTrue, 1);
    const bits = new Uint8Array(this.nValues);
    bits.set(await drawSet(this.weight, nOthers, this.nValues, coins));
    const [replaced] = await coins.uniform(this.weight, 1); // always: how much is drawn says nothing of the coin
    bits[onesOf(bits)[replaced]] = 1 - isTruth;
    bits[nOthers] = bits[answer]; // the others are 0, 1, .. with the last one in the place of the true one
    bits[answer] = isTruth;
    return packBits(bits);
  }

  /** @param {Uint8Array} report @returns {any} */
  toWire(report) {
    return base64(report);
  }

  /** @returns {Uint8Array} a report that no other one is longer than as JSON */
  get longest() {
    return new Uint8Array(Math.ceil(this.nValues / 8));
  }

  /** @param {Uint8Array} report @returns {number[]} the values that it supports */
  said(report) {
    return onesOf(unpackBits(report, this.nValues));
  }
}
