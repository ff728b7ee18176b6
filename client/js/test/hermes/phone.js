/** A phone that runs an app: the engine Hermes, its store, its entropy, its timers and its network. */

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const FOLDER = { linux: "linux64-bin", darwin: "osx-bin" }[process.platform];
const HERMES = fileURLToPath(new URL(`node_modules/hermes-engine-cli/${FOLDER}/hermes`, import.meta.url));
const MARK = "\u0001";
const N_ENTROPY_BYTES = 3 * 2 ** 13;

/** Bytes that look random, and are the same for the same seed: SHA-256 of it and a number. @param {string} seed */
export function bytesOf(seed, nBytes = N_ENTROPY_BYTES) {
  const blocks = Array.from({ length: Math.ceil(nBytes / 32) }, (_, n) =>
    createHash("sha256").update(`${seed} ${n}`).digest(),
  );
  return Buffer.concat(blocks).subarray(0, nBytes);
}

/** Fill arrays with the bytes that an app on a phone with this seed gets, in threes. @param {string} seed */
export function fillerOf(seed) {
  let left = bytesOf(seed);
  return (/** @type {Uint8Array} */ bytes) => {
    bytes.set(left.subarray(0, bytes.length));
    left = left.subarray(3 * Math.ceil(bytes.length / 3));
  };
}

export class Phone {
  /** @type {Map<string, string>} what stays when the app is killed */
  store;
  /** Whether the app hears of an answer that came. @type {(method: string) => boolean} */
  answered = () => true;
  #process;
  #closed;
  #pending = new Map();
  #timers = new Map();
  #said = "";
  #nPrograms = 0;

  /**
   * Start the app.
   * @param {string} bundle its file @param {{store?: Map<string, string>, seed: string, flags?: string[],
   *   hosts?: {[url: string]: string}}} options `hosts`: where addresses really lead
   */
  constructor(bundle, { store = new Map(), seed, flags = [], hosts = {} }) {
    Object.assign(this, { store, hosts });
    this.#process = spawn(HERMES, ["-prompt=", "-prompt2=", ...flags], { stdio: ["pipe", "pipe", "pipe"] });
    for (const stream of [this.#process.stdout, this.#process.stderr]) {
      createInterface({ input: stream }).on("line", (line) => this.#hear(line));
    }
    this.#closed = new Promise((resolve) => this.#process.on("close", resolve));
    this.#closed.then(() => this.#end(new Error(`the app has ended:\n${this.#said}`)));
    this.#process.stdin.on("error", () => undefined); // it was killed
    this.#call("(0, eval)", readFileSync(bundle, "utf8"));
    this.#call("gather", bytesOf(seed).toString("base64"));
  }

  /** Have the app call a function with what stands in `app`, and what is given; it must be as old as its engine. */
  run(/** @type {Function} */ program, /** @type {unknown[]} */ ...given) {
    this.#nPrograms += 1;
    const id = this.#nPrograms;
    this.#call("perform", id, String(program), given);
    return new Promise((resolve, reject) => this.#pending.set(id, { resolve, reject }));
  }

  /** End the app at once, as a system does that needs its memory. */
  kill() {
    this.#process.kill("SIGKILL");
    for (const stop of this.#timers.values()) stop();
    return this.#closed;
  }

  #end(/** @type {Error} */ fault) {
    for (const { reject } of this.#pending.values()) reject(fault);
    this.#pending.clear();
  }

  #call(/** @type {string} */ name, /** @type {unknown[]} */ ...given) {
    this.#process.stdin.write(`${name}(${given.map((each) => JSON.stringify(each)).join(", ")}); void 0\n`);
  }

  #hear(/** @type {string} */ line) {
    const at = line.indexOf(MARK);
    if (at < 0) {
      this.#said += `${line}\n`;
      if (line.includes("Uncaught")) setImmediate(() => this.#end(new Error(this.#said))); // with the lines below it
      return;
    }
    const [id, what, given] = JSON.parse(line.slice(at + 1));
    const tell = (/** @type {unknown[]} */ ...told) => {
      this.#timers.delete(id);
      this.#call("tell", id, ...told);
    };
    this[/** @type {"wait"} */ (what)](given, tell, id);
  }

  done([id, value]) {
    this.#pending.get(id)?.resolve(value);
    this.#pending.delete(id);
  }

  failed([id, fault]) {
    this.#pending.get(id)?.reject(Object.assign(new Error(fault.message), fault));
    this.#pending.delete(id);
  }

  said(/** @type {string} */ text) {
    this.#said += `${text}\n`;
  }

  wait(/** @type {number} */ delayMs, /** @type {() => void} */ tell, /** @type {number} */ id) {
    const timer = setTimeout(tell, delayMs);
    this.#timers.set(id, () => clearTimeout(timer));
  }

  clear(/** @type {number} */ id) {
    this.#timers.get(id)?.();
    this.#timers.delete(id);
  }

  read(/** @type {string[]} */ keys, /** @type {(...told: unknown[]) => void} */ tell) {
    tell(
      null,
      keys.map((key) => [key, this.store.get(key) ?? null]),
    );
  }

  write(/** @type {[string, string][]} */ pairs, /** @type {(...told: unknown[]) => void} */ tell) {
    for (const [key, text] of pairs) this.store.set(key, text);
    tell(null);
  }

  async fetch(
    { method, url, headers, body },
    /** @type {(...told: unknown[]) => void} */ tell,
    /** @type {number} */ id,
  ) {
    const controller = new AbortController();
    this.#timers.set(id, () => controller.abort());
    const host = Object.keys(this.hosts).find((each) => url.startsWith(each));
    const real = host === undefined ? url : this.hosts[host] + url.slice(host.length);
    try {
      const sent = Array.isArray(body) ? Uint8Array.from(body) : body;
      const response = await fetch(real, { method, headers, body: sent, signal: controller.signal });
      const head = [...response.headers].map(([name, value]) => `${name}: ${value}\r\n`).join("");
      const text = await response.text();
      if (this.answered(method))
        tell({ status: response.status, statusText: response.statusText, head, response: text });
    } catch {
      if (!controller.signal.aborted) tell(null);
    }
  }
}
