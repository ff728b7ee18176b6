/**
 * Any-of: one option is drawn on the device, once and without the answer, and whether it is selected goes through a coin
 * that takes all of epsilon. Which option it is is sent in clear.
 */

import { BinaryResponse, BitFlips } from "./bits.js";
import { bigEndian, concat } from "./bytes.js";

/** @typedef {import("./coins.js").Coins} Coins */

/** One option that is asked, and a yes or a no to it alone. */
export class AskedOption {
  /** @param {string} name @param {number} nValues @param {import("./mechanisms.js").Parameters} published */
  constructor(name, nValues, published) {
    this.name = name;
    this.nValues = nValues;
    this.published = published;
    this.coin = new BinaryResponse(name, 1, published);
    this.epsilon = this.epsilonForever = this.coin.epsilon;
  }

  static readMore = BitFlips.readMore;

  get isSet() {
    return false;
  }

  /** @param {Coins} coins @returns {Promise<Uint8Array>} the option that this device is asked */
  async drawGroup(coins) {
    return this.#pack((await coins.uniform(this.nValues, 1))[0]);
  }

  /** @param {any} answer of 0 and 1 @param {Uint8Array} group @param {Coins} coins @returns {Promise<Uint8Array>} */
  async respond(answer, group, coins) {
    return concat(group, await this.coin.respond(answer[optionOf(group)], new Uint8Array(0), coins));
  }

  /** @param {Uint8Array} permanent @param {Coins} _coins @returns {Promise<Uint8Array>} */
  async report(permanent, _coins) {
    return permanent;
  }

  /** @param {Uint8Array} report @returns {[number, boolean]} */
  toWire(report) {
    return [optionOf(report.slice(0, -1)), report[report.length - 1] === 1];
  }

  /** @returns {Uint8Array} a report that no other one is longer than as JSON */
  get longest() {
    return concat(this.#pack(this.nValues - 1), [0]);
  }

  /** @param {Uint8Array} report @returns {{asked: number, yes: boolean}} */
  said(report) {
    const [asked, yes] = this.toWire(report);
    return { asked, yes };
  }

  #pack(/** @type {number} */ option) {
    return bigEndian(option, this.nValues <= 256 ? 1 : 2);
  }
}

function optionOf(/** @type {Uint8Array} */ group) {
  return group.reduce((value, byte) => 256 * value + byte, 0);
}
