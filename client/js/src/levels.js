/** What mechanisms for numbers have in common: a number is rounded at random to a level, and an output is drawn for it. */

import { NumberResponse } from "./sets.js";

/** A number, of `span` steps; its outputs stand for levels, which are evenly spaced from the least number to the greatest. */
export class LevelResponse extends NumberResponse {
  /** @type {number} */
  span = 1;
  /** @type {number} */
  levels = 2;

  /**
   * Return the level below or above a number, so that their mean is the number, exactly; by coins that say nothing of it.
   * @param {any} answer in steps @param {import("./coins.js").Coins} coins
   */
  async settle(answer, coins) {
    const scaled = answer * (this.levels - 1);
    const [drawn] = await coins.uniform(this.span, 1);
    return Math.floor(scaled / this.span) + (drawn < scaled % this.span ? 1 : 0);
  }

  /** @param {number} _output @returns {number[]} the first and the last level that it stands for */
  endsOf(_output) {
    return [0, this.levels - 1];
  }

  /** @param {Uint8Array} report @returns {any} the output, and from which number to which it speaks for, in steps */
  said(report) {
    const output = this.toWire(report);
    const [from, to] = this.endsOf(output).map((level) => Math.round((level * this.span) / (this.levels - 1)));
    return { output, from, to };
  }
}
