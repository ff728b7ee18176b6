/** `asked_in` on a device: waves are drawn once and kept for good; it reports in these alone, with noise of their own. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { BudgetExceeded, NotAsked, ParticipationEnded, SurveyRefused } from "../sottovoce.js";
import * as bundle from "../sottovoce.min.js";
import { makeWords } from "../form/words.js";
import { describe, notAsked } from "../form/faults.js";
import { TEXTS, faultOf, newState, open, rowsOf, surveyOf } from "./devices.js";
import { serve } from "./server.js";

const MONTHLY = await surveyOf(TEXTS.monthly);
const TWICE = await surveyOf(TEXTS.twice);
const MOOD = { low: true, sleep: "secret" };

/** A wave in which a device is not asked. @param {readonly number[]} waves */
const other = (waves) => [1, 2, 3].find((wave) => !waves.includes(wave)) ?? 4;

test("a survey says what a device reports in all", () => {
  assert.deepEqual([MONTHLY.askedIn, MONTHLY.maxReports, MONTHLY.keepsNoise], [1, 1, false]);
  assert.deepEqual([TWICE.askedIn, TWICE.maxReports, TWICE.keepsNoise], [2, 2, false]);
  assert.equal(MONTHLY.epsilonForever, MONTHLY.epsilon);
  assert.deepEqual([TWICE.epsilon, TWICE.epsilonForever], ["1.5", "3"]);
});

test("a device is asked in the same wave for good, and reports once", async (t) => {
  const [http, state] = [await serve(t, TEXTS.monthly), newState()];
  const first = open(t, http, "monthly", { state });
  const [wave, ...more] = await first.waves();
  assert.deepEqual(more, []);
  first.close();
  const device = open(t, http, "monthly", { state });
  assert.deepEqual(await device.waves(), [wave]);
  const draft = await device.prepare(MOOD, wave);
  assert.equal(draft.sent.wave, wave);
  const receipt = await draft.send();
  assert.equal(receipt.epsilon, MONTHLY.epsilon);
  assert.ok(await device.flush(20_000));
  assert.deepEqual(await device.waves(), [wave]);
  assert.equal(http.posts.length, 1);
  assert.deepEqual(await rowsOf(state, "secrets"), [], "the secret goes with the one report");
});

test("in another wave nothing is sent, charged or looked at", async (t) => {
  const [http, state] = [await serve(t, TEXTS.monthly), newState()];
  const device = open(t, http, "monthly", { state });
  const waves = await device.waves();
  for (const answers of [MOOD, { low: false, sleep: "well" }, {}, /** @type {any} */ ({ low: "?" })]) {
    const fault = await faultOf(device.answer(answers, other(waves)));
    assert.ok(fault instanceof NotAsked);
    assert.deepEqual([fault.name, fault.wave, fault.waves], ["NotAsked", other(waves), waves]);
    assert.match(fault.message, /^survey 'monthly' does not ask this device in wave \d+, but in \d+\.$/);
  }
  assert.deepEqual([http.posts, await rowsOf(state, "ledger"), await rowsOf(state, "secrets")], [[], [], []]);
});

test("devices draw all waves, and two pages of one device the same", async (t) => {
  const [http, state] = [await serve(t, TEXTS.monthly), newState()];
  const drawn = await Promise.all(Array.from({ length: 60 }, () => open(t, http, "monthly").waves()));
  assert.ok(new Set(drawn.flat()).size > 6); // of 12; fewer with a probability below 1e-12
  const pages = [open(t, http, "monthly", { state }), open(t, http, "monthly", { state })];
  const [left, right] = await Promise.all(pages.map((page) => page.waves()));
  assert.deepEqual(left, right);
});

test("each of two reports has noise of its own, and takes all of its epsilon", async (t) => {
  const http = await serve(t, TEXTS.twice);
  let nDifferent = 0;
  for (let run = 0; run < 40; run += 1) {
    const device = open(t, http, "twice");
    const [first, second] = await device.waves();
    const [one, two] = [await device.prepare(MOOD, first), await device.prepare(MOOD, second)];
    assert.deepEqual((await device.prepare(MOOD, first)).sent, one.sent, "a draft stays as it is");
    assert.deepEqual([(await one.send()).epsilon, (await two.send()).epsilon], [TWICE.epsilon, TWICE.epsilon]);
    if (JSON.stringify(one.reported) !== JSON.stringify(two.reported)) nDifferent += 1;
  }
  assert.ok(nDifferent > 10, `${nDifferent} of 40`); // of lasting noise 0; of fresh noise fewer once in 1e9
});

test("the same answers return the first receipt, others are refused", async (t) => {
  const [http, state] = [await serve(t, TEXTS.twice), newState()];
  const device = open(t, http, "twice", { state });
  const [first] = await device.waves();
  const receipt = await device.answer(MOOD, first);
  assert.deepEqual(await device.answer(MOOD, first), receipt);
  device.close();
  const later = open(t, http, "twice", { state });
  assert.equal((await later.answer(MOOD, first)).id, receipt.id);
});

test("a device must have enough for all waves that it is asked in, and one that forgets answers no more", async (t) => {
  const http = await serve(t, TEXTS.twice);
  assert.ok((await faultOf(open(t, http, "twice", { maxEpsilon: 2.9 }).waves())) instanceof SurveyRefused);
  const poor = open(t, http, "twice", { maxPeriodEpsilon: 2.9 });
  const [first, second] = await poor.waves();
  await poor.answer(MOOD, first);
  assert.ok((await faultOf(poor.answer(MOOD, second))) instanceof BudgetExceeded);
  await poor.forget();
  assert.ok((await faultOf(poor.answer(MOOD, second))) instanceof ParticipationEnded);
});

test("a survey without asked_in asks in all waves, and draws nothing", async (t) => {
  const [http, state] = [await serve(t, TEXTS.pulse), newState()];
  const device = open(t, http, "pulse", { state });
  assert.deepEqual(
    await device.waves(),
    Array.from({ length: (await device.survey()).waves }, (_, i) => i + 1),
  );
  assert.deepEqual(await rowsOf(state, "draws"), []);
});

test("respondents read when to come back", () => {
  const t = makeWords();
  const { title, text, said } = notAsked(t, [3, 7], 4);
  assert.deepEqual([title, said], ["You are not asked this time", ""]);
  assert.match(text, /picked at random when to ask you.* Please come back in wave 7\./);
  assert.match(notAsked(t, [3, 7], 9).text, /will not ask you in a later wave/);
  assert.equal(describe(t, new NotAsked("monthly", 4, [7])).text, notAsked(t, [7], 4).text);
  assert.equal(typeof bundle.NotAsked, "function");
});
