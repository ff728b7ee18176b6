/** The client for programs of Node: its state is a folder, and outlives the program. */

import { SurveyClient as Client } from "../src/client.js";
import { MEMORY } from "../src/state.js";
import { nameOf } from "../kept/storage.js";
import { Folder } from "./folder.js";

/**
 * As of a page, but `state`: the path of a folder, ":memory:", or a storage of the program's own.
 * @typedef {Omit<import("../src/options.js").Options, "state"> & {state?: string | import("../kept/storage.js").Storage}} Options
 */

/** @template {object} [Given=import("../src/client.js").Answers] @extends {Client<Given>} */
export class SurveyClient extends Client {
  /** @param {string} url @param {string} surveyId @param {Options} [options] */
  constructor(url, surveyId, { state, ...options } = {}) {
    super(url, surveyId, { ...options, state: nameOfState(state) });
  }
}

/** @param {string | import("../kept/storage.js").Storage | undefined} state */
export function nameOfState(state) {
  if (state === MEMORY) return MEMORY;
  if (state === "") throw new TypeError("state must be a path that is not empty.");
  return nameOf(typeof state === "object" ? state : new Folder(state));
}
