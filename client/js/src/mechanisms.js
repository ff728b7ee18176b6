/**
 * Mechanisms: what one answer goes through on its way to a report. Integers only; the epsilon of a mechanism is
 * recomputed from its thresholds, rounded up.
 *
 * A permanent response is packed: bit v is bit v mod 8 (the lowest first) of byte v div 8, a number is big-endian. A
 * report is packed likewise; `toWire` says how it is sent.
 */

import { AskedOption } from "./asked-option.js";
import { BinaryResponse, BitFlips, UnaryEncoding } from "./bits.js";
import { COIN_SCALE } from "./coins.js";
import { SurveyError } from "./errors.js";
import { GeometryResponse } from "./geometry.js";
import { KaryResponse } from "./kary.js";
import { PaddedSubset } from "./padded-subset.js";
import { BloomResponse } from "./rappor.js";
import { SegmentsResponse } from "./segments.js";
import { SetResponse } from "./sets.js";
import { SketchResponse } from "./sketch.js";
import { SubsetResponse } from "./subset.js";
import { WindowResponse } from "./window.js";

/** @typedef {import("./documents.js").Fields} Fields */
/** @typedef {number | Uint8Array | string} Encoded yes-no: 0 or 1; one-of: index; number: steps, or its level; any-of: zeros and ones; text: in normal form C */
/** @typedef {{[name: string]: any}} Parameters what is published: integers, ascending lists of them, and tables */
/** @typedef {KaryResponse | WindowResponse | SegmentsResponse | SubsetResponse | PaddedSubset | GeometryResponse | SketchResponse | AskedOption | import("./bits.js").BitMechanism} Mechanism */

const TWO_STAGES = ["basic-rappor", "rappor", "oue"]; // of those of bits
const CLASSES = {
  "yes-no": { warner: BinaryResponse, "forced-response": BinaryResponse, "basic-rappor": BinaryResponse },
  "one-of": {
    "k-ary": KaryResponse,
    subset: SubsetResponse,
    geometry: GeometryResponse,
    sue: UnaryEncoding,
    oue: UnaryEncoding,
    "basic-rappor": UnaryEncoding,
  },
  "any-of": {
    "bit-flips": BitFlips,
    subset: PaddedSubset,
    "asked-option": AskedOption,
    "basic-rappor": BitFlips,
  },
  number: { window: WindowResponse, segments: SegmentsResponse },
  text: { rappor: BloomResponse, sketch: SketchResponse },
  joint: { "k-ary": KaryResponse, subset: SubsetResponse, oue: UnaryEncoding }, // of combinations, as of options
};

/**
 * Return a published mechanism, trusting nothing. Throws SurveyError.
 * @param {Fields} fields @param {keyof CLASSES} type the question's @param {number} nOptions @returns {Mechanism}
 */
export function readMechanism(fields, type, nOptions) {
  /** @type {{[name: string]: any}} */
  const classes = CLASSES[type];
  const name = fields.oneOf("name", Object.keys(classes));
  const published = { ...readThresholds(fields, name, classes[name]), ...classes[name].readMore?.(fields, nOptions) };
  fields.finish();
  try {
    return new classes[name](name, published.n_bits ?? Math.max(1, nOptions), published);
  } catch (fault) {
    throw fault instanceof RangeError ? new SurveyError(fields.where, fault.message) : fault;
  }
}

function readThresholds(/** @type {Fields} */ fields, /** @type {string} */ name, /** @type {any} */ kind) {
  if (kind.hasTable) return {};
  const hasOne = kind === SketchResponse || kind.prototype instanceof SetResponse;
  const keys = ["threshold_if_true", ...(hasOne ? [] : ["threshold_if_other"])];
  if (name === "k-ary" && fields.has("report_if_true")) keys.push("report_if_true");
  const mayReport = TWO_STAGES.includes(name) && (fields.has("report_if_one") || fields.has("report_if_zero"));
  if (mayReport) keys.push("report_if_one", "report_if_zero");
  return /** @type {Parameters} */ (
    Object.fromEntries(keys.map((key) => [key, fields.integer(key, 1, COIN_SCALE - 1)]))
  );
}
