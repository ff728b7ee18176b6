/**
 * One-of: projective geometry response (Feldman, Nelson, Nguyen & Talwar 2022), over a prime field. Options and reports
 * are points: vectors whose last coordinate that is not zero is one, numbered first by where that one stands, then by
 * the coordinates before it, as digits, the first the least. A report supports the options orthogonal to it.
 */

import { check } from "./bits.js";
import { NumberResponse } from "./sets.js";

const MAX_VECTORS = 2 ** 18;

/** Projective geometry response: a point that is orthogonal to the answer's, or one that is not. */
export class GeometryResponse extends NumberResponse {
  /** @param {string} name @param {number} nValues @param {import("./mechanisms.js").Parameters} published */
  constructor(name, nValues, published) {
    const { field, dimension } = published;
    check(isPrime(field), "field must be a prime.");
    check(dimension === 2 || field ** dimension <= MAX_VECTORS, `field ** dimension must be at most ${MAX_VECTORS}.`);
    super(name, nValues, published, field ** (dimension - 1), nPoints(field, dimension - 1));
    this.field = field;
    this.dimension = dimension;
    check(nValues <= this.nOutputs && this.nOutputs <= 65536, `points must be ${nValues} to 65536.`);
  }

  /** What is published beside the threshold. */
  static readMore(/** @type {import("./documents.js").Fields} */ fields) {
    return { field: fields.integer("field", 2, 65521), dimension: fields.integer("dimension", 2, 18) };
  }

  get nOutputs() {
    return nPoints(this.field, this.dimension);
  }

  /** @param {any} answer @param {Uint8Array} _group @param {import("./coins.js").Coins} coins @returns {Promise<Uint8Array>} */
  async respond(answer, _group, coins) {
    const [isTruth] = await coins.flip(this.ifTrue, 1);
    const nFree = this.field ** (this.dimension - 1);
    // Not all coordinates of a point are zero. Both are drawn: how much is drawn says nothing of the coin.
    const [ifOrthogonal] = await coins.uniform(nFree - 1, 1);
    const [ifNot] = await coins.uniform(nFree, 1);
    let left = isTruth ? ifOrthogonal + 1 : ifNot;
    const own = this.#point(answer);
    const solved = own.lastIndexOf(1);
    const vector = own.map((_, place) => {
      if (place === solved) return 0;
      const digit = left % this.field;
      left = (left - digit) / this.field;
      return digit;
    });
    vector[solved] = (this.field + 1 - isTruth - this.#product(own, vector)) % this.field;
    return this.pack(this.#number(vector));
  }

  /** @param {Uint8Array} report @returns {number[]} the values that it supports */
  said(report) {
    const sent = this.#point(this.toWire(report));
    return [...Array(this.nValues).keys()].filter((value) => this.#product(sent, this.#point(value)) === 0);
  }

  #point(/** @type {number} */ number) {
    let last = 0;
    while (number >= nPoints(this.field, last + 1)) last += 1;
    const digits = number - nPoints(this.field, last);
    return Array.from({ length: this.dimension }, (_, place) =>
      place < last ? Math.floor(digits / this.field ** place) % this.field : Number(place === last),
    );
  }

  #product(/** @type {number[]} */ one, /** @type {number[]} */ other) {
    return one.reduce((sum, value, place) => sum + value * other[place], 0) % this.field;
  }

  /** @returns {number} that of the point that a vector is a multiple of */
  #number(/** @type {number[]} */ vector) {
    const last = vector.reduce((found, value, place) => (value ? place : found), 0);
    let [factor, power] = [1, vector[last]]; // the inverse, by Fermat: as many steps whatever the number
    for (let bits = this.field - 2; bits; bits >>= 1) {
      if (bits % 2) factor = (factor * power) % this.field;
      power = (power * power) % this.field;
    }
    const digits = vector.slice(0, last).map((value, place) => ((value * factor) % this.field) * this.field ** place);
    return digits.reduce((sum, digit) => sum + digit, nPoints(this.field, last));
  }
}

/** @param {number} field @param {number} dimension @returns {number} how many points a space has */
function nPoints(field, dimension) {
  return (field ** dimension - 1) / (field - 1);
}

function isPrime(/** @type {number} */ number) {
  for (let divisor = 2; divisor * divisor <= number; divisor += 1) if (number % divisor === 0) return false;
  return number > 1;
}
