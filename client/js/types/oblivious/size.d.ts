/**
 * Return a POST in binary HTTP, with zeros behind it up to the size of all requests of its survey: a power of two that holds
 * its longest report. (Checks, tokens and erasures are shorter than the least.)
 * @param {import("../src/way.js").Via} via @param {string} path at the collector @param {string} body
 */
export function paddedRequest({ url, nBytes }: import("../src/way.js").Via, path: string, body: string): Uint8Array<ArrayBufferLike>;
export type Lines = import("./bhttp.js").Lines;
