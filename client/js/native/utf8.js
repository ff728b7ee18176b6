/** UTF-8 (RFC 3629), for engines that have no TextEncoder and TextDecoder. */

const UNKNOWN = 0xfffd;

/** @param {string} text @returns {Uint8Array} with U+FFFD in place of half a surrogate pair */
export function encode(text) {
  const bytes = [];
  for (const character of text) {
    const point = /** @type {number} */ (character.codePointAt(0));
    const code = point >= 0xd800 && point <= 0xdfff ? UNKNOWN : point;
    if (code < 0x80) bytes.push(code);
    else if (code < 0x800) bytes.push(0xc0 | (code >> 6), 0x80 | (code & 63));
    else if (code < 0x10000) bytes.push(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63));
    else {
      bytes.push(0xf0 | (code >> 18), 0x80 | ((code >> 12) & 63), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63));
    }
  }
  return Uint8Array.from(bytes);
}

/**
 * Return the text of bytes; a byte that begins no character is U+FFFD, or, with `isFatal`, a TypeError.
 * @param {Uint8Array} bytes @param {boolean} isFatal
 */
export function decode(bytes, isFatal) {
  const pieces = [];
  for (let at = 0; at < bytes.length;) {
    const [code, length] = characterAt(bytes, at);
    if (code === null && isFatal) throw new TypeError("no UTF-8");
    pieces.push(String.fromCodePoint(code ?? UNKNOWN));
    at += length;
  }
  return pieces.join("");
}

/** @param {Uint8Array} bytes @param {number} at @returns {[number | null, number]} the character, and its bytes */
function characterAt(bytes, at) {
  const first = bytes[at];
  if (first < 0x80) return [first, 1];
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) return [null, 1];
  let code = first & (0xff >> (length + 1));
  for (let next = 1; next < length; next += 1) {
    const byte = bytes[at + next];
    if (byte === undefined || (byte & 0xc0) !== 0x80) return [null, 1];
    code = (code << 6) | (byte & 63);
  }
  const least = [0, 0, 0x80, 0x800, 0x10000][length];
  const isCharacter = code >= least && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  return isCharacter ? [code, length] : [null, 1];
}
