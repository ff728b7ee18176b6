/**
 * A storage that is a folder with one file, which only its owner can read.
 *
 * The file is never changed: each text gets a file of its own, named by the next number, and the one before is
 * overwritten with zeros and emptied. The new file is written under another name, flushed to the disk (fsync), and then
 * linked to its number, which fails if another process was faster. So nobody waits for a lock, and no process that was
 * killed leaves one behind. Some emptied files stay, so that a process that slept meanwhile finds its number taken.
 */

import { randomBytes } from "node:crypto";
import { chmod, link, mkdir, open, readFile, readdir, rm, stat, truncate } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { StateError } from "../src/errors.js";

const NUMBERED = /^(\d{1,15})\.json$/;
const UNFINISHED = /^new-[0-9a-f]{16}$/;
const UNFINISHED_MS = 60_000; // what is older belongs to a process that was killed
const N_EMPTIED = 2; // files that stay
const OTHERS = 0o077;

/** The folder below which states are: `$XDG_STATE_HOME/sottovoce`, by default under `~/.local/state`. */
export function homeOfStates() {
  const given = process.env.XDG_STATE_HOME ?? "";
  return join(isAbsolute(given) ? given : join(homedir(), ".local", "state"), "sottovoce");
}

/** @typedef {import("../kept/storage.js").Storage} Storage */

/** @implements {Storage} */
export class Folder {
  #makesParents;
  #isOpen = false;

  /** @param {string} [path] by default the user's, whose parents are made */
  constructor(path) {
    this.name = resolve(path ?? join(homeOfStates(), "node"));
    this.#makesParents = path === undefined;
  }

  /** @returns {Promise<import("../kept/storage.js").Read>} */
  async read() {
    if (!this.#isOpen) await this.#open();
    for (let numbers = await this.#numbers(); ;) {
      const version = Math.max(0, ...numbers);
      if (version === 0) return { text: null, version };
      const text = await readFile(this.#file(version), "utf8").catch(unlessGone);
      numbers = await this.#numbers(); // it is emptied only once there is another
      if (text !== undefined && Math.max(0, ...numbers) === version) return { text, version };
    }
  }

  /** @param {string} text @param {number} version */
  async write(text, version) {
    const [unfinished, next] = [join(this.name, `new-${randomBytes(8).toString("hex")}`), version + 1];
    try {
      await writeThrough(unfinished, text);
      await link(unfinished, this.#file(next));
    } catch (fault) {
      if (["EEXIST", "ENOENT"].includes(/** @type {any} */ (fault).code)) return false; // another process was faster
      throw fault;
    } finally {
      await rm(unfinished, { force: true });
    }
    await syncFolder(this.name);
    const numbers = await this.#numbers();
    if (Math.max(...numbers) > next + N_EMPTIED) {
      // This process slept so long that its number was used, and free again.
      await rm(this.#file(next), { force: true });
      return false;
    }
    await this.#empty(numbers);
    return true;
  }

  async #open() {
    try {
      await mkdir(this.name, { mode: 0o700, recursive: this.#makesParents });
      await syncFolder(dirname(this.name));
    } catch (fault) {
      const { code } = /** @type {any} */ (fault);
      if (code === "ENOENT") throw this.#fault(`there is no folder ${dirname(this.name)}`);
      if (code !== "EEXIST") throw fault;
    }
    const names = await readdir(this.name);
    if (names.length > 0 && !names.some((name) => NUMBERED.test(name) || UNFINISHED.test(name))) {
      throw this.#fault("it is another program's folder");
    }
    for (const name of names.filter((name) => UNFINISHED.test(name))) {
      const { mtimeMs } = (await stat(join(this.name, name)).catch(unlessGone)) ?? { mtimeMs: Infinity };
      if (Date.now() - mtimeMs > UNFINISHED_MS) await rm(join(this.name, name), { force: true });
    }
    for (const version of await this.#numbers()) {
      const { mode } = (await stat(this.#file(version)).catch(unlessGone)) ?? { mode: 0 };
      if (process.platform !== "win32" && mode & OTHERS) await chmod(this.#file(version), 0o600);
    }
    await this.#empty(await this.#numbers());
    this.#isOpen = true;
  }

  /** Overwrite what older files hold, and remove all but the last of them. @param {number[]} numbers */
  async #empty(numbers) {
    const newest = Math.max(0, ...numbers);
    for (const version of numbers.filter((version) => version < newest)) {
      try {
        await zero(this.#file(version));
        if (version < newest - N_EMPTIED) await rm(this.#file(version), { force: true });
      } catch {
        // The text is written, or another process was faster: the next one to write tries again.
      }
    }
  }

  async #numbers() {
    const names = await readdir(this.name);
    return names.flatMap((name) => Number(NUMBERED.exec(name)?.[1] ?? [])).filter((version) => version > 0);
  }

  /** @param {number} version */
  #file(version) {
    return join(this.name, `${version}.json`);
  }

  /** @param {string} why */
  #fault(why) {
    return new StateError(`state ${this.name} cannot be used (${why}).`);
  }
}

/** @param {string} path @param {string} text */
async function writeThrough(path, text) {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** @param {string} path */
async function zero(path) {
  const { size } = await stat(path);
  if (size === 0) return;
  const file = await open(path, "r+");
  try {
    await file.write(new Uint8Array(size), 0, size, 0);
    await file.sync();
  } finally {
    await file.close();
  }
  await truncate(path);
}

/** Make a new name durable; Windows knows no such thing. @param {string} path */
async function syncFolder(path) {
  if (process.platform === "win32") return;
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** @param {any} fault @returns {undefined} where a file is gone */
function unlessGone(fault) {
  if (fault.code !== "ENOENT") throw fault;
}
