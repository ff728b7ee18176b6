/** Repeated surveys: one report a wave under one permanent noise, a capped charge, and a secret that ends with them. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { AlreadyAnswered, BudgetExceeded, ParticipationEnded, SurveyRefused } from "../sottovoce.js";
import { writeEpsilon } from "../src/decimals.js";
import { respond } from "../src/permanent.js";
import {
  ANSWERS,
  DIARY_CHARGES,
  PULSE,
  PULSE_CHARGES,
  TEXTS,
  WORDS,
  answerOnce,
  changeRows,
  faultOf,
} from "./devices.js";
import { letGo, newState, open, rowsOf } from "./devices.js";
import { AWAY, problem, serve } from "./server.js";

const BAD = problem(422, "bad_report");
const charges = async (/** @type {string} */ state) =>
  (await rowsOf(state, "ledger")).map((row) => writeEpsilon(row.epsilon)).sort();

test("three clients send three views of one permanent response, each wave charged what it adds", async (t) => {
  const [http, state, permanents, receipts] = [await serve(t, TEXTS.pulse), newState(), [], []];
  for (const wave of [1, 2, 3]) {
    const device = open(t, http, "pulse", { state });
    await device.prepare(WORDS, wave);
    const [{ key }] = await rowsOf(state, "secrets");
    const encoded = PULSE.encode(WORDS);
    const made = PULSE.questions.map((each, index) => respond(each, encoded[index], key, PULSE.fingerprint));
    permanents.push(Buffer.concat(await Promise.all(made)).toString("hex"));
    receipts.push(await device.answer(WORDS, wave));
    assert.ok(await device.flush(20_000));
  }
  assert.equal(new Set(permanents).size, 1);
  assert.deepEqual(
    receipts.map((receipt) => [receipt.wave, receipt.epsilon]),
    PULSE_CHARGES.map((charge, index) => [index + 1, charge]),
  );
  assert.equal(PULSE.epsilonForever, "4.850682034774");
  const sent = http.sent;
  assert.deepEqual(
    sent.map((report) => [report.wave, report.id]),
    receipts.map(({ wave, id }) => [wave, id]),
  );
  // Two reports of two strings are alike with a probability below 1e-60: 256 bits, each at best 3 to 1.
  assert.equal(new Set(sent.map(({ answers }) => JSON.stringify([answers.word, answers.rest]))).size, 3);
  assert.equal(new Set(sent.map(({ answers }) => answers.word[0])).size, 1, "the cohort");
});

test("a changed answer is charged anew, and an old one goes on with its pot", async (t) => {
  const [http, state, taken] = [await serve(t, TEXTS.diary), newState(), []];
  for (const [index, word] of [..."ABAABC"].entries()) {
    taken.push((await answerOnce(http, state, { word }, index + 1)).epsilon);
  }
  const [, again, aThirdTime] = DIARY_CHARGES;
  assert.deepEqual(taken, ["1", "1", again, aThirdTime, again, "1"]);
  assert.deepEqual(await charges(state), Array(6).fill("4.905628712004")); // the last wave is over: their sum
  assert.equal(new Set(http.sent.map(({ answers }) => answers.word[0])).size, 1, "the cohort stays");
});

test("the same text typed another way is the same answer", async (t) => {
  const [http, state, taken] = [await serve(t, TEXTS.diary), newState(), []];
  for (const [index, word] of ["caf\u00e9", "cafe\u0301", "caf\u00e9", "cafe\u0301"].entries()) {
    taken.push((await answerOnce(http, state, { word }, index + 1)).epsilon);
  }
  assert.deepEqual(taken, [...DIARY_CHARGES, "0.197924586047"]);
});

test("a mechanism of one stage repeats its report for nothing", async (t) => {
  const [http, state, taken] = [await serve(t, TEXTS.again), newState(), []];
  for (const [index, q] of [true, true, false, true].entries()) {
    taken.push((await answerOnce(http, state, { q }, index + 1)).epsilon);
  }
  assert.deepEqual(taken, ["1", "0", "1", "0"]);
  const [first, second, , fourth] = http.sent.map(({ answers }) => answers.q);
  assert.deepEqual([second, fourth], [first, first]);
});

test("a wave that a limit refuses changes nothing, and a cheaper answer still fits", async (t) => {
  const [http, state] = [await serve(t, TEXTS.diary), newState()];
  const device = open(t, http, "diary", { state, maxEpsilon: 3.5 });
  for (const [index, word] of [..."AAB"].entries()) await device.answer({ word }, index + 1);
  const before = await rowsOf(state, "ledger");
  const fault = await faultOf(device.answer({ word: "C" }, 4));
  assert.ok(fault instanceof BudgetExceeded && !(fault instanceof AlreadyAnswered), String(fault));
  assert.match(
    fault.message,
    /would spend epsilon 1, but maxEpsilon \(3\.5\) leaves 0\.758045368267 for survey diary\.$/,
  );
  assert.deepEqual(await rowsOf(state, "ledger"), before);
  assert.equal((await device.answer({ word: "A" }, 4)).epsilon, DIARY_CHARGES[2]);
  assert.ok(await device.flush(20_000));
  assert.deepEqual(http.sent.map((report) => report.wave).sort(), [1, 2, 3, 4]);
});

test("a wave that takes nothing more is never refused", async (t) => {
  const [http, state] = [await serve(t, TEXTS.again), newState()];
  for (const [index, q] of [true, false].entries()) await answerOnce(http, state, { q }, index + 1);
  const device = open(t, http, "again", { state, maxEpsilon: 1, maxPeriodEpsilon: 1 }); // less than is spent
  assert.equal((await device.answer({ q: true }, 3)).epsilon, "0");
});

test("a first wave that a limit refuses leaves nothing that was answered", async (t) => {
  const [http, state] = [await serve(t, TEXTS.diary), newState()];
  const device = open(t, http, "diary", { state, maxPeriodEpsilon: 0.5 });
  assert.match((await faultOf(device.answer({ word: "A" }))).message, /maxPeriodEpsilon \(0\.5\)/);
  for (const store of /** @type {const} */ (["ledger", "outbox"])) assert.deepEqual(await rowsOf(state, store), []);
});

test("a survey whose waves a device could not finish is refused at once", async (t) => {
  const http = await serve(t, TEXTS.pulse);
  const fault = await faultOf(open(t, http, "pulse", { maxEpsilon: 4.85 }).answer(WORDS));
  assert.ok(fault instanceof SurveyRefused);
  assert.match(fault.message, /takes epsilon 4\.850682034774 in 3 waves, above maxEpsilon \(4\.85\)/);
});

test("the same answers in the same wave return the first receipt, also from another client", async (t) => {
  const [http, state] = [await serve(t, TEXTS.pulse), newState()];
  http.script = [AWAY];
  const device = open(t, http, "pulse", { state });
  const receipt = await device.answer(WORDS, 2);
  assert.deepEqual(await device.answer({ ...WORDS }, 2), receipt);
  const other = open(t, http, "pulse", { state });
  assert.deepEqual(await other.answer(WORDS, 2), receipt);
  const fault = await faultOf(other.answer({ ...WORDS, well: false }, 2));
  assert.ok(fault instanceof AlreadyAnswered);
  assert.match(fault.message, /^this device has answered wave 2 of survey 'pulse' before/);
  assert.deepEqual(fault.receipt, receipt);
  assert.deepEqual([fault.needed, fault.left, fault.limit], ["2.25", "0", "one report per wave"]);
  assert.equal((await rowsOf(state, "ledger")).length, 1);
});

test("the device knows a wave's answers until the last wave's report is delivered", async (t) => {
  const [http, state] = [await serve(t, TEXTS.pulse), newState()];
  const first = await answerOnce(http, state, WORDS, 1);
  assert.deepEqual(await answerOnce(http, state, WORDS, 1), first);
  const device = open(t, http, "pulse", { state });
  const last = await device.answer(WORDS, 3);
  assert.ok(await device.flush(20_000));
  assert.deepEqual(await device.answer(WORDS, 3), last, "this object made it");
  assert.ok((await faultOf(device.answer(WORDS, 1))) instanceof AlreadyAnswered, "another did");
  assert.match((await faultOf(answerOnce(http, state, WORDS, 3))).message, /wave 3 of survey 'pulse'/);
  assert.equal(http.posts.length, 2);
});

test("the secret lives until the last wave's report is delivered, and no longer", async (t) => {
  const [http, state] = [await serve(t, TEXTS.pulse), newState()];
  for (const wave of [1, 2]) await answerOnce(http, state, WORDS, wave);
  const [{ key }] = await rowsOf(state, "secrets");
  http.script = [AWAY];
  const device = open(t, http, "pulse", { state });
  await device.answer(WORDS, 3);
  await letGo(device, state);
  assert.equal((await rowsOf(state, "secrets"))[0].key, key);
  assert.ok(await device.flush(20_000));
  assert.deepEqual(await rowsOf(state, "secrets"), []);
  for (const row of await rowsOf(state, "ledger")) {
    assert.deepEqual([row.marks, row.isSummed, writeEpsilon(row.epsilon)], [null, true, PULSE.epsilonForever]);
  }
});

test("a last report that is refused for good ends the secret too, an earlier one does not", async (t) => {
  const [http, state] = [await serve(t, TEXTS.pulse), newState()];
  http.script = [BAD];
  await answerOnce(http, state, WORDS, 2);
  assert.equal((await rowsOf(state, "secrets")).length, 1);
  await answerOnce(http, state, WORDS, 1);
  http.script = [BAD];
  await answerOnce(http, state, WORDS, 3);
  assert.deepEqual(await rowsOf(state, "secrets"), []);
});

test("after the last wave a wave that was skipped is not answered any more", async (t) => {
  const [http, state] = [await serve(t, TEXTS.pulse), newState()];
  await answerOnce(http, state, WORDS, 3);
  const fault = await faultOf(answerOnce(http, state, WORDS, 2));
  assert.ok(fault instanceof ParticipationEnded);
  assert.match(fault.message, /takes part in survey pulse no longer/);
  assert.deepEqual([http.posts.length, (await rowsOf(state, "ledger")).length], [1, 1]);
});

test("an earlier report that still waits is delivered after the last", async (t) => {
  const [http, state] = [await serve(t, TEXTS.pulse), newState()];
  http.script = [AWAY];
  const device = open(t, http, "pulse", { state });
  await device.answer(WORDS, 1);
  assert.ok(!(await device.flush(20_000)));
  await changeRows(state, "outbox", (report) => ({ ...report, isHeld: false }));
  const other = open(t, http, "pulse", { state });
  await other.answer(WORDS, 3);
  assert.ok(await other.flush(20_000));
  assert.deepEqual(
    http.sent.map((report) => report.wave),
    [1, 3, 1],
  );
  assert.deepEqual([await rowsOf(state, "outbox"), await rowsOf(state, "secrets")], [[], []]);
});

test("a kiosk answers all waves from memory, and the next respondent has noise of their own", async (t) => {
  const [http, kiosk] = [await serve(t, TEXTS.pulse), (options = {}) => open(t, http, "pulse", options)];
  const device = kiosk();
  const taken = [];
  for (const wave of [1, 2, 3]) taken.push((await device.answer(WORDS, wave)).epsilon);
  assert.deepEqual(taken, PULSE_CHARGES);
  const [mine, theirs] = [kiosk(), kiosk()];
  assert.notEqual((await mine.prepare(WORDS)).body, (await theirs.prepare(WORDS)).body);
  assert.ok(await device.flush(20_000));
  assert.equal((await faultOf(kiosk().answer(ANSWERS))).name, "AnswerError");
});
