/** @param {string} text @returns {Uint8Array} with U+FFFD in place of half a surrogate pair */
export function encode(text: string): Uint8Array;
/**
 * Return the text of bytes; a byte that begins no character is U+FFFD, or, with `isFatal`, a TypeError.
 * @param {Uint8Array} bytes @param {boolean} isFatal
 */
export function decode(bytes: Uint8Array, isFatal: boolean): string;
