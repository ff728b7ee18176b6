/**
 * A sketch of strings: in the device's cohort a string is one of a few buckets, reported by projective geometry. The
 * bucket is the same on every side, to the byte (docs/maths-strings.md).
 */

import { check } from "./bits.js";
import { bigEndian, concat, sha256, utf8 } from "./bytes.js";
import { GeometryResponse } from "./geometry.js";

/** @typedef {import("./coins.js").Coins} Coins */

const MAX_COUNTS = 2 ** 18;
const COHORT_BYTES = 2;
const PRIME = 2n ** 61n - 1n;
const [STRING_LABEL, COHORT_LABEL] = ["sottovoce-sketch-1", "sottovoce-sketch-cohort-1"].map(utf8);

/**
 * Text: the bucket of a string, or of its first characters, in the device's cohort, by projective geometry response. A
 * response is the cohort (2 bytes), then the point.
 */
export class SketchResponse {
  /** Take what is published beside the threshold. */
  static readMore(/** @type {import("./documents.js").Fields} */ fields) {
    return {
      ...GeometryResponse.readMore(fields),
      n_cohorts: fields.integer("n_cohorts", 1, 1024),
      ...(fields.has("prefix_lengths") && { prefix_lengths: fields.ascending("prefix_lengths", 16, 200) }),
    };
  }

  /** @param {string} name @param {number} _nValues @param {import("./mechanisms.js").Parameters} published */
  constructor(name, _nValues, published) {
    const { field, dimension, n_cohorts: nCohorts, prefix_lengths: lengths = [] } = published;
    const nValues = (field ** dimension - 1) / (field - 1);
    this.name = name;
    this.nValues = nValues;
    this.geometry = new GeometryResponse(name, nValues, published);
    this.nCohorts = nCohorts;
    this.prefixLengths = lengths;
    check(nValues * nCohorts <= MAX_COUNTS, `points * n_cohorts must be at most ${MAX_COUNTS}.`);
    check(nCohorts % (lengths.length || 1) === 0, "prefix_lengths must divide n_cohorts.");
    this.epsilon = this.epsilonForever = this.geometry.epsilon;
  }

  /** @returns {Promise<Uint8Array>} */
  async drawGroup(/** @type {Coins} */ coins) {
    return bigEndian((await coins.uniform(this.nCohorts, 1))[0], COHORT_BYTES);
  }

  /** @param {any} answer @param {Uint8Array} group @param {Coins} coins @returns {Promise<Uint8Array>} */
  async respond(answer, group, coins) {
    const cohort = 256 * group[0] + group[1];
    const { length } = this.prefixLengths;
    const said = length ? [...answer].slice(0, this.prefixLengths[cohort % length]).join("") : answer;
    const bucket = await bucketOf(this.nValues, cohort, utf8(said));
    return concat(group, await this.geometry.respond(bucket, group, coins));
  }

  /** @returns {Promise<Uint8Array>} */
  async report(/** @type {Uint8Array} */ permanent) {
    return permanent;
  }

  /** @param {Uint8Array} report @returns {[number, number]} */
  toWire(report) {
    return [256 * report[0] + report[1], this.geometry.toWire(report.slice(COHORT_BYTES))];
  }

  /** @returns {Uint8Array} */
  get longest() {
    return concat(bigEndian(this.nCohorts - 1, COHORT_BYTES), this.geometry.longest);
  }

  said(/** @type {Uint8Array} */ report) {
    const [cohort, value] = this.toWire(report);
    return { cohort, value };
  }
}

/**
 * Return the bucket, in [0, nBuckets), of a string in a cohort: its number by the cohort's line, modulo PRIME.
 * @param {number} nBuckets @param {number} cohort @param {Uint8Array} text UTF-8 @returns {Promise<number>}
 */
export async function bucketOf(nBuckets, cohort, text) {
  const [number] = await numbersOf(concat(STRING_LABEL, text));
  const [factor, added] = await numbersOf(concat(COHORT_LABEL, bigEndian(cohort, 4)));
  return Number((((1n + (factor % (PRIME - 1n))) * (number % PRIME) + (added % PRIME)) % PRIME) % BigInt(nBuckets));
}

/** Return the first two numbers of 8 bytes, big-endian, of a SHA-256. */
async function numbersOf(/** @type {Uint8Array} */ bytes) {
  const digest = new DataView((await sha256(bytes)).buffer);
  return [digest.getBigUint64(0), digest.getBigUint64(8)];
}
