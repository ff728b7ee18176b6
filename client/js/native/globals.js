/** What React Native lacks of a browser, in the places where the client uses it. See scripts/bundle_client.mjs. */

import { hmacSha256, sha256 } from "./sha256.js";
import { decode, encode } from "./utf8.js";

/** What the app itself has: in the bundle, `globalThis.crypto` and `globalThis.fetch` are what this module exports. */
const app = () => globalThis;

/** @type {((bytes: Uint8Array) => unknown) | undefined} */
let fill;

/** Take the app's source of random bytes: it fills an array. @param {(bytes: Uint8Array) => unknown} getRandomValues */
export function setEntropy(getRandomValues) {
  fill = getRandomValues;
}

export const crypto = {
  /** @template {Uint8Array | Uint32Array} Filled @param {Filled} array @returns {Filled} */
  getRandomValues(array) {
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    const own = app().crypto; // a polyfill's
    const from = fill ?? own?.getRandomValues?.bind(own);
    if (from === undefined) throw new TypeError("getRandomValues must be given: this app has no source of entropy.");
    from(bytes);
    if (bytes.length >= 16 && bytes.every((byte) => byte === 0)) {
      throw new TypeError("getRandomValues must fill the array that it is given: it left zeros."); // by chance: 2^-128
    }
    return array;
  },
  subtle: {
    digest: async (/** @type {string} */ _, /** @type {Uint8Array} */ bytes) => sha256(bytes),
    importKey: async (/** @type {string} */ _, /** @type {Uint8Array} */ secret) => Uint8Array.from(secret),
    sign: async (/** @type {string} */ _, /** @type {Uint8Array} */ key, /** @type {Uint8Array} */ message) =>
      hmacSha256(key, message),
  },
};

export class TextEncoder {
  /** @param {string} text */
  encode(text) {
    return encode(text);
  }
}

export class TextDecoder {
  #isFatal;

  /** @param {string} [_] @param {{fatal?: boolean}} [options] */
  constructor(_, { fatal = false } = {}) {
    this.#isFatal = fatal;
  }

  /** @param {Uint8Array} bytes */
  decode(bytes) {
    return decode(bytes, this.#isFatal);
  }
}

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Base64 (RFC 4648), padded. @param {string} binary a character a byte */
export function btoa(binary) {
  let text = "";
  for (let at = 0; at < binary.length; at += 3) {
    const three = [0, 1, 2].map((more) => binary.charCodeAt(at + more) || 0);
    const value = (three[0] << 16) | (three[1] << 8) | three[2];
    text += [18, 12, 6, 0].map((shift) => DIGITS[(value >> shift) & 63]).join("");
  }
  const nMissing = (3 - (binary.length % 3)) % 3;
  return text.slice(0, text.length - nMissing) + "=".repeat(nMissing);
}

/** The parts of an address that `checkUrl` looks at: React Native's own are not all there. */
export class URL {
  /** @param {string} text */
  constructor(text) {
    const parts =
      /^(https?:)\/\/((?:[^/?#@\s\\]*@)?)((?:\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::\d{1,5})?)(\/[^\s\\]*)?$/i.exec(text);
    if (parts === null) throw new TypeError("no address");
    const [, protocol, user, host, path = "/"] = parts;
    this.protocol = protocol.toLowerCase();
    this.username = user;
    this.password = "";
    this.href = `${this.protocol}//${host.toLowerCase()}${path}`;
  }
}

/**
 * Fetch, and read the whole body as text: React Native has no streams, and old ones no bytes. A body that is no UTF-8
 * comes out changed, which no collector's is.
 * @param {string} url @param {RequestInit} options
 */
export async function fetch(url, options) {
  const response = await app().fetch(url, options);
  const bytes = encode(await response.text());
  let parts = [bytes];
  const read = async () => (parts.length > 0 ? { done: false, value: parts.pop() } : { done: true, value: undefined });
  return { status: response.status, headers: response.headers, body: { getReader: () => ({ read }) } };
}
