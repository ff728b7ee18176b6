/**
 * Return the nHashes bit numbers, each in [0, nBits), that a string sets in a cohort; some may be equal.
 *
 * `position`: 0 for a whole string, from 1 for the n-gram that stands there. Number i of a string, a 16-bit big-endian
 * integer modulo nBits, is the (i mod 16)-th of SHA-256(label || position || i div 16 || text), both integers in 4
 * big-endian bytes; hash j of cohort c is number c nHashes + j.
 * @param {{nBits: number, nHashes: number}} design @param {number} cohort @param {Uint8Array} text UTF-8
 * @param {number} [position] @returns {Promise<number[]>}
 */
export function bloomBits({ nBits, nHashes }: {
    nBits: number;
    nHashes: number;
}, cohort: number, text: Uint8Array, position?: number): Promise<number[]>;
