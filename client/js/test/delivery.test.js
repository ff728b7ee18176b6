/** Delivery: every fault on the way ends in exactly the same bytes being sent again, or in a stated refusal. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Delivery } from "../src/delivery.js";
import { putReport, rejectedReports, waitingReports } from "../src/outbox.js";
import { openState } from "../src/state.js";
import { LUNCH, TEXTS, answerOnce, newState, open, rowsOf } from "./devices.js";
import { ANSWERS } from "./devices.js";
import { AWAY, BUSY, problem, repeat, serve } from "./server.js";

const ACK = '{"counted": 1, "duplicates": 0}';
const NOON = Date.parse("2026-09-21T12:00:00Z");

/** A state with a delivery of it, whose clock stands still until it is moved, and whose jitter is the longest. */
async function still(t, { timeoutMs = 10_000, maxJitter = true } = {}) {
  const state = await openState(newState());
  const device = { state, now: NOON, delivery: new Delivery(Promise.resolve(state), timeoutMs) };
  t.after(() => device.delivery.close());
  t.mock.method(Date, "now", () => device.now);
  if (maxJitter) t.mock.method(crypto, "getRandomValues", (array) => array.fill(0xffffffff));
  const ask = (work) => state.transact(work);
  return Object.assign(device, {
    put: (url, id, maxDelayMs = 0) =>
      ask((transaction) => putReport(transaction, url, LUNCH, { id, answers: { paid: true } }, maxDelayMs)),
    waiting: () => ask(waitingReports),
    rejected: () => ask(rejectedReports),
    /** Give what is due a try; return the milliseconds to the next attempt, null when nothing waits. */
    async attempt(isEager = false) {
      await device.delivery.wake(isEager);
      const left = (await ask(waitingReports)).map(({ notBefore, delayUntil, nAttempts }) =>
        Math.max(0, notBefore - device.now, nAttempts > 0 ? 0 : delayUntil - device.now),
      );
      return left.length === 0 ? null : Math.round(Math.min(...left));
    },
  });
}

const idsOf = (http) => http.sent.map((report) => report.id);

/** @type {{[name: string]: import("./server.js").Scripted}} */
const FAULTS = {
  "a dropped connection": { drop: true },
  "a login page": { body: "<html>Log in", headers: { "Content-Type": "text/html" } },
  "half an acknowledgement": { body: ACK, cut: true },
  "an answer that is too long": { body: " ".repeat(70_000) + ACK },
  "an endless answer": { endless: true },
  "a redirect": { status: 302, headers: { Location: "/v1/surveys/lunch/reports" } },
  "a redirect of a POST": { status: 307, headers: { Location: "/elsewhere" } },
  "a login page that says 403": { status: 403, body: "<html>Log in</html>" },
  "too many requests": { status: 429 },
  "a busy collector": problem(503, "busy"),
  "a refusal of a server error": problem(500, "bad_report"),
};

for (const [name, fault] of Object.entries(FAULTS)) {
  test(`after ${name} the same bytes are sent until they are acknowledged`, async (t) => {
    const [http, device] = [await serve(t, null), await still(t)];
    await device.put(http.url, "aa");
    http.script = repeat(3, fault);
    for (const expected of [1000, 2000, 4000]) {
      assert.equal(await device.attempt(), expected);
      assert.equal((await device.waiting()).length, 1);
      device.now += expected;
    }
    assert.equal(await device.attempt(), null);
    assert.deepEqual([http.posts.length, new Set(http.posts.map((post) => post.body)).size], [4, 1]);
    assert.deepEqual(http.posts[0].body.trimEnd(), `{"fingerprint":"${LUNCH.fingerprint}","reports":[${JSON_REPORT}]}`);
    assert.deepEqual(http.gets, []);
  });
}

/** That the collector has no such survey, and asks to be left alone for so long. */
const unknownFor = (seconds) => ({
  ...problem(404, "no_such_survey"),
  headers: { "Content-Type": "application/problem+json", "Retry-After": String(seconds) },
});

test("a collector that does not know the survey is asked down to once in an hour", async (t) => {
  const [http, device] = [await serve(t, null), await still(t)];
  await device.put(http.url, "aa");
  http.script = repeat(14, problem(404, "no_such_survey"));
  const longest = [];
  for (let nTried = 0; nTried < 14; nTried += 1) longest.push((await device.attempt(true)) / 1000);
  assert.deepEqual(longest, [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 3600, 3600]);
});

test("what a collector asks for that does not know one survey holds for all that waits for it", async (t) => {
  const [http, device] = [await serve(t, null), await still(t)];
  for (const id of ["aa", "bb"]) await device.put(http.url, id);
  http.script = [unknownFor(86_400)];
  assert.equal(await device.attempt(), 86_401_000);
  assert.equal(await device.attempt(true), 86_401_000);
  assert.deepEqual(idsOf(http), ["aa"]);
  http.script = [];
  device.now += 86_401_000;
  assert.equal(await device.attempt(), null);
});

test("a day's hold and the longest back-off after it are no clock that was ahead", async (t) => {
  const [http, device] = [await serve(t, null), await still(t)];
  await device.put(http.url, "aa");
  http.script = [...repeat(12, problem(404, "no_such_survey")), unknownFor(86_400), AWAY];
  for (let nTried = 0; nTried < 13; nTried += 1) await device.attempt(true);
  assert.equal(await device.attempt(), 90_000_000);
  assert.equal(http.posts.length, 13);
});

const JSON_REPORT = '{"answers":{"paid":true},"id":"aa"}';

test("a lost acknowledgement is counted once: the repeat is a duplicate, and that acknowledges it", async (t) => {
  const [http, device] = [await serve(t, null), await still(t)];
  await device.put(http.url, "aa");
  http.script = [{ drop: true }];
  http.seen.add("aa");
  await device.attempt();
  assert.equal(await device.attempt(true), null);
  assert.deepEqual(idsOf(http), ["aa", "aa"]);
});

test("nobody listening and nobody answering are faults like others", async (t) => {
  const [http, device] = [await serve(t, null), await still(t, { timeoutMs: 50 })];
  await device.put(http.url, "aa");
  http.script = [{ stall: true }, { stallBody: true, body: ACK }];
  assert.equal(await device.attempt(), 1000);
  assert.equal(await device.attempt(true), 2000);
  await http.close();
  assert.equal(await device.attempt(true), 4000);
  http.server.listen(); // so that it can be closed once more
});

test("nothing is sent before its time", async (t) => {
  const [http, device] = [await serve(t, null), await still(t)];
  await device.put(http.url, "aa");
  http.script = [BUSY];
  assert.equal(await device.attempt(), 1000);
  device.now += 400;
  assert.equal(await device.attempt(), 600);
  assert.equal(http.posts.length, 1);
});

test("back-off doubles up to five minutes, and is drawn from the whole of that", async (t) => {
  const [http, device] = [await serve(t, null), await still(t)];
  await device.put(http.url, "aa");
  http.script = repeat(47, BUSY);
  const longest = [];
  for (let nTried = 0; nTried < 12; nTried += 1) longest.push(await device.attempt(true));
  assert.deepEqual(
    longest,
    [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300].map((seconds) => 1000 * seconds),
  );
  crypto.getRandomValues.mock.restore();
  const drawn = [];
  for (let nTried = 0; nTried < 35; nTried += 1) drawn.push(await device.attempt(true));
  assert.ok(Math.min(...drawn) < 150_000 && Math.max(...drawn) > 150_000, "35 fair coins alike: 6e-11");
  assert.ok(drawn.every((delayMs) => delayMs >= 0 && delayMs <= 300_000));
});

test("Retry-After holds even an eager round", async (t) => {
  const [http, device] = [await serve(t, null), await still(t)];
  await device.put(http.url, "aa");
  http.script = [{ status: 503, headers: { "Retry-After": "60" } }];
  assert.equal(await device.attempt(true), 61_000);
  device.now += 60_500;
  assert.equal(await device.attempt(true), 500);
  assert.equal(http.posts.length, 1);
  device.now += 500;
  assert.equal(await device.attempt(), null);
});

test("Retry-After as a date holds until then, and nonsense does not hold", async (t) => {
  const [http, device] = [await serve(t, null), await still(t)];
  await device.put(http.url, "aa");
  const date = new Date(NOON + 60_000).toUTCString();
  http.script = ["soon", date].map((text) => ({ status: 429, headers: { "Retry-After": text } }));
  assert.equal(await device.attempt(true), 1000);
  assert.equal(await device.attempt(true), 62_000);
  assert.equal(await device.attempt(true), 62_000);
  assert.equal(http.posts.length, 2);
});

test("Retry-After holds all reports to that collector and no others", async (t) => {
  const [http, other, device] = [await serve(t, null), await serve(t, null), await still(t)];
  for (const id of ["aa", "bb"]) await device.put(http.url, id);
  http.script = [{ status: 429, headers: { "Retry-After": "60" } }];
  await device.attempt();
  await device.put(http.url, "cc");
  await device.put(other.url, "dd");
  await device.attempt(true);
  assert.deepEqual([idsOf(other), idsOf(http)], [["dd"], ["aa"]]);
  device.now += 61_000;
  assert.equal(await device.attempt(), null);
  assert.deepEqual(idsOf(http).sort(), ["aa", "aa", "bb", "cc"]);
});

test("a report that always fails does not keep others back", async (t) => {
  const [http, device] = [await serve(t, null), await still(t)];
  for (const id of ["aa", "bb"]) await device.put(http.url, id);
  http.script = [{ status: 500 }, { body: ACK }, { status: 500 }];
  for (let round = 0; round < 2; round += 1) await device.attempt(true);
  assert.deepEqual(idsOf(http), ["aa", "bb", "aa"]);
  assert.deepEqual(
    (await device.waiting()).map((report) => report.receipt),
    ["aa"],
  );
});

test("a refused report is kept with its problem and never sent again", async (t) => {
  const [http, device] = [await serve(t, null), await still(t)];
  await device.put(http.url, "aa");
  http.script = [problem(422, "bad_report", "$.reports[0]")];
  for (const isEager of [false, true]) assert.equal(await device.attempt(isEager), null);
  assert.equal(http.posts.length, 1);
  const refused = { status: 422, code: "bad_report", detail: "No.", where: "$.reports[0]" };
  const expected = {
    receipt: "aa",
    url: http.url,
    surveyId: "lunch",
    problem: refused,
    isUnknown: false,
    needsInvitation: false,
  };
  assert.deepEqual(await device.rejected(), [expected]);
});

test("a time that only a wrong clock can have written is ignored", async (t) => {
  const [http, device] = [await serve(t, null), await still(t)];
  device.now += 10 * 365 * 86_400_000; // ten years ahead
  await device.put(http.url, "aa");
  http.script = [AWAY];
  await device.attempt();
  device.now = NOON;
  assert.equal(await device.attempt(), null);
  assert.equal(http.posts.length, 2);
});

for (const status of [200, 422]) {
  test(`after HTTP ${status} the secret and the marks are forgotten, and not before`, async (t) => {
    const [http, state] = [await serve(t, TEXTS.lunch), newState()];
    http.script = [BUSY, ...(status === 200 ? [] : [problem(status, "bad_report")])];
    const device = open(t, http, "lunch", { state });
    await device.answer(ANSWERS);
    await http.posted(1);
    assert.equal((await rowsOf(state, "secrets")).length, 1);
    assert.ok((await rowsOf(state, "ledger"))[0].marks instanceof Uint8Array);
    assert.ok(await device.flush(20_000));
    assert.deepEqual(await rowsOf(state, "secrets"), []);
    assert.equal((await rowsOf(state, "ledger"))[0].marks, null);
  });
}

test("every report has a request of its own: what goes together is linked", async (t) => {
  const [http, state] = [await serve(t, TEXTS.pulse), newState()];
  http.script = repeat(2, BUSY);
  const device = open(t, http, "pulse", { state });
  const words = { word: "a", rest: "b", well: true };
  for (const wave of [1, 2, 3]) await device.answer(words, wave);
  assert.ok(await device.flush(20_000));
  assert.equal(http.seen.size, 3);
  for (const post of http.posts) assert.equal(JSON.parse(post.body).reports.length, 1);
  assert.equal(await answerOnce(http, newState(), words).then(({ wave }) => wave), 1);
});
