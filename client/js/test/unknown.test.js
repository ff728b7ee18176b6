/** A collector that has no such survey may have been started on a wrong database: reports and secrets wait for a week. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { SurveyUnavailable } from "../sottovoce.js";
import { rejectedReports } from "../src/outbox.js";
import { openState } from "../src/state.js";
import {
  ANSWERS,
  INVITATION,
  TEXTS,
  WORDS,
  answerOnce,
  changeRows,
  faultOf,
  newState,
  open,
  retitled,
  rowsOf,
  until,
} from "./devices.js";
import { AWAY, problem, repeat, serve } from "./server.js";

const NOON = Date.parse("2026-09-21T12:00:00Z");
const DAY_MS = 86_400_000;
const UNKNOWN = problem(404, "no_such_survey");

/** A device whose report a collector on a wrong database was sent, and whose clock stands still until it is moved. */
async function start(t, { survey = "lunch", text = TEXTS.lunch, answers = ANSWERS, options = {} } = {}) {
  const [http, state] = [await serve(t, text), newState()];
  const clock = { now: NOON };
  t.mock.method(Date, "now", () => clock.now);
  http.script = [UNKNOWN, ...repeat(20, AWAY)];
  const first = open(t, http, survey, { state, ...options });
  const { id } = await first.answer(answers);
  const attempts = async () => (await rowsOf(state, "outbox"))[0].nAttempts;
  await until(async () => (await attempts()) > 0);
  first.close();
  /** Have another client ask once, after so many days, what the collector says then; what is refused after that. */
  const ask = async (days, reply = UNKNOWN) => {
    clock.now += days * DAY_MS;
    await changeRows(state, "outbox", (report) => ({ ...report, notBefore: 0, isHeld: false }));
    const [nPosts, nAttempts] = [http.posts.length, await attempts()];
    http.script = [reply, ...repeat(20, AWAY)];
    const device = open(t, http, survey, { state }); // which looks at what waits
    await until(async () => (await attempts()) > nAttempts);
    device.close();
    assert.equal(http.posts.length, nPosts + 1);
    http.script = [];
    return (await device.rejected().catch(() => rejectedOf(state))).map((report) => report.problem.code);
  };
  return { http, state, id, ask };
}

const rejectedOf = async (/** @type {string} */ state) => (await openState(state)).transact(rejectedReports);

/** Ask until a week of days is over; true if it was final then and not before. */
async function isFinalAfter(/** @type {(days: number) => Promise<string[]>} */ ask, nDays) {
  for (let day = 1; day < nDays; day += 1) if ((await ask(1)).length > 0) return false;
  return (await ask(1)).length === 1;
}

test("a collector on a wrong database loses no report: with the right one it is delivered", async (t) => {
  const { http, state, id, ask } = await start(t);
  for (let day = 0; day < 6; day += 1) assert.deepEqual(await ask(1), []);
  assert.equal((await rowsOf(state, "secrets")).length, 1);
  assert.ok((await rowsOf(state, "ledger"))[0].marks instanceof Uint8Array);
  await changeRows(state, "outbox", (report) => ({ ...report, notBefore: 0 }));
  assert.ok(await open(t, http, "lunch", { state }).flush(20_000));
  assert.deepEqual([...http.seen], [id]);
  assert.equal(new Set(http.posts.map((post) => post.body)).size, 1);
});

test("after seven days of nothing else it is final, and can still be sent again", async (t) => {
  const { http, state, id, ask } = await start(t);
  assert.ok(await isFinalAfter(ask, 7));
  assert.deepEqual(await rowsOf(state, "secrets"), []);
  const device = open(t, http, "lunch", { state });
  const [rejected] = await device.rejected();
  assert.deepEqual([rejected.receipt, rejected.isUnknown, rejected.needsInvitation], [id, true, false]);
  assert.deepEqual(await device.resend(), [id]);
  assert.ok(await device.flush(20_000));
  assert.deepEqual([...http.seen], [id]);
  assert.equal(new Set(http.posts.map((post) => post.body)).size, 1);
  assert.deepEqual(await device.resend(), []);
});

test("whatever else is answered begins the week anew; that nobody answers does not", async (t) => {
  const { ask } = await start(t);
  for (const reply of [{ status: 403, body: "<html>Log in" }, problem(503, "store_unavailable")]) {
    for (let day = 0; day < 6; day += 1) assert.deepEqual(await ask(1), []);
    assert.deepEqual(await ask(1, reply), []);
    assert.deepEqual(await ask(1), []);
  }
  assert.deepEqual(await ask(0.5, { drop: true }), []);
  assert.deepEqual(await ask(0.5), []);
  assert.ok(await isFinalAfter(ask, 6));
});

test("a clock that is set back, and forth again, does not shorten the week", async (t) => {
  const { ask } = await start(t);
  assert.deepEqual(await ask(-400), []);
  assert.deepEqual(await ask(400), []); // counts as one day
  assert.ok(await isFinalAfter(ask, 6));
});

test("one survey that the collector does not know holds back no other of its surveys", async (t) => {
  const { http, state, id } = await start(t);
  http.surveyReply = { body: TEXTS.pulse };
  http.script = [];
  const device = open(t, http, "pulse", { state });
  const receipt = await device.answer(WORDS);
  await until(async () => (await device.pending()).length === 1);
  assert.deepEqual([await device.pending(), [...http.seen]], [[id], [receipt.id]]);
});

test("an invited report keeps its invitation for the week, and takes it again afterwards", async (t) => {
  const { http, state, id, ask } = await start(t, { text: TEXTS.invited, options: { invitation: INVITATION } });
  assert.ok(await isFinalAfter(ask, 7));
  const device = open(t, http, "lunch", { state });
  const [rejected] = await device.rejected();
  assert.deepEqual([rejected.isUnknown, rejected.needsInvitation], [true, true]);
  assert.deepEqual(await device.resend(), []);
  assert.deepEqual(await device.resend(INVITATION), [id]);
  assert.ok(await device.flush(20_000));
  assert.deepEqual(new Set(http.sent.map((report) => report.invitation)), new Set([INVITATION]));
  assert.deepEqual([...http.seen], [id]);
});

test("an invitation that is given for an open survey's report is left aside", async (t) => {
  const { http, state, id, ask } = await start(t, { survey: "pulse", text: TEXTS.pulse, answers: WORDS });
  assert.ok(await isFinalAfter(ask, 7));
  const device = open(t, http, "pulse", { state });
  assert.deepEqual(await device.resend(INVITATION), [id]);
  const fault = await faultOf(device.answer(WORDS, 2)); // as the secret is gone, and not for the invitation
  assert.equal(fault.name, "ParticipationEnded");
});

const ANEW = { body: retitled(TEXTS.pulse, "Pulse anew") };
const OTHERS = { "none of its id": UNKNOWN, "another version": ANEW };

for (const [name, reply] of Object.entries(OTHERS)) {
  test(`a version whose collector serves ${name} is over after seven days of that, and not before`, async (t) => {
    const clock = { now: NOON };
    t.mock.method(Date, "now", () => clock.now);
    const [http, state] = [await serve(t, TEXTS.pulse), newState()];
    await answerOnce(http, state, WORDS, 1);
    const served = http.surveyReply;
    const ask = async (days, said = reply) => {
      clock.now += days * DAY_MS;
      http.surveyReply = said;
      const device = open(t, http, "pulse", { state });
      const fault = await device.survey().catch((refused) => refused); // or the survey
      device.close();
      const nSecrets = (await rowsOf(state, "secrets")).length;
      if (said === UNKNOWN && nSecrets === 0) assert.ok(isUnavailable(fault), String(fault));
      else assert.match(fault.title, /^Pulse/);
      return nSecrets;
    };
    for (const other of [served, { status: 404, body: "<html>" }, problem(503, "store_unavailable")]) {
      for (let day = 0; day < 7; day += 1) assert.equal(await ask(1), 1);
      assert.equal(await ask(1, other), 1);
    }
    assert.equal(await ask(0), 1);
    assert.equal(await ask(-400), 1);
    assert.equal(await ask(400), 1);
    for (let day = 0; day < 5; day += 1) assert.equal(await ask(1), 1);
    assert.equal(await ask(1, { drop: true }), 1);
    for (let nAsked = 0; nAsked < 3; nAsked += 1) assert.equal(await ask(0), 0);
  });
}

const isUnavailable = (fault) => fault instanceof SurveyUnavailable && fault.message.includes("no_such_survey");

test("the copy of a device that has not answered serves for a week too, and anew after something else", async (t) => {
  const clock = { now: NOON };
  t.mock.method(Date, "now", () => clock.now);
  const [http, state] = [await serve(t, TEXTS.pulse), newState()];
  const ask = async (reply = UNKNOWN) => {
    http.surveyReply = reply;
    const device = open(t, http, "pulse", { state });
    const found = await device.survey().catch((fault) => fault);
    device.close();
    clock.now += DAY_MS;
    return found;
  };
  assert.equal((await ask({ body: TEXTS.pulse })).id, "pulse");
  for (let day = 0; day < 7; day += 1) assert.equal((await ask()).id, "pulse");
  for (let day = 0; day < 3; day += 1) assert.ok(isUnavailable(await ask()));
  assert.equal((await ask(AWAY)).id, "pulse");
  assert.equal((await ask()).id, "pulse");
});

test("versions that were never answered leave no doubts", async (t) => {
  const [http, state] = [await serve(t, TEXTS.pulse), newState()];
  await answerOnce(http, state, WORDS, 1);
  for (let number = 0; number < 5; number += 1) {
    http.surveyReply = { body: retitled(TEXTS.pulse, `Pulse ${number}`) };
    assert.equal((await open(t, http, "pulse", { state }).survey()).title, `Pulse ${number}`);
  }
  const [{ doubts }] = await rowsOf(state, "surveys");
  assert.ok(Object.keys(doubts).length <= 2);
});
