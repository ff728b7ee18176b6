/**
 * Any-of: some options are drawn on the device, once and without the answer, and bits that are flipped say which of them
 * are selected; of one option that takes all of epsilon. Which options they are is sent in clear.
 */

import { BitFlips } from "./bits.js";
import { bigEndian, concat, unpackBits } from "./bytes.js";

/** @typedef {import("./coins.js").Coins} Coins */

/** Some options that are asked, and a yes or a no to each of them alone. */
export class AskedOption {
  /** @param {string} name @param {number} nValues @param {import("./mechanisms.js").Parameters} published */
  constructor(name, nValues, published) {
    this.name = name;
    this.nValues = nValues;
    this.published = published;
    this.asked = published.asked ?? 1;
    const most = Math.min(this.asked, published.max_selected);
    this.coin = new BitFlips(name, this.asked, { ...published, max_selected: most });
    this.epsilon = this.epsilonForever = this.coin.epsilon;
  }

  static readMore(/** @type {import("./documents.js").Fields} */ fields, /** @type {number} */ nOptions) {
    const several = fields.has("asked") ? { asked: fields.integer("asked", 2, nOptions) } : {};
    return { ...BitFlips.readMore(fields, nOptions), ...several };
  }

  get isSet() {
    return false;
  }

  /** @param {Coins} coins @returns {Promise<Uint8Array>} the options that this device is asked */
  async drawGroup(coins) {
    const several = this.asked > 1;
    const drawn = several ? await coins.different(this.nValues, this.asked) : await coins.uniform(this.nValues, 1);
    return this.#pack(drawn.sort((one, other) => one - other));
  }

  /** @param {any} answer of 0 and 1 @param {Uint8Array} group @param {Coins} coins @returns {Promise<Uint8Array>} */
  async respond(answer, group, coins) {
    const selected = Uint8Array.from(this.#options(group), (option) => answer[option]);
    return concat(group, await this.coin.respond(selected, new Uint8Array(0), coins));
  }

  /** @param {Uint8Array} permanent @param {Coins} _coins @returns {Promise<Uint8Array>} */
  async report(permanent, _coins) {
    return permanent;
  }

  /** @param {Uint8Array} report @returns {(number | boolean)[]} each option, and behind it whether the report says yes */
  toWire(report) {
    const options = this.#options(report);
    const yes = unpackBits(report.slice(options.length * this.#width), options.length);
    return options.flatMap((option, at) => [option, yes[at] === 1]);
  }

  /** @returns {Uint8Array} a report that no other one is longer than as JSON */
  get longest() {
    const largest = Array.from({ length: this.asked }, (_, at) => this.nValues - this.asked + at);
    return concat(this.#pack(largest), new Uint8Array(Math.ceil(this.asked / 8)));
  }

  /** @param {Uint8Array} report @returns {{asked: number | number[], yes: boolean | number[]}} of several those with a yes */
  said(report) {
    const options = this.#options(report);
    const yes = this.toWire(report).filter((_, at) => at % 2 === 1);
    if (this.asked === 1) return { asked: options[0], yes: yes[0] === true };
    return { asked: options, yes: options.filter((_, at) => yes[at]) };
  }

  get #width() {
    return this.nValues <= 256 ? 1 : 2;
  }

  #options(/** @type {Uint8Array} */ group) {
    return Array.from({ length: this.asked }, (_, at) =>
      group.slice(at * this.#width, (at + 1) * this.#width).reduce((value, byte) => 256 * value + byte, 0),
    );
  }

  #pack(/** @type {number[]} */ options) {
    return concat(...options.map((option) => bigEndian(option, this.#width)));
  }
}
