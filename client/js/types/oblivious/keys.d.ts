/** @typedef {{id: number, publicKey: Uint8Array}} Key of X25519 */
/** @typedef {{epoch: number, until: string, keys: Key[], digest: string}} Configuration `digest`: the list's SHA-256 */
/**
 * Return of a list the keys that this program can encrypt with, in its order. Throws RangeError.
 * @param {Uint8Array} list @returns {Key[]}
 */
export function readKeys(list: Uint8Array): Key[];
/**
 * Return a signed configuration; null where what came is none, such as the login page of a network in between. Throws
 * RangeError if its signature is not this key's, and the browser's NotSupportedError where that lacks Ed25519.
 * @param {any} document @param {string} gatewayKey 64 hexadecimal digits @returns {Promise<Configuration | null>}
 */
export function readConfiguration(document: any, gatewayKey: string): Promise<Configuration | null>;
/**
 * of X25519
 */
export type Key = {
    id: number;
    publicKey: Uint8Array;
};
/**
 * `digest`: the list's SHA-256
 */
export type Configuration = {
    epoch: number;
    until: string;
    keys: Key[];
    digest: string;
};
