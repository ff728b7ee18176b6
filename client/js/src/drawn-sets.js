/** Uniform sets of so many places: begun by coins, then mended by uniform draws until they are as large as they must be. */

import { onesOf } from "./bits.js";

/**
 * Draw a set of `size` of `nPlaces`. It is begun by coins: rather too small, for then the fewest draws are needed. Any
 * start gives uniform sets. `nValues`: what the coins' probability is of.
 * @param {number} size @param {number} nPlaces @param {number} nValues @param {import("./coins.js").Coins} coins
 * @returns {Promise<Uint8Array>} of 0 and 1
 */
export async function drawSet(size, nPlaces, nValues, coins) {
  const root = Math.floor(Math.sqrt(9 * size));
  const first = Math.floor((256 * (2 * size - root)) / (2 * nValues));
  const bits = first > 0 ? await coins.flip(first * 2 ** 24, nPlaces) : new Uint8Array(nPlaces);
  for (let missing; (missing = size - onesOf(bits).length) !== 0;) {
    for (const place of await coins.uniform(nPlaces, Math.abs(missing))) bits[place] = missing > 0 ? 1 : 0;
  }
  return bits;
}
