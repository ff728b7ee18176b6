/** Bytes: joined, packed, hashed and written as text. */

const encoder = new TextEncoder();

/** @param {string} text @returns {Uint8Array} its UTF-8 */
export function utf8(text) {
  return encoder.encode(text);
}

/** @param {number} value in [0, 2^53) @param {number} nBytes @returns {Uint8Array} big-endian */
export function bigEndian(value, nBytes) {
  return Uint8Array.from({ length: nBytes }, (_, index) => Math.floor(value / 2 ** (8 * (nBytes - 1 - index))) % 256);
}

/** @param {...ArrayLike<number>} parts @returns {Uint8Array} one behind the other */
export function concat(...parts) {
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

/** @param {Uint8Array} bytes @returns {Promise<Uint8Array>} their SHA-256 */
export async function sha256(bytes) {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", /** @type {BufferSource} */ (bytes)));
}

/** @param {Uint8Array} bytes @returns {string} lower-case hexadecimal digits */
export function hex(bytes) {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** @param {Uint8Array} bytes @returns {string} base64 (RFC 4648), padded */
export function base64(bytes) {
  return btoa(String.fromCharCode(...bytes));
}

/** @param {ArrayLike<number>} left @param {ArrayLike<number>} right */
export function areEqual(left, right) {
  return left.length === right.length && Array.prototype.every.call(left, (byte, index) => byte === right[index]);
}

/** @param {Uint8Array} bits of 0 and 1 @returns {Uint8Array} bit v is bit v mod 8 (lowest first) of byte v div 8 */
export function packBits(bits) {
  const packed = new Uint8Array(Math.ceil(bits.length / 8));
  bits.forEach((bit, index) => (packed[index >> 3] |= bit << (index & 7)));
  return packed;
}

/** @param {Uint8Array} packed @param {number} nBits @returns {Uint8Array} of 0 and 1 */
export function unpackBits(packed, nBits) {
  return Uint8Array.from({ length: nBits }, (_, index) => (packed[index >> 3] >> (index & 7)) & 1);
}
