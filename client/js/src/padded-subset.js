/**
 * Any-of: the selected options, padded with blanks to as many as may be selected, are reported as one set (PrivSet: S.
 * Wang et al. 2018). One coin says whether the set has any of the padded answer, or none.
 */

import { onesOf } from "./bits.js";
import { base64, packBits, unpackBits } from "./bytes.js";
import { COIN_SCALE, Edges } from "./coins.js";
import { drawSet } from "./drawn-sets.js";
import { SetResponse } from "./sets.js";

/** A set of `weight` of the options and as many blanks as may be selected; a report has a bit for each of them. */
export class PaddedSubset extends SetResponse {
  /** @type {Edges | undefined} */
  #edges;

  /** @param {string} name @param {number} nValues @param {import("./mechanisms.js").Parameters} published */
  constructor(name, nValues, published) {
    const { max_selected: most, weight } = published;
    const [none, every] = [nValues, nValues + most].map((n) => choose(n, weight));
    super(name, nValues, published, none, every - none);
    this.published = published;
    this.weight = weight;
    this.nMembers = nValues + most;
    this.none = none;
    this.every = every;
  }

  /** What is published beside the threshold: no weight at which more than half of all sets have any of an answer. */
  static readMore(/** @type {import("./documents.js").Fields} */ fields, /** @type {number} */ nOptions) {
    const most = fields.integer("max_selected", 1, nOptions);
    return { max_selected: most, weight: fields.integer("weight", 1, mostMembers(nOptions, most)) };
  }

  /** A report says yes or no to each option. */
  get isSet() {
    return false;
  }

  /** @param {any} answer @param {Uint8Array} _group @param {import("./coins.js").Coins} coins @returns {Promise<Uint8Array>} */
  async respond(answer, _group, coins) {
    const most = this.published.max_selected;
    const changes = Math.min(most, this.weight); // as many as there can be: how much is drawn says nothing of how many
    const nShared = ((await coins.place(this.#places())) + 1) % (changes + 1);
    const others = await drawSet(this.weight, this.nValues, this.nValues, coins);
    const out = await coins.different(this.weight, changes);
    const into = await coins.different(most, changes);
    const own = new Uint8Array(most);
    const members = onesOf(others);
    for (let change = 0; change < nShared; change += 1) {
      others[members[out[change]]] = 0;
      own[into[change]] = 1;
    }
    const nBlanks = most - onesOf(answer).length;
    const padded = [...answer, ...own.map((_, blank) => (blank < nBlanks ? 1 : 0))];
    const [ofOwn, ofOthers] = [own.values(), others.values()]; // members in ascending order
    return packBits(Uint8Array.from(padded, (isOwn) => (isOwn ? ofOwn : ofOthers).next().value ?? 0));
  }

  /** Return where a number says that a report has one member of the padded answer, two, ..; behind all: none. */
  #places() {
    if (this.#edges) return this.#edges;
    const most = this.published.max_selected;
    const edges = [];
    let sum = 0n;
    for (let shared = 1; shared <= Math.min(most, this.weight); shared += 1) {
      sum += choose(most, shared) * choose(this.nValues, this.weight - shared);
      edges.push(BigInt(this.ifTrue) * sum);
    }
    this.#edges = new Edges(edges, BigInt(COIN_SCALE) * (this.every - this.none));
    return this.#edges;
  }

  /** @param {Uint8Array} report @returns {any} */
  toWire(report) {
    return base64(report);
  }

  /** @returns {Uint8Array} a report that no other one is longer than as JSON */
  get longest() {
    return new Uint8Array(Math.ceil(this.nMembers / 8));
  }

  /** @param {Uint8Array} report @returns {number[]} the options that it supports */
  said(report) {
    return onesOf(unpackBits(report, this.nValues));
  }
}

/** @returns {bigint} in how many ways so many of n can be chosen */
function choose(/** @type {number} */ n, /** @type {number} */ size) {
  let ways = 1n;
  for (let chosen = 0; chosen < size; chosen += 1) ways = (ways * BigInt(n - chosen)) / BigInt(chosen + 1);
  return size < 0 ? 0n : ways;
}

/** @returns {number} the largest weight that is taken */
function mostMembers(/** @type {number} */ nOptions, /** @type {number} */ most) {
  let [none, every, weight] = [1n, 1n, 0];
  for (; weight < nOptions; weight += 1) {
    none *= BigInt(nOptions - weight);
    every *= BigInt(nOptions + most - weight);
    if (2n * none < every) break;
  }
  return Math.max(1, weight);
}
