/** A gateway's keys: the list of RFC 9458 (3.1), and the epoch, last day and signature that devices hold it to. */

import { hex, sha256, utf8 } from "../src/bytes.js";

const SIGNED = "sottovoce ohttp keys 1\n";
/** X25519 (RFC 9180, 7.1): browsers that have Ed25519 have it. With one of them all requests have one length. */
const KEM = 0x20;
const KEY_BYTES = 32;
/** HKDF-SHA256 with AES-128-GCM. */
const SUITE = "00010001";

/** @typedef {{id: number, publicKey: Uint8Array}} Key of X25519 */
/** @typedef {{epoch: number, until: string, keys: Key[], digest: string}} Configuration `digest`: the list's SHA-256 */

/**
 * Return of a list the keys that this program can encrypt with, in its order. Throws RangeError.
 * @param {Uint8Array} list @returns {Key[]}
 */
export function readKeys(list) {
  /** @type {Key[]} */
  const keys = [];
  for (let at = 0; at < list.length;) {
    const end = at + 2 + number(list, at);
    const one = list.subarray(at + 2, end);
    if (end > list.length || one.length < 3) throw new RangeError("not a list of keys");
    at = end;
    if (number(one, 1) !== KEM) continue;
    /** @type {string[]} */
    const suites = hex(one.subarray(5 + KEY_BYTES)).match(/.{8}/g) ?? [];
    if (suites.includes(SUITE) && 4 * suites.length === number(one, 3 + KEY_BYTES)) {
      keys.push({ id: one[0], publicKey: one.subarray(3, 3 + KEY_BYTES) });
    }
  }
  return keys;
}

/**
 * Return a signed configuration; null where what came is none, such as the login page of a network in between. Throws
 * RangeError if its signature is not this key's, and the browser's NotSupportedError where that lacks Ed25519.
 * @param {any} document @param {string} gatewayKey 64 hexadecimal digits @returns {Promise<Configuration | null>}
 */
export async function readConfiguration(document, gatewayKey) {
  const { epoch, keys, signature, until } = document ?? {};
  const isOne =
    Number.isSafeInteger(epoch) &&
    epoch > 0 &&
    /^[\w-]{1,5500}$/.test(keys) &&
    /^[0-9a-f]{128}$/.test(signature) &&
    /^\d{4}-\d\d-\d\d$/.test(until);
  if (!isOne) return null;
  const signed = `${SIGNED}{"epoch":${epoch},"keys":"${keys}","until":"${until}"}`;
  if (!(await isSigned(unhex(signature), utf8(signed), unhex(gatewayKey)))) {
    throw new RangeError("the signature of the gateway's keys is not by the key that the survey names");
  }
  const list = unbase64(keys);
  return { epoch, until, keys: readKeys(list), digest: hex(await sha256(list)) };
}

async function isSigned(
  /** @type {Uint8Array<ArrayBuffer>} */ signature,
  /** @type {Uint8Array} */ message,
  /** @type {Uint8Array<ArrayBuffer>} */ publicKey,
) {
  const key = await crypto.subtle.importKey("raw", publicKey, "Ed25519", false, ["verify"]);
  return crypto.subtle.verify("Ed25519", key, signature, /** @type {BufferSource} */ (message));
}

function number(/** @type {Uint8Array} */ bytes, /** @type {number} */ at) {
  return 256 * bytes[at] + bytes[at + 1];
}

function unhex(/** @type {string} */ digits) {
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

function unbase64(/** @type {string} */ text) {
  return Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (character) => character.charCodeAt(0));
}
