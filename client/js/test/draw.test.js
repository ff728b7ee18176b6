/** `draw` on a device: asked the same questions for good; what was not drawn is checked, and neither kept nor sent. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { AnswerError, BudgetExceeded } from "../sottovoce.js";
import * as bundle from "../sottovoce.min.js";
import { drawQuestions } from "../src/draws.js";
import { Coins, osBytes } from "../src/coins.js";
import { TEXTS, faultOf, newState, open, rowsOf, stateText, surveyOf } from "./devices.js";
import { AWAY, repeat, serve } from "./server.js";

const FIVE = await surveyOf(TEXTS.five);
const ALL = Object.fromEntries(FIVE.questions.map(({ id }, index) => [id, `secret${index}`]));
const EPSILONS = Object.fromEntries(FIVE.questions.map(({ id, epsilon }) => [id, Number(epsilon)]));

/** The ids of the questions that a device is asked. @param {import("../sottovoce.js").SurveyClient} device */
const idsOf = async (device) => (await device.questions()).map(({ id }) => id);

test("every set of questions is drawn, about as often", async () => {
  const found = new Map();
  for (let run = 0; run < 3000; run += 1) {
    const drawn = await drawQuestions(4, 2, new Coins(osBytes));
    const set = [...drawn.keys()].filter((index) => drawn[index]).join();
    found.set(set, (found.get(set) ?? 0) + 1);
  }
  assert.equal(found.size, 6);
  for (const n of found.values()) assert.ok(Math.abs(n - 500) < 140, `${n} of 3000`); // false once in 1e10
});

test("a device is asked the same questions for good, and reports exactly those", async (t) => {
  const [http, state] = [await serve(t, TEXTS.five), newState()];
  const first = open(t, http, "five", { state });
  const asked = await idsOf(first);
  assert.equal(asked.length, 2);
  first.close();
  const device = open(t, http, "five", { state });
  assert.deepEqual(await idsOf(device), asked);
  const draft = await device.prepare(ALL);
  assert.deepEqual(Object.keys(draft.sent.answers), asked);
  assert.deepEqual(Object.keys(draft.reported), asked);
  const receipt = await draft.send();
  assert.equal(Number(receipt.epsilon), EPSILONS[asked[0]] + EPSILONS[asked[1]]);
  assert.ok(await device.flush(20_000));
  assert.deepEqual(await idsOf(device), asked);
  const [post] = http.posts;
  assert.equal(post.body, draft.body);
});

test("devices draw differently, and two pages of one device the same", async (t) => {
  const [http, state] = [await serve(t, TEXTS.five), newState()];
  const sets = await Promise.all(Array.from({ length: 30 }, () => idsOf(open(t, http, "five"))));
  assert.equal(new Set(sets.flat()).size, 5); // one is missing with a probability of 1e-6
  const [one, other] = [open(t, http, "five", { state }), open(t, http, "five", { state })];
  const [left, right] = await Promise.all([idsOf(one), idsOf(other)]);
  assert.deepEqual(left, right);
});

test("what is refused does not draw anew", async (t) => {
  const [http, state] = [await serve(t, TEXTS.five), newState()];
  for (const [options, answers, kind] of /** @type {const} */ ([
    [{}, {}, AnswerError],
    [{ maxPeriodEpsilon: 0.1 }, ALL, BudgetExceeded],
    [{}, { ...ALL, q9: "x" }, AnswerError],
  ])) {
    const fault = await faultOf(open(t, http, "five", { state, ...options }).answer(answers));
    assert.ok(fault instanceof kind, String(fault));
    const [kept] = await rowsOf(state, "draws");
    const asked = await idsOf(open(t, http, "five", { state }));
    assert.deepEqual(await rowsOf(state, "draws"), [kept]);
    assert.equal(asked.length, 2);
  }
  const sets = new Set();
  for (let page = 0; page < 5; page += 1) sets.add((await idsOf(open(t, http, "five", { state }))).join());
  assert.equal(sets.size, 1);
});

test("answers to what was not drawn are checked and dropped, and need not be there", async (t) => {
  const [http, state] = [await serve(t, TEXTS.five), newState()];
  http.script = repeat(9, AWAY);
  const device = open(t, http, "five", { state });
  const asked = await idsOf(device);
  const other = FIVE.questions.map(({ id }) => id).filter((id) => !asked.includes(id))[0];
  const fault = await faultOf(device.answer({ ...ALL, [other]: "soup" }));
  assert.ok(fault instanceof AnswerError);
  assert.equal(fault.where, other);
  const missing = await faultOf(device.answer({}));
  assert.ok(missing.message.includes(`Missing: ${asked.join(", ")}.`), missing.message);
  const receipt = await device.answer(ALL);
  const same = Object.fromEntries(asked.map((id) => [id, ALL[id]]));
  assert.deepEqual(await device.answer({ ...same, [other]: null }), receipt, "the same answers");
  const texts = await Promise.all(["ledger", "outbox", "draws", "secrets"].map((store) => rowsOf(state, store)));
  assert.ok(
    !JSON.stringify(texts, (_, value) => (typeof value === "bigint" ? String(value) : value)).includes("secret4"),
  );
  assert.ok((await stateText(state)).includes(FIVE.fingerprint));
});

test("whether a device takes part does not depend on what it drew", async (t) => {
  const http = await serve(t, TEXTS.five);
  for (let device = 0; device < 12; device += 1) {
    const fault = await faultOf(open(t, http, "five", { maxPeriodEpsilon: 3.4 }).answer(ALL));
    assert.ok(fault instanceof BudgetExceeded);
    assert.deepEqual([fault.needed, fault.limit], ["3.5", "maxPeriodEpsilon"]);
  }
});

test("every wave asks the same question, and the same answer takes what it may", async (t) => {
  const http = await serve(t, TEXTS.rotated);
  const device = open(t, http, "rotated");
  const answers = { q0: true, q1: true, q2: true, q3: true };
  const receipts = [];
  for (const wave of [1, 2, 3]) receipts.push((await device.answer(answers, wave)).epsilon);
  assert.deepEqual(receipts, ["0.5", "0.360433040311", "0.195491860561"]);
  assert.ok(await device.flush(20_000));
  const asked = await idsOf(device);
  for (const post of http.posts) assert.deepEqual(Object.keys(JSON.parse(post.body).reports[0].answers), asked);
});

test("a survey that asks all keeps no seed, and the bundle has what the modules have", async (t) => {
  const [http, state] = [await serve(t, TEXTS.lunch), newState()];
  const device = new bundle.SurveyClient(http.url, "lunch", { state });
  t.after(() => device.close());
  assert.equal((await device.questions()).length, 3);
  assert.deepEqual(await rowsOf(state, "draws"), []);
});

test("reports of whatever was drawn are as long as each other", async (t) => {
  const http = await serve(t, TEXTS.five);
  const lengths = new Set();
  for (let device = 0; device < 20; device += 1) {
    lengths.add((await open(t, http, "five").prepare(ALL)).body.length);
  }
  assert.equal(lengths.size, 1);
});
