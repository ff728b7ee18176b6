/** From a cohort and a string to the bits of a Bloom filter: the hash that every side computes alike, to the byte. */

import { bigEndian, concat, sha256, utf8 } from "./bytes.js";

const LABEL = utf8("sottovoce-bloom-1");
const NUMBERS_PER_DIGEST = 16; // of 16 bits each, in a SHA-256

/**
 * Return the nHashes bit numbers, each in [0, nBits), that a string sets in a cohort; some may be equal.
 *
 * `position`: 0 for a whole string, from 1 for the n-gram that stands there. Number i of a string, a 16-bit big-endian
 * integer modulo nBits, is the (i mod 16)-th of SHA-256(label || position || i div 16 || text), both integers in 4
 * big-endian bytes; hash j of cohort c is number c nHashes + j.
 * @param {{nBits: number, nHashes: number}} design @param {number} cohort @param {Uint8Array} text UTF-8
 * @param {number} [position] @returns {Promise<number[]>}
 */
export async function bloomBits({ nBits, nHashes }, cohort, text, position = 0) {
  const bits = [];
  for (let number = cohort * nHashes; number < (cohort + 1) * nHashes; number += 1) {
    const digest = bigEndian(Math.floor(number / NUMBERS_PER_DIGEST), 4);
    const stream = await sha256(concat(LABEL, bigEndian(position, 4), digest, text));
    const at = 2 * (number % NUMBERS_PER_DIGEST);
    bits.push((256 * stream[at] + stream[at + 1]) % nBits);
  }
  return bits;
}
