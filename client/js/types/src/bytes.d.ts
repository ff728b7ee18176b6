/** @param {string} text @returns {Uint8Array} its UTF-8 */
export function utf8(text: string): Uint8Array;
/** @param {number} value in [0, 2^53) @param {number} nBytes @returns {Uint8Array} big-endian */
export function bigEndian(value: number, nBytes: number): Uint8Array;
/** @param {...ArrayLike<number>} parts @returns {Uint8Array} one behind the other */
export function concat(...parts: ArrayLike<number>[]): Uint8Array;
/** @param {Uint8Array} bytes @returns {Promise<Uint8Array>} their SHA-256 */
export function sha256(bytes: Uint8Array): Promise<Uint8Array>;
/** @param {Uint8Array} bytes @returns {string} lower-case hexadecimal digits */
export function hex(bytes: Uint8Array): string;
/** @param {Uint8Array} bytes @returns {string} base64 (RFC 4648), padded */
export function base64(bytes: Uint8Array): string;
/** @param {ArrayLike<number>} left @param {ArrayLike<number>} right */
export function areEqual(left: ArrayLike<number>, right: ArrayLike<number>): boolean;
/** @param {Uint8Array} bits of 0 and 1 @returns {Uint8Array} bit v is bit v mod 8 (lowest first) of byte v div 8 */
export function packBits(bits: Uint8Array): Uint8Array;
/** @param {Uint8Array} packed @param {number} nBits @returns {Uint8Array} of 0 and 1 */
export function unpackBits(packed: Uint8Array, nBits: number): Uint8Array;
