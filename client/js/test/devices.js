/** What the client's tests share: surveys, answers with canaries in them, and ways to look into a state. */

import { readFileSync } from "node:fs";
import { SurveyClient } from "../sottovoce.js";
import { openState } from "../src/state.js";
import { readSurvey } from "../src/survey.js";

/** @typedef {import("./server.js").FaultServer} FaultServer */
/** @typedef {import("node:test").TestContext} TestContext */

/** Canonical texts, by name: see tests/support/js_surveys.py. @type {{[name: string]: string}} */
export const TEXTS = JSON.parse(readFileSync(new URL("surveys.json", import.meta.url), "utf8"));

/** @param {string} text @returns {Promise<import("../src/survey.js").Survey>} */
export const surveyOf = (text) => readSurvey(new TextEncoder().encode(text));

export const LUNCH = await surveyOf(TEXTS.lunch);
export const PULSE = await surveyOf(TEXTS.pulse);
/** What its waves take while the answers stay the same. */
export const PULSE_CHARGES = ["2.25", "1.661030698899", "0.939651335875"];
/** What the first three reports of one answer to the diary take. */
export const DIARY_CHARGES = ["1", "0.741954631733", "0.421719448538"];
export const ANSWERS = { paid: true, dish: "leftovers", drinks: ["wine"] };
export const WORDS = { word: "kaleidoscope", rest: "kaleidoscope", well: true };
/** Two answers to the wide survey give the same report with a probability below 1e-20. */
export const CHOSEN = {
  which: Array.from({ length: 64 }, (_, index) => `option-${String(2 * index).padStart(3, "0")}`),
};
export const STORES = /** @type {const} */ (["surveys", "secrets", "ledger", "outbox", "draws", "sent"]);
export const CANARY = "kaleidoscope-9317-\u00fcber";
export const INVITATION = "mrswmz3infvgw3dnnzxxa4lsom";
export const OTHER_INVITATION = "giztinjwg44dsor3hq6t4p2aie";

/** A survey's text with another title: a new version of it. @param {string} text @param {string} title */
export const retitled = (text, title) => text.replace(/"title":"[^"]*"/, `"title":"${title}"`);

let nStates = 0;
/** A name that no other test uses: what is kept under it outlives the client, until the process ends. */
export const newState = () => `device-${(nStates += 1)}`;

/**
 * A client of a served survey, that is closed when the test ends.
 * @param {TestContext} t @param {FaultServer} http @param {string} surveyId
 * @param {import("../src/client.js").Options} [options]
 */
export function open(t, http, surveyId, options = {}) {
  const device = new SurveyClient(http.url, surveyId, { state: ":memory:", ...options });
  t.after(() => device.close());
  return device;
}

/**
 * Answer one wave with a client of its own, and deliver.
 * @param {FaultServer} http @param {string} state @param {{[id: string]: unknown}} answers @param {number} [wave]
 * @param {import("../src/client.js").Options} [options]
 */
export async function answerOnce(http, state, answers, wave = 1, options = {}) {
  const { id } = JSON.parse(String(http.surveyReply.body));
  const device = new SurveyClient(http.url, id, { state, ...options });
  try {
    const receipt = await device.answer(answers, wave);
    if (!(await device.flush(20_000))) throw new Error("the report was not delivered");
    return receipt;
  } finally {
    device.close();
  }
}

/** @param {string} state @param {import("../src/state.js").StoreName} store @returns {Promise<any[]>} its records */
export async function rowsOf(state, store) {
  return (await openState(state)).transact((transaction) => transaction.all(store));
}

/** Change all records of a store, behind the client's back. @param {string} state
 * @param {import("../src/state.js").StoreName} store @param {(record: any) => object} change */
export async function changeRows(state, store, change) {
  await (
    await openState(state)
  ).transact(async (transaction) => {
    for (const record of await transaction.all(store)) await transaction.put(store, change(record));
  });
}

/** Wait until the collector has been asked, and have the state forget when it may be asked again.
 * @param {SurveyClient} device @param {string} state */
export async function letGo(device, state) {
  if (await device.flush(20_000)) throw new Error("the report was delivered");
  await changeRows(state, "outbox", (report) => ({ ...report, notBefore: 0, isHeld: false }));
}

/** All texts and numbers in some value, its bytes as Latin-1 and in hexadecimal, one a line. @param {unknown} value */
export function textOf(value) {
  /** @type {string[]} */
  const found = [];
  const visit = (/** @type {unknown} */ part) => {
    if (part instanceof Uint8Array) found.push(Buffer.from(part).toString("latin1"), Buffer.from(part).toString("hex"));
    else if (part instanceof CryptoKey || typeof part === "function") return;
    else if (part !== null && typeof part === "object") [...Object.keys(part), ...Object.values(part)].forEach(visit);
    else found.push(String(part));
  };
  visit(value);
  return found.join("\n");
}

/** All that a state keeps, as text. @param {string} state */
export async function stateText(state) {
  return textOf(await Promise.all(STORES.map((store) => rowsOf(state, store))));
}

/** @param {Promise<unknown>} promise @returns {Promise<any>} what it fails with */
export async function faultOf(promise) {
  try {
    await promise;
  } catch (fault) {
    return fault;
  }
  throw new Error("nothing was thrown");
}

/** Wait until something holds. */
export async function until(/** @type {() => Promise<boolean>} */ holds) {
  const deadline = performance.now() + 20_000;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error("it did not come to hold");
    await new Promise((resolve) => setImmediate(resolve));
  }
}
