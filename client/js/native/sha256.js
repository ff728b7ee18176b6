/** SHA-256 (FIPS 180-4) and HMAC (RFC 2104), for engines that have no WebCrypto. */

const BLOCK_BYTES = 64;
const PRIMES = firstPrimes(64);
const ROUND = PRIMES.map((prime) => fractionOf(Math.cbrt, prime, 3));
const START = PRIMES.slice(0, 8).map((prime) => fractionOf(Math.sqrt, prime, 2));

/** @param {Uint8Array} message @returns {Uint8Array} 32 bytes */
export function sha256(message) {
  const nBlocks = Math.floor((message.length + 8) / BLOCK_BYTES) + 1;
  const padded = new Uint8Array(nBlocks * BLOCK_BYTES);
  padded.set(message);
  padded[message.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(message.length / 2 ** 29));
  view.setUint32(padded.length - 4, (message.length << 3) >>> 0);
  const state = Int32Array.from(START);
  for (let at = 0; at < padded.length; at += BLOCK_BYTES) compress(state, view, at);
  const digest = new DataView(new ArrayBuffer(32));
  state.forEach((word, index) => digest.setInt32(4 * index, word));
  return new Uint8Array(digest.buffer);
}

/** @param {Uint8Array} key @param {Uint8Array} message @returns {Uint8Array} 32 bytes */
export function hmacSha256(key, message) {
  const block = new Uint8Array(BLOCK_BYTES);
  block.set(key.length > BLOCK_BYTES ? sha256(key) : key);
  return hashBehind(block, 0x5c, hashBehind(block, 0x36, message));
}

/** @param {Uint8Array} block @param {number} mask @param {Uint8Array} message */
function hashBehind(block, mask, message) {
  const joined = new Uint8Array(BLOCK_BYTES + message.length);
  joined.set(block.map((byte) => byte ^ mask));
  joined.set(message, BLOCK_BYTES);
  return sha256(joined);
}

/** @param {Int32Array} state @param {DataView} view @param {number} at */
function compress(state, view, at) {
  const words = new Int32Array(64);
  for (let t = 0; t < 16; t += 1) words[t] = view.getInt32(at + 4 * t);
  for (let t = 16; t < 64; t += 1) {
    const [old, recent] = [words[t - 15], words[t - 2]];
    const low = turn(old, 7) ^ turn(old, 18) ^ (old >>> 3);
    const high = turn(recent, 17) ^ turn(recent, 19) ^ (recent >>> 10);
    words[t] = words[t - 16] + low + words[t - 7] + high;
  }
  let [a, b, c, d, e, f, g, h] = state;
  for (let t = 0; t < 64; t += 1) {
    const first = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + ROUND[t] + words[t];
    const second = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((word, index) => (state[index] += word));
}

/** @param {number} word @param {number} nBits */
function turn(word, nBits) {
  return (word >>> nBits) | (word << (32 - nBits));
}

/** @param {number} nPrimes */
function firstPrimes(nPrimes) {
  /** @type {number[]} */
  const primes = [];
  for (let number = 2; primes.length < nPrimes; number += 1) {
    if (primes.every((prime) => number % prime)) primes.push(number);
  }
  return primes;
}

/**
 * The first 32 bits of the fraction of a prime's root, exactly: by integers, as a float's last bits may be wrong.
 * @param {(number: number) => number} near @param {number} prime @param {2 | 3} degree
 */
function fractionOf(near, prime, degree) {
  const scaled = BigInt(prime) << BigInt(32 * degree);
  let root = BigInt(Math.floor(near(prime) * 2 ** 32));
  while (root ** BigInt(degree) > scaled) root -= 1n;
  while ((root + 1n) ** BigInt(degree) <= scaled) root += 1n;
  return Number(root & 0xffffffffn) | 0;
}
