/**
 * Strict JSON: one text for one value, and errors that say where.
 *
 * Canonical JSON is RFC 8785's (keys sorted, no white space, the shortest escapes), but numbers are integers or plain
 * decimals of any size: a double would not hold them, so they stay texts until somebody asks for an integer.
 */

import { SurveyError } from "./errors.js";
import { parseEpsilon } from "./decimals.js";

const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*/gs;
const JSON_NUMBER = /^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$/;
const CANONICAL_NUMBER = /^-?(0|[1-9][0-9]*)(\.[0-9]*[1-9])?$/;
const PLAIN_NUMBER = /^(?!-0$)-?\d{1,16}(\.\d{1,12})?$/;
const MAX_NUMBER = 10 ** 15;
/** Control characters, lone surrogates, line and paragraph separators, and marks that turn the direction of writing. */
const FORBIDDEN = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]/u;

/** A number as it is written. */
class Numeral {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
  }
}

/**
 * Parse JSON in UTF-8, its numbers kept as they are written. Throws SurveyError at `$`, which never quotes the text.
 * @param {Uint8Array} bytes @returns {{document: unknown, isCanonical: boolean}}
 */
export function parseJson(bytes) {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    // A double would lose digits: every number becomes an object, which no canonical text can contain by itself.
    const marked = text.replace(STRING_OR_NUMBER, (token) => (token[0] === '"' ? token : `{"#":${quote(token)}}`));
    const document = JSON.parse(marked, (_, value) => (value?.["#"] === undefined ? value : new Numeral(value["#"])));
    return { document, isCanonical: canonical(document) === text };
  } catch {
    throw new SurveyError("$", "must be JSON in UTF-8.");
  }
}

/** @param {unknown} value of objects, arrays, strings, booleans, safe integers and numerals @returns {string} */
export function canonical(value) {
  if (value instanceof Numeral) return CANONICAL_NUMBER.test(value.text) ? value.text : "";
  if (Array.isArray(value)) return `[${value.map(canonical)}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const members = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`)}}`;
}

function quote(/** @type {string} */ token) {
  if (!JSON_NUMBER.test(token)) throw new SyntaxError("no number");
  return `"${token}"`;
}

/**
 * Whether value is a string of 1 to maxLength characters that only stand for themselves.
 * @param {unknown} value @param {number} maxLength @returns {value is string}
 */
export function isText(value, maxLength) {
  if (typeof value !== "string" || value === "" || value.length > 2 * maxLength) return false;
  return [...value].length <= maxLength && !FORBIDDEN.test(value);
}

/** The members of one object, each taken once and checked; what is left over is unknown and refused. */
export class Fields {
  #left;

  /** @param {unknown} document @param {string} where */
  constructor(document, where) {
    if (document === null || typeof document !== "object" || Array.isArray(document) || document instanceof Numeral) {
      throw new SurveyError(where, "must be an object.");
    }
    this.#left = new Map(Object.entries(document));
    this.where = where;
  }

  /** @param {string} key */
  has(key) {
    return this.#left.has(key);
  }

  /** @param {string} key @param {string} expected @param {(value: any) => boolean} accept @returns {any} */
  take(key, expected, accept) {
    const value = this.#left.get(key);
    if (value === undefined) throw this.fail(key, `is missing; expected ${expected}.`);
    if (!accept(value)) throw this.fail(key, `must be ${expected}.`);
    this.#left.delete(key);
    return value;
  }

  /** @param {string} key @param {number} low @param {number} high */
  integer(key, low, high) {
    const isIn = (/** @type {unknown} */ value) =>
      value instanceof Numeral && /^-?\d{1,16}$/.test(value.text) && low <= +value.text && +value.text <= high;
    return Number(this.take(key, `an integer in [${low}, ${high}]`, isIn).text);
  }

  /** @param {string} key @returns {string} a plain decimal, as it is written */
  number(key) {
    const isIn = (/** @type {unknown} */ value) =>
      value instanceof Numeral && PLAIN_NUMBER.test(value.text) && Math.abs(+value.text) <= MAX_NUMBER;
    return this.take(key, `a number in [-${MAX_NUMBER}, ${MAX_NUMBER}] of at most 12 decimals`, isIn).text;
  }

  /** @param {string} key @param {number} most @param {number} high @returns {number[]} integers in [1, high], ascending */
  ascending(key, most, high) {
    const numbers = (/** @type {unknown} */ value) =>
      Array.isArray(value)
        ? value.map((one) => (one instanceof Numeral && /^\d{1,16}$/.test(one.text) ? +one.text : 0))
        : [];
    const areIn = (/** @type {unknown} */ value) => {
      const found = numbers(value);
      return (
        found.length > 0 && found.length <= most && found.every((one, at) => (found[at - 1] ?? 0) < one && one <= high)
      );
    };
    return numbers(this.take(key, `a list of 1 to ${most} integers in [1, ${high}], ascending`, areIn));
  }

  /** @param {string} key @param {number} fewest @param {number} most @param {number} width @returns {any[]} rows of integers */
  rows(key, fewest, most, width) {
    const isWhole = (/** @type {unknown} */ one) => one instanceof Numeral && /^-?\d{1,15}$/.test(one.text);
    const isRow = (/** @type {unknown} */ row) => Array.isArray(row) && row.length === width && row.every(isWhole);
    const areIn = (/** @type {unknown} */ value) =>
      Array.isArray(value) && fewest <= value.length && value.length <= most && value.every(isRow);
    return this.take(key, `a list of ${fewest} to ${most} lists of ${width} integers`, areIn).map(
      (/** @type {Numeral[]} */ row) => row.map((one) => Number(one.text)),
    );
  }

  /** @param {string} key @param {bigint} high in units of 1e-12 nats @returns {bigint} the same */
  epsilon(key, high) {
    const inUnits = (/** @type {unknown} */ value) => (value instanceof Numeral ? parseEpsilon(value.text) : null);
    const expected = `a number in [0, ${high / 10n ** 12n}] of at most 12 decimals`;
    const isIn = (/** @type {unknown} */ value) => (inUnits(value) ?? high + 1n) <= high;
    return /** @type {bigint} */ (inUnits(this.take(key, expected, isIn)));
  }

  /** @param {string} key @param {number} maxLength @returns {string} */
  text(key, maxLength) {
    return this.take(key, `a text of 1 to ${maxLength} characters without control characters`, (value) =>
      isText(value, maxLength),
    );
  }

  /** @param {string} key @param {readonly string[]} words @returns {string} */
  oneOf(key, words) {
    return this.take(key, `one of ${words.join(", ")}`, (value) => words.includes(value));
  }

  /**
   * Return what `read` takes, or `usual` where it is left out; canonical documents leave out what is usual.
   * @template T @param {string} key @param {T} usual @param {() => T} read @returns {T}
   */
  optional(key, usual, read) {
    if (!this.has(key)) return usual;
    const value = read();
    if (value === usual) throw notCanonical();
    return value;
  }

  /** @param {string} key @param {readonly string[]} words @returns {any} the first where it is left out */
  word(key, words) {
    return this.optional(key, words[0], () => this.oneOf(key, words));
  }

  /** @param {string} key @param {number} usual where it is left out @param {number} low @param {number} high */
  count(key, usual, low, high) {
    return this.optional(key, usual, () => this.integer(key, low, high));
  }

  /** @param {string} key @returns {boolean} false where it is left out */
  flag(key) {
    return this.optional(key, false, () => this.take(key, "true or false", (value) => typeof value === "boolean"));
  }

  finish() {
    for (const key of this.#left.keys()) {
      throw new SurveyError(this.where, `has an unknown member ${isText(key, 40) ? `'${key}'` : "(a key)"}.`);
    }
  }

  /** @param {string} key @param {string} problem */
  fail(key, problem) {
    return new SurveyError(`${this.where}.${key}`, problem);
  }
}

export function notCanonical() {
  return new SurveyError("$", "must be in canonical form, its epsilon the sum of its questions'.");
}
