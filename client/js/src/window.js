/** A number: rounded at random to one of a few levels, each of which a window of outputs stands for. */

import { check } from "./bits.js";
import { COIN_SCALE } from "./coins.js";
import { LevelResponse } from "./levels.js";
import { lossOfAlike } from "./sets.js";

const MAX_LEVELS = 1024;

/** A window: with one probability an output of the level's own, else one of the others; a second stage of one bit. */
export class WindowResponse extends LevelResponse {
  /** Take what is published beside the threshold. */
  static readMore(/** @type {import("./documents.js").Fields} */ fields, /** @type {number} */ nOptions) {
    const levels = fields.integer("levels", 2, Math.min(MAX_LEVELS, nOptions));
    const width = fields.integer("width", 1, levels);
    if (!fields.has("report_if_true")) return { levels, width };
    return { levels, width, report_if_true: fields.integer("report_if_true", COIN_SCALE / 2 + 1, COIN_SCALE - 1) };
  }

  /** @param {string} name @param {number} nOptions @param {import("./mechanisms.js").Parameters} published */
  constructor(name, nOptions, published) {
    const { levels, width, report_if_true: repeats } = published;
    super(name, levels + width - 1, published, levels - 1, width);
    this.span = nOptions - 1;
    this.levels = levels;
    this.width = width;
    this.repeats = repeats ?? null;
    check(this.repeats === null || this.nValues === 2, "report_if_true goes with levels 2, width 1.");
  }

  /** What one report takes, in units of 1e-12 nats. */
  get hasTwoStages() {
    return this.repeats !== null;
  }

  get epsilon() {
    return this.repeats === null ? this.epsilonForever : lossOfAlike(this.ifTrue, this.repeats, 1, 1);
  }

  /** What so many reports of one answer take together, of which one takes `once`: see `KaryResponse`. */
  epsilonOf(/** @type {number} */ nReports, /** @type {bigint} */ once) {
    if (this.repeats === null || nReports < 2) return BigInt(nReports) * once;
    const together = lossOfAlike(this.ifTrue, this.repeats, nReports, 1);
    return together > once ? together : once;
  }

  /** @param {any} level @param {Uint8Array} _group @param {import("./coins.js").Coins} coins @returns {Promise<Uint8Array>} */
  async respond(level, _group, coins) {
    const [isInside] = await coins.flip(this.ifTrue, 1);
    const [within] = await coins.uniform(this.width, 1); // both always: how much is drawn says nothing of the coin
    const [beyond] = await coins.uniform(this.levels - 1, 1);
    return this.pack(isInside ? level + within : beyond + (beyond >= level ? this.width : 0));
  }

  /** @param {Uint8Array} permanent @param {import("./coins.js").Coins} coins */
  async report(permanent, coins) {
    if (this.repeats === null) return permanent;
    const [isSame] = await coins.flip(this.repeats, 1);
    return this.pack(isSame ? permanent[0] : 1 - permanent[0]);
  }

  /** @param {number} output @returns {number[]} the first and the last level that it stands for */
  endsOf(output) {
    return [Math.max(0, output - this.width + 1), Math.min(output, this.levels - 1)];
  }
}
