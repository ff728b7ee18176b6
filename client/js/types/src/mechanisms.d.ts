/**
 * Return a published mechanism, trusting nothing. Throws SurveyError.
 * @param {Fields} fields @param {keyof CLASSES} type the question's @param {number} nOptions @returns {Mechanism}
 */
export function readMechanism(fields: Fields, type: "number" | "yes-no" | "one-of" | "any-of" | "text" | "joint", nOptions: number): Mechanism;
export type Fields = import("./documents.js").Fields;
/**
 * yes-no: 0 or 1; one-of: index; number: steps, or its level; any-of: zeros and ones; text: in normal form C
 */
export type Encoded = number | Uint8Array | string;
/**
 * what is published: integers, ascending lists of them, and tables
 */
export type Parameters = {
    [name: string]: any;
};
export type Mechanism = KaryResponse | WindowResponse | SegmentsResponse | SubsetResponse | PaddedSubset | GeometryResponse | SketchResponse | AskedOption | import("./bits.js").BitMechanism;
import { KaryResponse } from "./kary.js";
import { WindowResponse } from "./window.js";
import { SegmentsResponse } from "./segments.js";
import { SubsetResponse } from "./subset.js";
import { PaddedSubset } from "./padded-subset.js";
import { GeometryResponse } from "./geometry.js";
import { SketchResponse } from "./sketch.js";
import { AskedOption } from "./asked-option.js";
