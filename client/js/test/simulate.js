/**
 * Let people answer a survey, each on a device of their own: node simulate.js ANSWERS.json URL SURVEY
 *
 * ANSWERS.json is a list of everybody's true answers, by question id. Prints a line of JSON: how many reports were
 * delivered, and everybody's receipt in the order of the list. Ends with 1 where a report was not delivered.
 */

import { readFileSync } from "node:fs";
import { argv } from "node:process";
import { SurveyClient } from "../sottovoce.js";

const N_AT_ONCE = 50;
const DELIVERY_MS = 60_000;
const LIMITS = { maxEpsilon: 1000, maxPeriodEpsilon: 1000 };

const [, , path, url, surveyId] = argv;
/** @type {{[id: string]: unknown}[]} */
const people = JSON.parse(readFileSync(path, "utf8"));
/** @type {string[]} */
const receipts = Array(people.length);
let nDelivered = 0;

async function answer(/** @type {number} */ person) {
  const device = new SurveyClient(url, surveyId, { state: ":memory:", ...LIMITS });
  receipts[person] = (await device.answer(people[person])).id;
  if ((await device.flush(DELIVERY_MS)) && (await device.rejected()).length === 0) nDelivered += 1;
  device.close();
}

const waiting = people.keys();
await Promise.all(
  Array.from({ length: N_AT_ONCE }, async () => {
    for (const person of waiting) await answer(person);
  }),
);
console.log(JSON.stringify({ delivered: nDelivered, receipts }));
process.exitCode = nDelivered === people.length ? 0 : 1;
