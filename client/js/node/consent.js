/**
 * What the user of a program said about its measures, and how far these are: two small JSON files, mode 0600. They are
 * apart, so that nobody who notes how far they are can overwrite what the user says meanwhile.
 */

import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { StateError } from "../src/errors.js";

/** Variables that switch all measures off, if they say anything but no. */
export const SWITCHES = ["SOTTOVOCE_OFF", "DO_NOT_TRACK"];
const NO = ["", "0", "false", "no"];

/** Whether a variable of the environment switches all measures off. */
export function isSwitchedOff(environment = process.env) {
  return SWITCHES.some((name) => !NO.includes((environment[name] ?? "").trim().toLowerCase()));
}

/**
 * Return what was noted of this version of a survey: nothing if the file is missing, damaged, or about another version.
 * @param {string} path @param {string} fingerprint @returns {{agreed?: unknown, wave?: unknown, triedAt?: unknown}}
 */
export function readNote(path, fingerprint) {
  try {
    const found = JSON.parse(readFileSync(path, "utf8"));
    return found.fingerprint === fingerprint ? found : {};
  } catch {
    return {};
  }
}

/** Replace the file, all of it or nothing. Throws StateError. @param {string} path @param {object} note */
export function writeNote(path, note) {
  const fresh = `${path}.${randomBytes(8).toString("hex")}`;
  try {
    mkdirSync(dirname(path), { mode: 0o700, recursive: true });
    try {
      const file = openSync(fresh, "wx", 0o600);
      try {
        writeFileSync(file, JSON.stringify(note));
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
      renameSync(fresh, path);
      syncFolder(dirname(path)); // else an "off" could be gone after a power cut
    } finally {
      rmSync(fresh, { force: true });
    }
  } catch (cause) {
    throw new StateError(`${path} cannot be written (${/** @type {any} */ (cause).code}).`, { cause });
  }
}

function syncFolder(/** @type {string} */ name) {
  const folder = openSync(name, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
