/**
 * Mechanisms: what one answer goes through on its way to a report. Integers only; the epsilon of a mechanism is
 * recomputed from its thresholds, rounded up.
 *
 * A permanent response is packed: bit v is bit v mod 8 (the lowest first) of byte v div 8, a number is big-endian. A
 * report is packed likewise; `toWire` says how it is sent.
 */

import { BinaryResponse, BitFlips, UnaryEncoding } from "./bits.js";
import { COIN_SCALE } from "./coins.js";
import { SurveyError } from "./errors.js";
import { KaryResponse } from "./kary.js";
import { BloomResponse } from "./rappor.js";

/** @typedef {import("./documents.js").Fields} Fields */
/** @typedef {number | Uint8Array | string} Encoded yes-no: 0 or 1; one-of: index; any-of: zeros and ones; text: in normal form C */
/** @typedef {{[name: string]: number}} Parameters the published integers */
/** @typedef {KaryResponse | import("./bits.js").BitMechanism} Mechanism */

const NAMES = {
  "yes-no": ["warner", "forced-response", "basic-rappor"],
  "one-of": ["k-ary", "sue", "oue", "basic-rappor"],
  "any-of": ["bit-flips", "basic-rappor"],
  text: ["rappor"],
};
const CLASSES = { "yes-no": BinaryResponse, "one-of": UnaryEncoding, "any-of": BitFlips, text: BloomResponse };

/**
 * Return a published mechanism, trusting nothing. Throws SurveyError.
 * @param {Fields} fields @param {keyof CLASSES} type the question's @param {number} nOptions @returns {Mechanism}
 */
export function readMechanism(fields, type, nOptions) {
  const name = fields.oneOf("name", NAMES[type]);
  const published = readThresholds(fields, name);
  if (type === "any-of") published.max_selected = fields.integer("max_selected", 1, nOptions);
  const nValues = type === "text" ? fields.integer("n_bits", 2, 4096) : Math.max(1, nOptions);
  if (type === "text") readBloom(fields, published);
  fields.finish();
  try {
    return new (name === "k-ary" ? KaryResponse : CLASSES[type])(name, nValues, published);
  } catch (fault) {
    throw fault instanceof RangeError ? new SurveyError(fields.where, fault.message) : fault;
  }
}

function readThresholds(/** @type {Fields} */ fields, /** @type {string} */ name) {
  const keys = ["threshold_if_true", ...(name === "k-ary" ? [] : ["threshold_if_other"])];
  const mayReport = name.endsWith("rappor") && (fields.has("report_if_one") || fields.has("report_if_zero"));
  if (mayReport) keys.push("report_if_one", "report_if_zero");
  return /** @type {Parameters} */ (
    Object.fromEntries(keys.map((key) => [key, fields.integer(key, 1, COIN_SCALE - 1)]))
  );
}

function readBloom(/** @type {Fields} */ fields, /** @type {Parameters} */ published) {
  published.n_hashes = fields.integer("n_hashes", 1, 8);
  published.n_cohorts = fields.integer("n_cohorts", 1, 1024);
  if (fields.has("max_length") || fields.has("gram_length")) {
    published.gram_length = fields.integer("gram_length", 1, 4);
    published.max_length = fields.integer("max_length", 2, 64);
  }
}
