/** The budget: what is added, what is refused, and what a moved clock changes. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { BudgetExceeded } from "../sottovoce.js";
import { parseEpsilon, writeEpsilon } from "../src/decimals.js";
import { checkBudget, endVersion, epsilonOfReport, readLimit, settleReport } from "../src/ledger.js";
import { openState } from "../src/state.js";
import { ANSWERS, PULSE, TEXTS, answerOnce, faultOf, newState, open, rowsOf } from "./devices.js";
import { serve } from "./server.js";

const TODAY = "2026-03-01";
const DAY_MS = 86_400_000;
const daysAgo = (/** @type {number} */ days) => new Date(Date.parse(TODAY) - days * DAY_MS).toISOString().slice(0, 10);
const units = (/** @type {string} */ text) => /** @type {bigint} */ (parseEpsilon(text));
const LIMITS = { maxEpsilon: units("8"), maxPeriodEpsilon: units("16"), periodDays: 30 };

/** @returns {import("../src/ledger.js").Entry} */
const entry = (fingerprint, epsilon, { surveyId = "s", day = TODAY, ...others } = {}) => ({
  fingerprint,
  wave: 1,
  waves: 1,
  surveyId,
  epsilon: units(epsilon),
  day,
  receipt: `receipt-${fingerprint}-${others.wave ?? 1}`,
  marks: Uint8Array.of(1),
  invitation: null,
  isSummed: false,
  ...others,
});

/** @returns {BudgetExceeded} */
function refused(all, one, limits = LIMITS) {
  try {
    checkBudget(all, one, limits);
  } catch (fault) {
    assert.ok(fault instanceof BudgetExceeded, String(fault));
    return fault;
  }
  throw new Error("nothing was refused");
}

test("one survey may take its limit to the last digit and no more", () => {
  const all = [entry("a", "7.999999999999")];
  const fault = refused(all, entry("b", "0.000000000002"));
  assert.deepEqual([fault.left, fault.needed, fault.limit], ["0.000000000001", "0.000000000002", "maxEpsilon"]);
  checkBudget(all, entry("c", "0.000000000001"), LIMITS);
});

test("a refusal says what would be spent, what is left and which limit", () => {
  const all = [entry("a", "6", { surveyId: "x" }), entry("b", "6", { surveyId: "y" })];
  const fault = refused(all, entry("c", "4.5", { surveyId: "z" }));
  assert.equal(
    fault.message,
    "answering survey z would spend epsilon 4.5, but maxPeriodEpsilon (16) leaves 4 for 30 days.",
  );
  assert.deepEqual([fault.needed, fault.left, fault.limit], ["4.5", "4", "maxPeriodEpsilon"]);
});

for (const [days, counts] of /** @type {[number, boolean][]} */ ([
  [0, true],
  [29, true],
  [30, false],
  [4000, false],
  [-1, true],
  [-4000, true],
])) {
  test(`what was spent ${days} days ago ${counts ? "counts" : "does not count"} in a period of 30`, () => {
    const all = ["0", "1"].map((name) => entry(name, "8", { surveyId: name, day: daysAgo(days) }));
    const one = entry("new", "1", { surveyId: "new" });
    if (counts) assert.equal(refused(all, one).limit, "maxPeriodEpsilon");
    else checkBudget(all, one, LIMITS);
  });
}

test("a survey's own limit never frees up, and is one for all its versions", () => {
  const fault = refused([entry("a", "8", { day: daysAgo(4000) })], entry("b", "1"));
  assert.match(fault.message, /maxEpsilon \(8\) leaves 0 for survey s\.$/);
});

test("lower limits than what was spent leave nothing, and refuse nothing that is free", () => {
  const low = { ...LIMITS, maxEpsilon: units("2"), maxPeriodEpsilon: units("2") };
  const spent = [entry("a", "8")];
  assert.equal(refused(spent, entry("b", "1"), low).left, "0");
  checkBudget(spent, entry("b", "0"), low);
});

test("the first days of the calendar do no harm", () => {
  checkBudget([entry("a", "1", { day: "0000-01-01" })], entry("b", "1", { day: "0000-01-02" }), LIMITS);
});

test("a sum counts once, on the day of its last report", () => {
  const days = [daysAgo(100), daysAgo(29), daysAgo(60)];
  const summed = days.map((day, index) => entry("f", "6", { wave: index + 1, waves: 3, day, isSummed: true }));
  const all = [...summed, entry("a", "8", { surveyId: "a" })];
  const one = entry("b", "6", { surveyId: "b" });
  assert.equal(refused(all, one).left, "2");
  checkBudget(all, { ...one, day: daysAgo(-1) }, LIMITS);
  checkBudget(summed, entry("g", "2"), LIMITS);
  assert.equal(refused(summed, entry("g", "2.1")).left, "2");
});

test("the sums are exact, whatever their digits", () => {
  const all = Array.from({ length: 30 }, (_, number) => entry(String(number), "0.1", { surveyId: String(number) }));
  const limits = { ...LIMITS, maxPeriodEpsilon: units("3.1") };
  checkBudget(all, entry("more", "0.1", { surveyId: "more" }), limits);
  assert.equal(refused(all, entry("more", "0.100000000001", { surveyId: "more" }), limits).left, "0.1");
});

test("every answer has a pot that never takes more than for ever, whatever order it is given in", () => {
  const tags = [1, 2, 3].map((byte) => new Uint8Array(32).fill(byte));
  let seed = 7;
  const draw = () => (seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) % 3; // any sequence does
  for (let round = 0; round < 50; round += 1) {
    const waves = Array.from({ length: 1 + (round % 9) }, () => [draw(), draw(), draw()]);
    const marks = waves.map((wave) => Uint8Array.from(wave.flatMap((index) => [...tags[index]])));
    /** @type {{marks: Uint8Array, epsilon: bigint}[]} */
    const earlier = [];
    for (const mark of marks) earlier.push({ marks: mark, epsilon: epsilonOfReport(PULSE, mark, earlier) });
    let expected = 0n;
    for (const [index, question] of PULSE.questions.entries()) {
      for (const answer of [0, 1, 2]) {
        const taken = question.epsilonOf(waves.filter((wave) => wave[index] === answer).length);
        assert.ok(taken <= units(question.epsilonForever));
        expected += taken;
      }
    }
    assert.equal(
      earlier.reduce((sum, { epsilon }) => sum + epsilon, 0n),
      expected,
    );
  }
});

test("what a version before charged too much counts, and nothing is taken back", () => {
  const marks = new Uint8Array(3 * 32).fill(1);
  const charged = (/** @type {string[]} */ ...epsilons) =>
    epsilons.map((epsilon) => ({ marks, epsilon: units(epsilon) }));
  const more = (/** @type {string[]} */ ...epsilons) =>
    writeEpsilon(epsilonOfReport(PULSE, marks, charged(...epsilons)));
  assert.equal(more("2.25", "2.25"), "0.350682034774"); // 4.850682034774 in three waves
  assert.equal(more("2.25", "2.25", "1.1"), "0"); // more than four reports take
});

test("the report of the last wave takes the secret and the marks of all waves with it", async () => {
  const name = newState();
  const state = await openState(name);
  const waves = [1, 2, 3].map((wave) => entry("f", "2", { wave, waves: 3 }));
  await state.transact(async (transaction) => {
    for (const one of [...waves, entry("g", "1", { wave: 3, waves: 3 })]) await transaction.put("ledger", one);
    for (const fingerprint of ["f", "g"]) await transaction.put("secrets", { fingerprint, surveyId: "s" });
  });
  for (const receipt of ["receipt-f-1", "receipt-f-2", "unknown"]) {
    await state.transact((transaction) => settleReport(transaction, receipt, false));
    assert.ok((await rowsOf(name, "ledger")).every((row) => row.marks !== null && !row.isSummed));
  }
  await state.transact((transaction) => settleReport(transaction, "receipt-f-3", false));
  for (let round = 0; round < 2; round += 1) {
    const rows = await rowsOf(name, "ledger");
    assert.deepEqual(
      rows.map((row) => [row.fingerprint, writeEpsilon(row.epsilon), row.marks !== null, row.isSummed]),
      [...Array(3).fill(["f", "6", false, true]), ["g", "1", true, false]],
    );
    assert.deepEqual(
      (await rowsOf(name, "secrets")).map((secret) => secret.fingerprint),
      ["g"],
    );
    await state.transact((transaction) => endVersion(transaction, "f")); // a sum is made once
  }
});

test("the budget of a survey holds over its versions", async (t) => {
  const [http, state] = [await serve(t, TEXTS.yesNo5), newState()];
  await answerOnce(http, state, { q: true });
  http.surveyReply = { body: TEXTS.yesNo3 };
  await answerOnce(http, state, { q: true });
  http.surveyReply = { body: TEXTS["yesNo0.5"] };
  const fault = await faultOf(open(t, http, "lunch", { state }).answer({ q: true }));
  assert.ok(fault instanceof BudgetExceeded, String(fault));
  assert.match(fault.message, /would spend epsilon 0\.5, but maxEpsilon \(8\) leaves 0 for survey lunch\.$/);
  assert.deepEqual([http.posts.length, (await rowsOf(state, "ledger")).length], [2, 2]);
});

test("the budget of a period holds over surveys, until the period is over by the device's clock", async (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: Date.parse(`${TODAY}T23:59:59Z`) });
  const [http, state] = [await serve(t, TEXTS.lunch), newState()];
  const options = { maxPeriodEpsilon: "3.1", periodDays: 2 };
  await answerOnce(http, state, ANSWERS, 1, options);
  http.surveyReply = { body: TEXTS.supper };
  for (const later of [0, 1000, 86_399_000, -10 * DAY_MS]) {
    t.mock.timers.setTime(Date.parse(`${TODAY}T23:59:59Z`) + later);
    const fault = await faultOf(open(t, http, "supper", { state, ...options }).answer({ q: true }));
    assert.match(fault.message, /maxPeriodEpsilon \(3\.1\) leaves 0\.001387711331 for 2 days\.$/);
  }
  t.mock.timers.setTime(Date.parse(`${daysAgo(-2)}T00:00:00Z`));
  await answerOnce(http, state, { q: true }, 1, options);
  assert.deepEqual((await rowsOf(state, "ledger")).map((row) => row.day).sort(), [TODAY, daysAgo(-2)]);
});

test("a limit means what is written", () => {
  for (const [value, text] of /** @type {[number | string, string][]} */ ([
    [0.1, "0.1"],
    ["0.1", "0.1"],
    ["8.000", "8"],
    [1e-12, "0.000000000001"],
    [16, "16"],
  ])) {
    assert.equal(writeEpsilon(readLimit("maxEpsilon", value)), text);
  }
});
