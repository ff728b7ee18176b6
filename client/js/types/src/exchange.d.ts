/** @typedef {{status: number, headers: Headers, body: Uint8Array, keys?: string}} Reply `keys`: see `Receipt` */
/** @typedef {{status: number, code: string, detail: string, where: string}} Problem RFC 9457's, or `unexpected` */
/**
 * Return a collector's or a relay's address without a trailing slash. Throws TypeError, which quotes nothing.
 * @param {unknown} url @param {string} [name]
 */
export function checkUrl(url: unknown, name?: string): string;
/**
 * Connect, send, and read the answer to its end, all within `timeoutMs`, however the other side behaves. The request is
 * begun at once: the page may be closing, and it outlives that.
 * @param {string} url @param {number} timeoutMs @param {number} maxBytes of the answer
 * @param {BodyInit & {length: number}} [body] of a POST; none: a GET @param {string} [type] its media type
 * @returns {Promise<Reply>}
 */
export function exchange(url: string, timeoutMs: number, maxBytes: number, body?: BodyInit & {
    length: number;
}, type?: string): Promise<Reply>;
/**
 * Return what a collector says is wrong with a request, with 4xx. Whatever is not a problem document of its own kind, by
 * media type and `type`, has the code `unexpected`: gateways and portals in between send JSON with a `code`, too.
 * @param {Reply} reply @returns {Problem}
 */
export function problemOf({ status, headers, body }: Reply): Problem;
/** @param {Uint8Array} body @returns {any} undefined for what is no JSON object */
export function readJson(body: Uint8Array): any;
/**
 * `keys`: see `Receipt`
 */
export type Reply = {
    status: number;
    headers: Headers;
    body: Uint8Array;
    keys?: string;
};
/**
 * RFC 9457's, or `unexpected`
 */
export type Problem = {
    status: number;
    code: string;
    detail: string;
    where: string;
};
