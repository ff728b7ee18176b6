/**
 * Draw a set of `size` of `nPlaces`. It is begun by coins: rather too small, for then the fewest draws are needed. Any
 * start gives uniform sets. `nValues`: what the coins' probability is of.
 * @param {number} size @param {number} nPlaces @param {number} nValues @param {import("./coins.js").Coins} coins
 * @returns {Promise<Uint8Array>} of 0 and 1
 */
export function drawSet(size: number, nPlaces: number, nValues: number, coins: import("./coins.js").Coins): Promise<Uint8Array>;
