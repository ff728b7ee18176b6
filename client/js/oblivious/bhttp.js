/** Binary HTTP (RFC 9292): requests are written, responses are read, both of known length; zeros may follow (3.8). */

import { concat, utf8 } from "../src/bytes.js";

const KNOWN_REQUEST = 0;
const KNOWN_RESPONSE = 1;

/** @typedef {[name: string, value: string][]} Lines header lines, their names in lower case */

/** @param {number} value in [0, 2^30) @returns {number[]} as QUIC writes it (RFC 9000, 16): in 1, 2 or 4 bytes */
export function varint(value) {
  if (value < 2 ** 6) return [value];
  if (value < 2 ** 14) return [0x40 | (value >> 8), value & 255];
  return [0x80 | (value >> 24), (value >> 16) & 255, (value >> 8) & 255, value & 255];
}

/**
 * Return a request of `size` bytes, or more if it has more.
 * @param {string} method @param {string} authority @param {string} path @param {Lines} lines @param {string} body
 * @param {number} [size]
 */
export function writeRequest(method, authority, path, lines, body, size = 0) {
  const control = [method, "https", authority, path].map((text) => sized(utf8(text)));
  const section = concat(...lines.flat().map((text) => sized(utf8(text))));
  const message = concat([KNOWN_REQUEST], ...control, sized(section), sized(utf8(body)), sized([]));
  return concat(message, new Uint8Array(Math.max(0, size - message.length)));
}

/**
 * Read a response; informational ones before it, and trailers, are not kept. Throws RangeError.
 * @param {Uint8Array} message @returns {{status: number, lines: Lines, body: Uint8Array}}
 */
export function readResponse(message) {
  const reading = new Reading(message);
  if (reading.number() !== KNOWN_RESPONSE) throw new RangeError("not a response of known length");
  let status = reading.number();
  for (; status >= 100 && status < 200; status = reading.number()) reading.section();
  if (status < 200 || status > 599) throw new RangeError("not a status");
  const [section, body] = [reading.section(), reading.section()];
  reading.section();
  if (!reading.isBlank) throw new RangeError("something follows");
  /** @type {Lines} */
  const lines = [];
  for (const line = new Reading(section); !line.isOver;) lines.push([text(line.sized()), text(line.sized())]);
  return { status, lines, body };
}

/** A length, and what is so long. */
function sized(/** @type {ArrayLike<number>} */ bytes) {
  return concat(varint(bytes.length), bytes);
}

function text(/** @type {Uint8Array} */ bytes) {
  return String.fromCharCode(...bytes);
}

/** Bytes that are read from their beginning. */
class Reading {
  #bytes;

  /** @param {Uint8Array} bytes */
  constructor(bytes) {
    this.#bytes = bytes;
  }

  get isOver() {
    return this.#bytes.length === 0;
  }

  get isBlank() {
    return this.#bytes.every((byte) => byte === 0);
  }

  /** @param {number} nBytes */
  take(nBytes) {
    if (nBytes > this.#bytes.length) throw new RangeError("it ends too early");
    const taken = this.#bytes.subarray(0, nBytes);
    this.#bytes = this.#bytes.subarray(nBytes);
    return taken;
  }

  number() {
    const [first] = this.take(1);
    return this.take((1 << (first >> 6)) - 1).reduce((value, byte) => 256 * value + byte, first & 63);
  }

  sized() {
    return this.take(this.number());
  }

  /** A section; at the end those that are empty may be missing (3.8). */
  section() {
    return this.isOver ? this.take(0) : this.sized();
  }
}
