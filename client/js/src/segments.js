/** A number: rounded at random to one of a few levels, then one output of a table, each of which stands for some levels. */

import { check } from "./bits.js";
import { COIN_SCALE } from "./coins.js";
import { NumberResponse, epsilonOfOdds } from "./sets.js";

const MAX_LEVELS = 1024;
const MAX_SEGMENTS = 1024;
const MAX_WORTH = 2 ** 48;
/** One part of so many of the range: what the mean of a report may be off by. */
const BIAS_PARTS = 10n ** 6n;

/** @typedef {[first: number, last: number, inside: number, outside: number, worth: number]} Segment */

/** An output for each segment of the levels: likelier at these than at all others, by what is published. */
export class SegmentsResponse extends NumberResponse {
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
    this.odds = odds;
    const inside = sumsOver(levels, this.segments, ([, , inside]) => [0n, BigInt(inside)]).map(Number);
    /** The least, of all levels, that is for the rounded number, of 2^32; and the most. */
    this.ifTrue = Math.min(...inside);
    this.mostIfTrue = Math.max(...inside);
  }

  /** How many levels an output stands for at most. */
  get width() {
    return Math.max(...this.segments.map(([first, last]) => last - first + 1));
  }

  /** @param {number} nReports @param {bigint} once @returns {bigint} what so many reports of one answer take together */
  epsilonOf(nReports, once) {
    return BigInt(nReports) * once;
  }

  /**
   * Return the level below or above a number, so that their mean is the number, exactly; by coins that say nothing of it.
   * @param {any} answer in steps @param {import("./coins.js").Coins} coins
   */
  async settle(answer, coins) {
    const scaled = answer * (this.levels - 1);
    const [drawn] = await coins.uniform(this.span, 1);
    return Math.floor(scaled / this.span) + (drawn < scaled % this.span ? 1 : 0);
  }

  /** @param {any} level @param {Uint8Array} _group @param {import("./coins.js").Coins} coins @returns {Promise<Uint8Array>} */
  async respond(level, _group, coins) {
    return this.pack(await coins.choose(this.segments.map((segment) => weightAt(segment, level))));
  }

  /** @param {Uint8Array} report @returns {any} the output, and from which number to which it speaks for, in steps */
  said(report) {
    const output = this.toWire(report);
    const [first, last] = this.segments[output];
    const at = (/** @type {number} */ level) => Math.round((level * this.span) / (this.levels - 1));
    return { output, from: at(first), to: at(last) };
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
  segments.forEach(([first, last, inside, outside, worth], output) => {
    const isIn = 0 <= first && first <= last && last < levels && last - first < levels - 1;
    check(isIn, `outputs[${output}] must stand for some of the levels, and not for all.`);
    const isOdds = 1 <= outside && outside < inside && inside < COIN_SCALE;
    check(isOdds, `outputs[${output}] must be likelier at its levels than at others.`);
    check(Math.abs(worth) <= MAX_WORTH, `outputs[${output}] must be worth at most ${MAX_WORTH}.`);
  });
  const totals = sumsOver(levels, segments, ([, , inside, outside]) => [BigInt(outside), BigInt(inside)]);
  check(
    totals.every((total) => total === BigInt(COIN_SCALE)),
    `outputs must add up to ${COIN_SCALE} at every level.`,
  );
  const means = sumsOver(levels, segments, ([, , inside, outside, worth]) => [
    BigInt(outside) * BigInt(worth),
    BigInt(inside) * BigInt(worth),
  ]);
  const scale = BigInt(COIN_SCALE) ** 2n;
  const isRight = means.every((mean, level) => {
    const off = mean * BigInt(levels - 1) - BigInt(level) * scale;
    return (off < 0n ? -off : off) * BIAS_PARTS <= scale * BigInt(levels - 1);
  });
  check(isRight, "outputs must be worth each level on average, within 1e-6 of the range.");
  return segments
    .map(([, , inside, outside]) => /** @type {[number, number]} */ ([inside, outside]))
    .reduce((most, odds) => (BigInt(odds[0]) * BigInt(most[1]) > BigInt(most[0]) * BigInt(odds[1]) ? odds : most));
}

/**
 * Return at each level the sum over segments of what each has outside of its levels, or inside.
 * @param {number} levels @param {Segment[]} segments @param {(segment: Segment) => [bigint, bigint]} parts
 */
function sumsOver(levels, segments, parts) {
  const steps = /** @type {bigint[]} */ (Array(levels + 1).fill(0n));
  for (const segment of segments) {
    const [outside, inside] = parts(segment);
    steps[0] += outside;
    steps[segment[0]] += inside - outside;
    steps[segment[1] + 1] -= inside - outside;
  }
  let sum = 0n;
  return steps.slice(0, levels).map((step) => (sum += step));
}
