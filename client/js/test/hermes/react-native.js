/**
 * What React Native gives an app: timers, `fetch`, `AbortController` and native modules. What it wants of the phone it
 * prints as a line; what the phone says is a line that calls `tell`. See phone.js.
 */

const MARK = "\u0001";
/** @type {Map<number, (...given: any[]) => void>} */
const waiting = new Map();
let nAsked = 0;

/** @param {string} what @param {unknown} given @param {(...given: any[]) => void} [told] */
function ask(what, given, told = () => undefined) {
  nAsked += 1;
  waiting.set(nAsked, told);
  print(MARK + JSON.stringify([nAsked, what, given]));
  return nAsked;
}

globalThis.tell = (id, ...given) => {
  const told = waiting.get(id);
  waiting.delete(id);
  told?.(...given);
};

globalThis.perform = (id, program, given) => {
  const done = (value) => ask("done", [id, value ?? null]);
  const failed = (fault) => ask("failed", [id, { name: fault.name, message: fault.message, ...fault }]);
  try {
    Promise.resolve((0, eval)(`(${program})`)(globalThis.app, ...given)).then(done, failed);
  } catch (fault) {
    failed(fault);
  }
};

globalThis.setTimeout = (work, delayMs = 0) => ask("wait", delayMs, work);
globalThis.clearTimeout = (id) => {
  if (waiting.delete(id)) ask("clear", id);
};
globalThis.console = { assert: () => undefined, log: (...said) => ask("said", said.join(" ")) };
console.error = console.warn = console.info = console.log;
globalThis.self = globalThis.window = globalThis;
globalThis.AbortController = require("abort-controller/dist/abort-controller").AbortController;

/** What the polyfill of `fetch` builds on: a request whose answer is a text. */
globalThis.XMLHttpRequest = class {
  headers = {};

  open(method, url) {
    Object.assign(this, { method, url });
  }

  setRequestHeader(name, value) {
    this.headers[name] = value;
  }

  send(body) {
    const { method, url, headers } = this;
    const sent = body === null || typeof body === "string" ? body : Array.from(new Uint8Array(body.buffer ?? body));
    this.id = ask("fetch", { method, url, headers, body: sent }, (answer) => {
      if (answer === null) return this.onerror();
      Object.assign(this, answer, { responseURL: url });
      return this.onload();
    });
  }

  getAllResponseHeaders() {
    return this.head;
  }

  abort() {
    waiting.delete(this.id);
    ask("clear", this.id);
    this.onabort();
  }
};
require("whatwg-fetch");

let entropy = "";
/** Add to what the phone has: base64 of a multiple of 3 bytes. @param {string} more */
globalThis.gather = (more) => void (entropy += more);

const AsyncStorage = {
  multiGet: (keys, told) => ask("read", keys, told),
  multiSet: (pairs, told) => ask("write", pairs, told),
};

/** The next bytes, from a whole group of four letters on. @param {number} nBytes */
function getRandomBase64(nBytes) {
  const nLetters = 4 * Math.ceil(nBytes / 3);
  if (entropy.length < nLetters) throw new Error("the phone's entropy is used up");
  const letters = entropy.slice(0, nLetters);
  entropy = entropy.slice(nLetters);
  const nMissing = (3 - (nBytes % 3)) % 3;
  return letters.slice(0, nLetters - nMissing) + "=".repeat(nMissing);
}

export const NativeModules = { RNCAsyncStorage: AsyncStorage, RNGetRandomValues: { getRandomBase64 } };
export const TurboModuleRegistry = { get: (name) => NativeModules[name] ?? null };
