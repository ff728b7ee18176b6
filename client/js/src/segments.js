/** A number: rounded at random to one of a few levels, then one output of a table, each of which stands for some levels. */

import { check } from "./bits.js";
import { COIN_SCALE } from "./coins.js";
import { LevelResponse } from "./levels.js";

const MAX_LEVELS = 1024;
const MAX_SEGMENTS = 1024;
const MAX_WORTH = 2 ** 48;
/** One part of so many of the range: what the mean of a report may be off by. */
const BIAS_PARTS = 10n ** 6n;

/** @typedef {[first: number, last: number, inside: number, outside: number, worth: number]} Segment */

/** An output for each segment of the levels: likelier at these than at all others, by what is published. */
export class SegmentsResponse extends LevelResponse {
  /** It has no threshold. */
  static hasTable = true;

  /** Take what is published. */
  static readMore(/** @type {import("./documents.js").Fields} */ fields) {
    const levels = fields.integer("levels", 2, MAX_LEVELS);
    return { levels, outputs: fields.rows("outputs", 2, MAX_SEGMENTS, 5) };
  }

  /** @param {string} name @param {number} nOptions @param {import("./mechanisms.js").Parameters} published */
  constructor(name, nOptions, { levels, outputs }) {
    const odds = checkTable(levels, outputs);
    super(name, outputs.length, { threshold_if_true: COIN_SCALE / 2 }, ...odds); // a coin between one output and another
    this.span = nOptions - 1;
    this.levels = levels;
    /** @type {Segment[]} */
    this.segments = outputs;
  }

  /** @param {number} nReports @param {bigint} once @returns {bigint} what so many reports of one answer take together */
  epsilonOf(nReports, once) {
    return BigInt(nReports) * once;
  }

  /** @param {any} level @param {Uint8Array} _group @param {import("./coins.js").Coins} coins @returns {Promise<Uint8Array>} */
  async respond(level, _group, coins) {
    return this.pack(await coins.choose(this.segments.map((segment) => weightAt(segment, level))));
  }

  /** @param {number} output @returns {number[]} the first and the last level that it stands for */
  endsOf(output) {
    return this.segments[output].slice(0, 2);
  }
}

/** @returns {number} the probability of an output at a level, of 2^32 */
function weightAt(/** @type {Segment} */ [first, last, inside, outside], /** @type {number} */ level) {
  return first <= level && level <= last ? inside : outside;
}

/**
 * Check that a table is a channel whose mean is the number; return the largest odds of an output.
 * @param {number} levels @param {Segment[]} segments @returns {[number, number]}
 */
function checkTable(levels, segments) {
  /** @type {[number, number]} */
  let odds = [1, 1];
  segments.forEach(([first, last, inside, outside, worth], output) => {
    const isSome = 0 <= first && first <= last && last < levels && last - first < levels - 1;
    const isLikelier = 1 <= outside && outside < inside && inside < COIN_SCALE;
    check(
      isSome && isLikelier && Math.abs(worth) <= MAX_WORTH,
      `outputs[${output}] must be likelier inside, and worth at most ${MAX_WORTH}.`,
    );
    if (BigInt(inside) * BigInt(odds[1]) > BigInt(odds[0]) * BigInt(outside)) odds = [inside, outside];
  });
  const scale = BigInt(COIN_SCALE) ** 2n * BigInt(levels - 1);
  for (let level = 0; level < levels; level += 1) {
    const weights = segments.map((segment) => weightAt(segment, level));
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    check(total === COIN_SCALE, `outputs must add up to ${COIN_SCALE} at every level.`);
    const mean = weights.reduce((sum, weight, output) => sum + BigInt(weight) * BigInt(segments[output][4]), 0n);
    const off = mean * BigInt(levels - 1) - BigInt(level) * BigInt(COIN_SCALE) ** 2n;
    check((off < 0n ? -off : off) * BIAS_PARTS <= scale, "outputs must be worth each level.");
  }
  return odds;
}
