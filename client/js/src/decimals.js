/**
 * Epsilons: exact decimals of at most twelve places, computed with as BigInts of 1e-12 nats; and logarithms that are
 * rounded up, so that an epsilon is always an upper bound.
 */

const PLACES = 12;
const UNITS = 10n ** BigInt(PLACES);
const SCALE = 1n << 200n; // logarithms are computed in this many parts of one
const N_TERMS = 70; // (1/9)^70 is below 1 / SCALE
const DECIMAL = /^(\d+)(?:\.(\d{1,12}))?$/;

/**
 * Return an epsilon in units of 1e-12 nats, or null for a text that is no decimal >= 0 of at most twelve places.
 * @param {string} text @returns {bigint | null}
 */
export function parseEpsilon(text) {
  const [, whole, decimals = ""] = DECIMAL.exec(text) ?? [];
  return whole === undefined ? null : BigInt(whole + decimals.padEnd(PLACES, "0"));
}

/**
 * Return units of 1e-12 nats as a plain decimal, without trailing zeros.
 * @param {bigint} units @returns {string}
 */
export function writeEpsilon(units) {
  const digits = String(units).padStart(PLACES + 1, "0");
  return `${digits.slice(0, -PLACES)}.${digits.slice(-PLACES)}`.replace(/\.?0+$/, "");
}

/**
 * Return an upper bound of ln(numerator / denominator), in parts of 2^-200; numerator > denominator >= 1.
 *
 * With x = 2^k m and m in [1, 2): ln x = k ln 2 + 2 artanh((m - 1) / (m + 1)).
 * @param {bigint} numerator @param {bigint} denominator @returns {bigint}
 */
export function logRatioAbove(numerator, denominator) {
  let doublings = 0n;
  for (; numerator >= 2n * denominator; doublings += 1n) denominator *= 2n;
  return doublings * artanhTwiceAbove(1n, 3n) + artanhTwiceAbove(numerator - denominator, numerator + denominator);
}

/**
 * Return a sum of such logarithms, each as often as is said, in units of 1e-12 nats, rounded up.
 * @param {[number, bigint][]} terms @returns {bigint}
 */
export function sumAbove(terms) {
  const total = terms.reduce((sum, [factor, term]) => sum + BigInt(factor) * term, 0n);
  return divideAbove(total * UNITS, SCALE);
}

/** 2 artanh(z) = 2 (z + z^3 / 3 + z^5 / 5 + ..) for z in [0, 1/3], every step rounded up. */
function artanhTwiceAbove(/** @type {bigint} */ numerator, /** @type {bigint} */ denominator) {
  const z = divideAbove(numerator * SCALE, denominator);
  const square = divideAbove(z * z, SCALE);
  let power = z;
  let sum = 2n; // above what is left after the last term: its ninth, and so on
  for (let term = 0; term < N_TERMS; term += 1) {
    sum += divideAbove(power, BigInt(2 * term + 1));
    power = divideAbove(power * square, SCALE);
  }
  return 2n * sum;
}

function divideAbove(/** @type {bigint} */ term, /** @type {bigint} */ divisor) {
  return (term + divisor - 1n) / divisor;
}
