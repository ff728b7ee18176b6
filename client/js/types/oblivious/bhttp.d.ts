/** @typedef {[name: string, value: string][]} Lines header lines, their names in lower case */
/** @param {number} value in [0, 2^30) @returns {number[]} as QUIC writes it (RFC 9000, 16): in 1, 2 or 4 bytes */
export function varint(value: number): number[];
/**
 * Return a request of `size` bytes, or more if it has more.
 * @param {string} method @param {string} authority @param {string} path @param {Lines} lines @param {string} body
 * @param {number} [size]
 */
export function writeRequest(method: string, authority: string, path: string, lines: Lines, body: string, size?: number): Uint8Array<ArrayBufferLike>;
/**
 * Read a response; informational ones before it, and trailers, are not kept. Throws RangeError.
 * @param {Uint8Array} message @returns {{status: number, lines: Lines, body: Uint8Array}}
 */
export function readResponse(message: Uint8Array): {
    status: number;
    lines: Lines;
    body: Uint8Array;
};
/**
 * header lines, their names in lower case
 */
export type Lines = [name: string, value: string][];
