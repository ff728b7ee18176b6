/** What a device keeps of delivered reports: nothing, or for so many days the very bytes, to be sent again. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { DeliveryError, SurveyClient, SurveyUnavailable } from "../sottovoce.js";
import { today } from "../src/ledger.js";
import {
  ANSWERS,
  CHOSEN,
  INVITATION,
  PULSE,
  TEXTS,
  WORDS,
  answerOnce,
  changeRows,
  faultOf,
  letGo,
  newState,
  open,
  retitled,
  rowsOf,
  stateText,
} from "./devices.js";
import { AWAY, problem, serve } from "./server.js";

/** @typedef {import("./server.js").FaultServer} FaultServer */
/** @typedef {import("node:test").TestContext} TestContext */

const KEPT = { resendDays: 7 };
const CLOSED = problem(409, "survey_closed");

/** Have a collector say that its store was restored, and lose all that it had counted. */
function restore(/** @type {FaultServer} */ http, /** @type {string} */ number, text = TEXTS.lunch) {
  http.surveyReply = { body: text, headers: { "Sottovoce-Restored": number } };
  http.seen.clear();
}

/** Read the survey, as a page that is opened does, and deliver what waits then. */
async function visit(/** @type {FaultServer} */ http, /** @type {string} */ state, surveyId = "lunch", options = {}) {
  const device = new SurveyClient(http.url, surveyId, { state, ...options });
  await device.survey();
  assert.ok(await device.flush(20_000));
  device.close();
}

/** Have the state count a day so many days ago last (from now, if it is negative). */
async function setSeen(
  /** @type {string} */ state,
  /** @type {number} */ days,
  /** @type {"sent" | "outbox"} */ store = "sent",
) {
  const seen = new Date(Date.parse(today()) - days * 86_400_000).toISOString().slice(0, 10);
  await changeRows(state, store, (report) => ({ ...report, seen }));
}

const bodies = (/** @type {FaultServer} */ http) => new Set(http.posts.map((post) => post.body));

test("nothing of a delivered report is kept unless it is asked for", async (t) => {
  for (const [resendDays, isKept] of /** @type {[number, boolean][]} */ ([
    [0, false],
    [1, true],
  ])) {
    const [http, state] = [await serve(t, TEXTS.wide), newState()];
    await answerOnce(http, state, CHOSEN, 1, { maxEpsilon: 50, resendDays });
    assert.deepEqual(await rowsOf(state, "outbox"), []);
    assert.equal((await stateText(state)).includes(http.sent[0].answers.which), isKept);
    restore(http, "5", TEXTS.wide);
    await visit(http, state, "wide", { maxEpsilon: 50 });
    assert.equal(http.posts.length, 1 + Number(isKept));
    const device = open(t, http, "wide", { state, maxEpsilon: 50 });
    assert.equal((await device.resend()).length, Number(isKept));
  }
});

test("the report is kept as it was sent, and the secret is gone all the same", async (t) => {
  const [http, state] = [await serve(t, TEXTS.lunch), newState()];
  const { id } = await answerOnce(http, state, ANSWERS, 1, KEPT);
  assert.deepEqual(await rowsOf(state, "secrets"), []);
  assert.deepEqual(
    (await rowsOf(state, "ledger")).map((entry) => entry.marks),
    [null],
  );
  const [kept] = await rowsOf(state, "sent");
  assert.deepEqual([kept.receipt, kept.daysLeft, kept.seen, kept.sent], [id, 7, today(), http.sent[0]]);
});

test("what a restored collector lost comes again as the same bytes, once a number, and counts once", async (t) => {
  const [http, state] = [await serve(t, TEXTS.lunch), newState()];
  const { id } = await answerOnce(http, state, ANSWERS, 1, KEPT);
  await visit(http, state);
  assert.equal(http.posts.length, 1, "a number that stays is no news");
  for (const [index, number] of ["812", "4", "2147483647"].entries()) {
    restore(http, number); // it need not be higher
    for (const _ of [1, 2, 3]) await visit(http, state);
    assert.deepEqual([http.posts.length, [...http.seen]], [index + 2, [id]]);
  }
  assert.equal(bodies(http).size, 1);
});

test("a collector that says no number, as older ones do, changes nothing", async (t) => {
  const [http, state] = [await serve(t, TEXTS.lunch), newState()];
  restore(http, "7");
  await answerOnce(http, state, ANSWERS, 1, KEPT);
  http.surveyReply = { body: TEXTS.lunch };
  await visit(http, state);
  restore(http, "7");
  await visit(http, state);
  assert.equal(http.posts.length, 1);
});

test("resend sends at once, tells again, and the collector counts once", async (t) => {
  const [http, state] = [await serve(t, TEXTS.lunch), newState()];
  const { id } = await answerOnce(http, state, ANSWERS, 1, KEPT);
  /** @type {string[]} */
  const told = [];
  const device = open(t, http, "lunch", { state, onDelivered: (receipt) => told.push(receipt.id) });
  for (const _ of [1, 2, 3]) {
    assert.deepEqual(await device.resend(), [id]);
    assert.ok(await device.flush(20_000));
  }
  assert.deepEqual([told, [...http.seen], bodies(http).size], [[id, id, id], [id], 1]);
});

test("another survey's, version's, collector's or relay's report is left alone", async (t) => {
  const [http, elsewhere, state] = [await serve(t, TEXTS.lunch), await serve(t, TEXTS.lunch), newState()];
  await answerOnce(http, state, ANSWERS, 1, KEPT);
  restore(elsewhere, "5");
  await visit(elsewhere, state);
  await visit(elsewhere, state, "lunch", { relayUrl: `${http.url}/relay` });
  restore(http, "5", retitled(TEXTS.lunch, "Another version"));
  await visit(http, state);
  assert.deepEqual(await open(t, elsewhere, "lunch", { state }).resend(), []);
  assert.deepEqual(await open(t, http, "breakfast", { state }).resend(), []);
  assert.deepEqual([http.posts.length, elsewhere.posts.length], [1, 0]);
});

test("the days end by the clock, however it is set", async (t) => {
  const [http, state] = [await serve(t, TEXTS.lunch), newState()];
  await answerOnce(http, state, ANSWERS, 1, KEPT);
  for (const daysAgo of [3, -400, 2]) {
    await setSeen(state, daysAgo); // three days, set back, two days: six in all
    await visit(http, state);
  }
  assert.deepEqual(
    (await rowsOf(state, "sent")).map((report) => report.daysLeft),
    [1],
  );
  await setSeen(state, -1);
  await open(t, http, "lunch", { state }).pending();
  assert.deepEqual(await rowsOf(state, "sent"), []);
});

test("what is sent again has the days that were left, also while it waits", async (t) => {
  const [http, state] = [await serve(t, TEXTS.lunch), newState()];
  await answerOnce(http, state, ANSWERS, 1, KEPT);
  await setSeen(state, 3);
  http.script = [AWAY, AWAY];
  const device = open(t, http, "lunch", { state, resendDays: 365 });
  await device.resend();
  await letGo(device, state);
  await setSeen(state, 2, "outbox");
  assert.equal((await device.pending()).length, 1);
  assert.deepEqual(
    (await rowsOf(state, "outbox")).map((report) => report.daysLeft),
    [2],
  );
  await setSeen(state, 2, "outbox");
  assert.deepEqual(await device.pending(), []);
});

test("an invitation is kept as long as its report, and admits it again", async (t) => {
  const [http, state] = [await serve(t, TEXTS.invited), newState()];
  const { id } = await answerOnce(http, state, ANSWERS, 1, { ...KEPT, invitation: INVITATION });
  restore(http, "5", TEXTS.invited);
  await visit(http, state);
  assert.deepEqual([http.posts.length, bodies(http).size, [...http.seen]], [2, 1, [id]]);
  assert.ok(http.posts[1].body.includes(INVITATION));
  await setSeen(state, 7);
  await visit(http, state);
  assert.ok(!(await stateText(state)).includes(INVITATION));
});

test("every wave is kept by itself", async (t) => {
  const [http, state] = [await serve(t, TEXTS.pulse), newState()];
  const receipts = [];
  for (let wave = 1; wave <= PULSE.waves; wave += 1) {
    receipts.push((await answerOnce(http, state, WORDS, wave, KEPT)).id);
  }
  restore(http, "5", TEXTS.pulse);
  await visit(http, state, "pulse");
  assert.deepEqual([[...http.seen].sort(), bodies(http).size], [receipts.sort(), PULSE.waves]);
});

test("who stops taking part keeps nothing, and what waits is still delivered", async (t) => {
  const [http, state] = [await serve(t, TEXTS.lunch), newState()];
  await answerOnce(http, state, ANSWERS, 1, KEPT);
  await open(t, http, "lunch", { state }).forget();
  assert.deepEqual(await rowsOf(state, "sent"), []);
  const pulse = await serve(t, TEXTS.pulse);
  pulse.script = [AWAY];
  const device = open(t, pulse, "pulse", { state, ...KEPT });
  await device.answer(WORDS);
  await letGo(device, state);
  await device.forget();
  assert.ok(await device.flush(20_000));
  assert.equal(pulse.seen.size, 1);
  assert.deepEqual(await rowsOf(state, "sent"), []);
});

test("a survey that is over is not sent again", async (t) => {
  const [http, state] = [await serve(t, TEXTS.lunch), newState()];
  await answerOnce(http, state, ANSWERS, 1, KEPT);
  http.surveyReply = CLOSED;
  assert.ok((await faultOf(open(t, http, "lunch", { state }).survey())) instanceof SurveyUnavailable);
  assert.deepEqual(await rowsOf(state, "sent"), []);
});

test("a report that comes too late again is refused, told, and goes when its days are over", async (t) => {
  const [http, state] = [await serve(t, TEXTS.lunch), newState()];
  const { id } = await answerOnce(http, state, ANSWERS, 1, KEPT);
  http.script = [CLOSED];
  const device = open(t, http, "lunch", { state });
  await device.resend();
  assert.ok(await device.flush(20_000));
  assert.deepEqual(
    (await device.rejected()).map(({ receipt }) => receipt),
    [id],
  );
  await setSeen(state, 7, "outbox");
  await device.pending();
  assert.deepEqual(await device.rejected(), []);
});

test("who erases a report keeps nothing of it", async (t) => {
  const [http, state] = [await serve(t, TEXTS.lunch), newState()];
  const { id } = await answerOnce(http, state, ANSWERS, 1, KEPT);
  http.script = [AWAY];
  const device = open(t, http, "lunch", { state });
  await device.resend();
  await letGo(device, state);
  http.script = [problem(404, "no_such_report"), { body: "{}" }, { drop: true }];
  assert.equal(await device.erase(id), false);
  assert.deepEqual([await device.pending(), await rowsOf(state, "sent")], [[], []]);
  assert.equal(await device.erase(id), true);
  assert.ok((await faultOf(device.erase(id))) instanceof DeliveryError);
  for (const post of http.posts.slice(2)) {
    assert.deepEqual([post.path, JSON.parse(post.body)], ["/v1/surveys/lunch/erase", { receipt: id }]);
  }
});

test("a report that is erased while it waits for its acknowledgement is not kept", async (t) => {
  const [http, state] = [await serve(t, TEXTS.lunch), newState()];
  http.script = [AWAY, { body: "{}" }];
  const device = open(t, http, "lunch", { state, ...KEPT });
  const { id } = await device.answer(ANSWERS);
  await letGo(device, state);
  assert.equal(await device.erase(id), true);
  assert.ok(await device.flush(20_000));
  assert.deepEqual(await rowsOf(state, "sent"), []);
});

test("days outside their domain are refused", async (t) => {
  const http = await serve(t, TEXTS.lunch);
  for (const resendDays of [-1, 366, 1.5, NaN, "7", null]) {
    const options = /** @type {any} */ ({ resendDays });
    assert.throws(() => new SurveyClient(http.url, "lunch", options), /^RangeError: resendDays must be /);
  }
});

test("pages that hear of a restore at once send one report", async (t) => {
  const [http, state] = [await serve(t, TEXTS.lunch), newState()];
  const { id } = await answerOnce(http, state, ANSWERS, 1, KEPT);
  restore(http, "5");
  await Promise.all(Array.from({ length: 4 }, () => visit(http, state)));
  assert.deepEqual([[...http.seen], bodies(http).size], [[id], 1]);
  assert.equal((await rowsOf(state, "sent")).length, 1);
});

test("a report that an earlier version left in the outbox is delivered, and not kept", async (t) => {
  const [http, state] = [await serve(t, TEXTS.lunch), newState()];
  http.script = [AWAY];
  const device = open(t, http, "lunch", { state });
  await device.answer(ANSWERS);
  await letGo(device, state);
  await changeRows(state, "outbox", ({ daysLeft: _, restored: __, ...report }) => report);
  await visit(http, state, "lunch", KEPT);
  assert.equal(http.seen.size, 1);
  assert.deepEqual(await rowsOf(state, "sent"), []);
});
