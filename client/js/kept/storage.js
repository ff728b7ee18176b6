/**
 * A device's state as one text, in a storage that the program gives: a folder of Node, or the key-value store of an app.
 *
 * A transaction reads the text, changes a copy, and has it written in place of what it read. If somebody else wrote in
 * between, it is run again. What is written is all of a transaction or nothing of it.
 */

import { base64 } from "../src/bytes.js";
import { StateError } from "../src/errors.js";
import { KEYS, MEMORY, MemoryState, VERSION } from "../src/state.js";

const GIVEN_UP_AFTER_MS = 10_000; // while others write
const MOST_PAUSE_MS = 40;
const [BYTES, INTEGER] = ["$bytes", "$integer"]; // no member of a record begins with "$"

/**
 * What a text was when it was read: `version` is the storage's own, given back to `write`.
 * @typedef {{text: string | null, version: number}} Read
 */
/**
 * Where one text is kept. Both functions may be called by several programs at once only if `write` compares versions.
 * @typedef {object} Storage
 * @property {string} name for messages
 * @property {() => Promise<Read>} read the text that was written last; null if none was
 * @property {(text: string, version: number) => Promise<boolean>} write replace what was read: durable, all of it, once the
 *   promise is kept. False, and nothing is written, if it was replaced since
 */

/** @typedef {import("../src/state.js").State} State */

/** @type {Map<string, Storage>} */
const given = new Map();
let nGiven = 0;

/** Return the name by which `openState` knows a storage. @param {Storage} storage */
export function nameOf(storage) {
  nGiven += 1;
  given.set(`storage ${nGiven}`, storage);
  return `storage ${nGiven}`;
}

/**
 * Open the state that has this name; it is read when it is first used.
 * @param {string} name @returns {Promise<State>}
 */
export async function openState(name) {
  const storage = given.get(name);
  given.delete(name);
  return name === MEMORY || storage === undefined ? new MemoryState() : new KeptState(storage);
}

/** @implements {State} */
export class KeptState {
  isDurable = true;
  #storage;
  /** @type {Promise<unknown>} */
  #last = Promise.resolve();

  /** @param {Storage} storage */
  constructor(storage) {
    this.#storage = storage;
  }

  /**
   * Run a transaction after those that were asked for before. Throws StateError.
   * @template Result @param {(transaction: import("../src/state.js").Transaction) => Promise<Result>} work
   * @returns {Promise<Result>}
   */
  transact(work) {
    const turn = this.#last.then(() => this.#run(work));
    this.#last = turn.catch(() => undefined); // its caller gets the fault
    return turn;
  }

  close() {}

  /** @template Result @param {(transaction: import("../src/state.js").Transaction) => Promise<Result>} work */
  async #run(work) {
    for (const began = Date.now(); ;) {
      const { text, version } = await this.#ask(() => this.#storage.read());
      const stores = this.#parse(text);
      let isChanged = false;
      const of = (/** @type {string} */ store) => /** @type {Map<string, any>} */ (stores.get(store));
      const result = await work({
        get: async (store, ...key) => of(store).get(String(key)),
        all: async (store) => [...of(store).keys()].sort().map((key) => of(store).get(key)),
        put: async (store, /** @type {any} */ record) => {
          isChanged = true;
          of(store).set(keyOf(store, record), record);
        },
        delete: async (store, ...key) => {
          if (of(store).delete(String(key))) isChanged = true;
        },
      });
      if (!isChanged || (await this.#ask(() => this.#storage.write(write(stores), version)))) return result;
      if (Date.now() - began > GIVEN_UP_AFTER_MS) throw this.#fault("other programs hold it");
      await new Promise((resolve) => setTimeout(resolve, Math.random() * MOST_PAUSE_MS)); // of times, not of answers
    }
  }

  /** @template Result @param {() => Promise<Result>} asked @returns {Promise<Result>} */
  async #ask(asked) {
    try {
      return await asked();
    } catch (cause) {
      if (cause instanceof StateError) throw cause;
      throw this.#fault(/** @type {any} */ (cause).code ?? /** @type {Error} */ (cause).name, cause);
    }
  }

  /** @param {string | null} text @returns {Map<string, Map<string, any>>} */
  #parse(text) {
    const { sottovoce, ...stores } = text === null ? { sottovoce: VERSION } : this.#read(text);
    if (!Number.isInteger(sottovoce)) throw this.#fault("it is damaged");
    if (sottovoce > VERSION) throw this.#fault("it was made by a newer sottovoce");
    return new Map(
      Object.keys(KEYS).map((name) => [
        name,
        new Map((stores[name] ?? []).map((/** @type {any} */ record) => [keyOf(name, record), record])),
      ]),
    );
  }

  /** @param {string} text @returns {any} */
  #read(text) {
    try {
      const document = JSON.parse(text, revive);
      const lists = Object.keys(KEYS).map((name) => document[name] ?? []);
      if (lists.flat().every((record) => typeof record === "object" && record !== null)) return document;
    } catch {
      // Not the parser's own message, which quotes the text.
    }
    throw this.#fault("it is damaged");
  }

  /** @param {string} why @param {unknown} [cause] */
  #fault(why, cause) {
    return new StateError(`state ${this.#storage.name} cannot be used (${why}).`, { cause });
  }
}

/** @param {string} store @param {any} record */
function keyOf(store, record) {
  return String(KEYS[store].map((member) => record[member]));
}

/** @param {Map<string, Map<string, any>>} stores */
function write(stores) {
  const lists = [...stores].map(([name, records]) => [name, [...records.values()]]);
  return JSON.stringify({ sottovoce: VERSION, ...Object.fromEntries(lists) }, replace);
}

/** @this {any} @param {string} name @param {unknown} value */
function replace(name, value) {
  const own = this[name]; // before Buffer's `toJSON`
  if (own instanceof Uint8Array) return { [BYTES]: base64(own) };
  return typeof value === "bigint" ? { [INTEGER]: String(value) } : value;
}

/** @param {string} _ @param {any} value */
function revive(_, value) {
  if (typeof value?.[BYTES] === "string") return bytesOf(value[BYTES]);
  return typeof value?.[INTEGER] === "string" ? BigInt(value[INTEGER]) : value;
}

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** @param {string} text base64 (RFC 4648), padded */
function bytesOf(text) {
  const digits = [...text.replace(/=+$/, "")].map((digit) => DIGITS.indexOf(digit));
  if (digits.includes(-1)) throw new RangeError();
  const bytes = new Uint8Array(Math.floor((digits.length * 3) / 4));
  let [bits, value, at] = [0, 0, 0];
  for (const digit of digits) {
    value = ((value << 6) | digit) & 0xffff;
    bits += 6;
    if (bits >= 8) bytes[at++] = (value >> (bits -= 8)) & 0xff;
  }
  return bytes;
}
