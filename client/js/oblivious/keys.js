/** A gateway's keys: the list of RFC 9458 (3.1), and the epoch, last day and signature that devices hold it to. */

import { verifyAsync } from "@noble/ed25519";
import { hex, sha256, utf8 } from "../src/bytes.js";

const SIGNED = "sottovoce ohttp keys 1\n";
/** By key encapsulation (RFC 9180, 7.1) the bytes of a public key. @type {{[kem: number]: number}} */
const KEY_BYTES = { 0x20: 32, 0x10: 65 };
/** HKDF-SHA256 with AES-128-GCM. */
const SUITE = "00010001";

/** @typedef {{id: number, kem: number, publicKey: Uint8Array}} Key */
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
    const [id, kem] = [one[0], number(one, 1)];
    const nBytes = KEY_BYTES[kem] ?? Infinity;
    /** @type {string[]} */
    const suites = hex(one.subarray(5 + nBytes)).match(/.{8}/g) ?? [];
    if (suites.includes(SUITE) && 4 * suites.length === number(one, 3 + nBytes)) {
      keys.push({ id, kem, publicKey: one.subarray(3, 3 + nBytes) });
    }
  }
  return keys;
}

/**
 * Return a signed configuration; null where what came is none, such as the login page of a network in between. Throws
 * RangeError if its signature is not this key's.
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

/** Whether a signature is good: by the browser, or where it does not know Ed25519, by a library. */
async function isSigned(
  /** @type {Uint8Array<ArrayBuffer>} */ signature,
  /** @type {Uint8Array} */ message,
  /** @type {Uint8Array<ArrayBuffer>} */ publicKey,
) {
  try {
    const key = await crypto.subtle.importKey("raw", publicKey, "Ed25519", false, ["verify"]);
    return await crypto.subtle.verify("Ed25519", key, signature, /** @type {BufferSource} */ (message));
  } catch {
    return verifyAsync(signature, message, publicKey, { zip215: false });
  }
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
