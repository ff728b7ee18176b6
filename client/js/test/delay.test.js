/** Random delays and relays: what hides the moment and the address of a report from the collector. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Delivery, MAX_DELAY_MS } from "../src/delivery.js";
import { putReport } from "../src/outbox.js";
import { openState } from "../src/state.js";
import { ANSWERS, LUNCH, TEXTS, newState, open, rowsOf } from "./devices.js";
import { BUSY, AWAY, repeat, serve } from "./server.js";

const NOON = Date.parse("2026-09-21T12:00:00Z");
const endOf = async (/** @type {string} */ state) => (await rowsOf(state, "outbox"))[0].delayUntil;
const idsOf = (http) => http.sent.map((report) => report.id).sort();

// Delays.

test("a report waits until the moment that was drawn, whoever opens the state meanwhile", async (t) => {
  const clock = t.mock.method(Date, "now", () => NOON);
  const [http, state] = [await serve(t, TEXTS.lunch), newState()];
  const first = open(t, http, "lunch", { state, maxDelayMs: MAX_DELAY_MS });
  const { id } = await first.answer(ANSWERS);
  const end = await endOf(state);
  assert.ok(NOON <= end && end <= NOON + MAX_DELAY_MS);
  first.close();
  const device = open(t, http, "lunch", { state }); // without a delay
  assert.ok(!(await device.flush(0)));
  assert.deepEqual([await device.pending(), http.posts], [[id], []]);
  assert.equal(await endOf(state), end);
  clock.mock.mockImplementation(() => end + 1);
  assert.ok(await device.flush(20_000));
  assert.deepEqual(http.seen, new Set([id]));
});

test("delays are drawn from the whole time, by the device's own entropy", async (t) => {
  const clock = t.mock.method(Date, "now", () => NOON);
  t.mock.method(Math, "random", () => assert.fail("it can be foreseen"));
  const [http, delays] = [await serve(t, TEXTS.lunch), []];
  for (let respondent = 0; respondent < 40; respondent += 1) {
    const state = newState();
    await open(t, http, "lunch", { state, maxDelayMs: MAX_DELAY_MS }).answer(ANSWERS);
    delays.push((await endOf(state)) - NOON);
  }
  // Of 40 draws all lie in one half with a probability of 2e-12; two of 2^32 are alike with one of 2e-7.
  assert.ok(Math.min(...delays) < MAX_DELAY_MS / 2 && Math.max(...delays) > MAX_DELAY_MS / 2);
  assert.ok(delays.every((delay) => delay >= 0 && delay < MAX_DELAY_MS));
  assert.ok(new Set(delays).size > 35);
  clock.mock.restore();
});

test("without a delay nothing of the moment is kept", async (t) => {
  const [http, state] = [await serve(t, TEXTS.lunch), newState()];
  http.script = repeat(100, AWAY);
  await open(t, http, "lunch", { state }).answer(ANSWERS);
  assert.equal(await endOf(state), 0);
  const [entry] = await rowsOf(state, "ledger");
  assert.match(entry.day, /^\d{4}-\d\d-\d\d$/);
});

/** A delivery whose clock stands still, and whose jitter and delays are the longest. */
async function still(t) {
  const state = await openState(newState());
  const device = { now: NOON, delivery: new Delivery(Promise.resolve(state), 10_000) };
  t.after(() => device.delivery.close());
  t.mock.method(Date, "now", () => device.now);
  t.mock.method(crypto, "getRandomValues", (array) => array.fill(0xffffffff));
  const put = (url, id, maxDelayMs = 0) =>
    state.transact((transaction) => putReport(transaction, url, LUNCH, { id, answers: {} }, maxDelayMs));
  return Object.assign(device, { put });
}

test("a delayed report is not sent before its time, not even eagerly, and holds no other back", async (t) => {
  const [http, device] = [await serve(t, null), await still(t)];
  await device.put(http.url, "aa", 3_600_000);
  await device.put(http.url, "bb");
  for (const elapsed of [0, 3_000_000, 599_000]) {
    device.now += elapsed;
    for (const isEager of [false, true]) await device.delivery.wake(isEager);
    assert.deepEqual(idsOf(http), ["bb"]);
  }
  device.now += 1001;
  await device.delivery.wake();
  assert.deepEqual(idsOf(http), ["aa", "bb"]);
});

test("a delay is over with the first attempt", async (t) => {
  const [http, device] = [await serve(t, null), await still(t)];
  await device.put(http.url, "aa", 3_600_000);
  device.now += 3_600_000;
  http.script = [BUSY];
  await device.delivery.wake();
  device.now -= 1000; // a clock that is put right
  await device.delivery.wake(true);
  assert.deepEqual(idsOf(http), ["aa", "aa"]);
});

test("a delay and a wait that the collector asked for both hold", async (t) => {
  const [http, device] = [await serve(t, null), await still(t)];
  await device.put(http.url, "aa");
  await device.put(http.url, "bb", 30_000);
  await device.put(http.url, "cc", 90_000);
  http.script = [{ status: 503, headers: { "Retry-After": "60" } }];
  const steps = /** @type {[number, string[]][]} */ ([
    [0, ["aa"]],
    [31_000, ["aa"]],
    [30_000, ["aa", "aa", "bb"]],
    [29_000, ["aa", "aa", "bb", "cc"]],
  ]);
  for (const [elapsed, expected] of steps) {
    device.now += elapsed;
    await device.delivery.wake(true);
    assert.deepEqual(idsOf(http), expected);
  }
});

test("a delay that only a wrong clock can have written is ignored", async (t) => {
  const [http, device] = [await serve(t, null), await still(t)];
  await device.put(http.url, "aa", MAX_DELAY_MS);
  device.now += 2000;
  await device.put(http.url, "bb", MAX_DELAY_MS);
  device.now -= 1000;
  await device.delivery.wake();
  assert.deepEqual(idsOf(http), ["bb"]);
});

test("flush comes back early where a delay ends later, and waits for one that ends in time", async (t) => {
  const http = await serve(t, TEXTS.lunch);
  t.mock.method(crypto, "getRandomValues", (array) => array.fill(0xffffffff)); // the longest delay
  const later = open(t, http, "lunch", { maxDelayMs: MAX_DELAY_MS });
  await later.answer(ANSWERS);
  assert.equal(await later.flush(600_000), false);
  const soon = open(t, http, "lunch", { maxDelayMs: 300 });
  await soon.answer(ANSWERS);
  assert.ok(await soon.flush(60_000));
  assert.equal(http.posts.length, 1);
});

// Relays.

test("reports go to the relay, and the survey comes from the collector", async (t) => {
  const [http, relay] = [await serve(t, TEXTS.lunch), await serve(t, null)];
  for (const path of ["", "/", "/sotto", "/a/b/"]) {
    const device = open(t, http, "lunch", { relayUrl: relay.url + path });
    const { id } = await device.answer(ANSWERS);
    assert.ok(await device.flush(20_000));
    const post = relay.posts.at(-1);
    assert.equal(post?.path, `${path.replace(/\/$/, "")}/v1/surveys/lunch/reports`);
    assert.ok(relay.seen.has(id));
    assert.ok(!JSON.stringify(post).includes(new URL(http.url).host));
    assert.ok(!JSON.stringify(http.gets).includes(new URL(relay.url).host));
  }
  assert.deepEqual([http.gets.length, http.posts.length, relay.gets.length], [4, 0, 0]);
});

test("what waits for a relay never goes to the collector itself", async (t) => {
  const [http, relay, state] = [await serve(t, TEXTS.lunch), await serve(t, null), newState()];
  relay.script = repeat(2, BUSY);
  const first = open(t, http, "lunch", { state, relayUrl: relay.url });
  const { id } = await first.answer(ANSWERS);
  first.close();
  assert.ok(await open(t, http, "lunch", { state }).flush(20_000));
  assert.deepEqual([relay.seen, http.posts], [new Set([id]), []]);
});

test("a relay that asks to be left alone is, and its own page is no answer", async (t) => {
  const [http, relay] = [await serve(t, TEXTS.lunch), await serve(t, null)];
  relay.script = [{ status: 502, body: "<html>Bad gateway" }, { status: 403, body: "<html>No" }, AWAY];
  const device = open(t, http, "lunch", { relayUrl: relay.url });
  await device.answer(ANSWERS);
  assert.ok(!(await device.flush(20_000)));
  assert.deepEqual([await device.rejected(), relay.posts.length, http.posts], [[], 3, []]);
  assert.ok(!(await device.flush(20_000)));
  assert.equal(relay.posts.length, 3);
});
