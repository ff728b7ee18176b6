/**
 * Return an epsilon in units of 1e-12 nats, or null for a text that is no decimal >= 0 of at most twelve places.
 * @param {string} text @returns {bigint | null}
 */
export function parseEpsilon(text: string): bigint | null;
/**
 * Return units of 1e-12 nats as a plain decimal, without trailing zeros.
 * @param {bigint} units @returns {string}
 */
export function writeEpsilon(units: bigint): string;
/**
 * Return an upper bound of ln(numerator / denominator), in parts of 2^-200; numerator > denominator >= 1.
 *
 * With x = 2^k m and m in [1, 2): ln x = k ln 2 + 2 artanh((m - 1) / (m + 1)).
 * @param {bigint} numerator @param {bigint} denominator @returns {bigint}
 */
export function logRatioAbove(numerator: bigint, denominator: bigint): bigint;
/**
 * Return a sum of such logarithms, each as often as is said, in units of 1e-12 nats, rounded up.
 * @param {[number, bigint][]} terms @returns {bigint}
 */
export function sumAbove(terms: [number, bigint][]): bigint;
