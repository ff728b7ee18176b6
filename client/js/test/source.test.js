/** Where a survey comes from: a collector that is not trusted, and the checked copy that a device keeps. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { SurveyClient, SurveyRefused, SurveyUnavailable } from "../sottovoce.js";
import { ANSWERS, LUNCH, STORES, TEXTS, faultOf, newState, open, rowsOf } from "./devices.js";
import { problem, serve } from "./server.js";

const LOGIN = { body: "<html>Log in", headers: { "Content-Type": "text/html" } };
/** What a network in between, or a collector that is down, replies. */
const OFFLINE = {
  "a busy collector": { status: 503 },
  "a redirect": { status: 302, headers: { Location: "/v1/surveys/lunch" } },
  "a dropped connection": { drop: true },
  "half an answer": { body: TEXTS.lunch.slice(0, 300), cut: true },
  "a collector on a wrong database": problem(404, "no_such_survey"),
  "a limit of the collector's": problem(429, "too_many_reports"),
  "a request that was slow": problem(408, "request_timeout"),
  "a login page": LOGIN,
  "a login page that says 404": { ...LOGIN, status: 404 },
  "an empty answer": { body: "" },
  "a JSON text": { body: '"log in"' },
  "an endless answer": { endless: true },
};

test("a survey is fetched once, and is the same for whoever asks", async (t) => {
  const http = await serve(t, TEXTS.lunch);
  const device = open(t, http, "lunch");
  const surveys = await Promise.all([device.survey(), device.survey(), device.survey()]);
  assert.equal(new Set(surveys).size, 1);
  assert.equal(surveys[0], await device.survey());
  assert.deepEqual([surveys[0].fingerprint, surveys[0].canonical], [LUNCH.fingerprint, TEXTS.lunch]);
  assert.equal(http.gets.length, 1);
});

for (const [name, reply] of Object.entries(OFFLINE)) {
  test(`${name} is merely offline: the copy that was kept is answered, and without one there is no survey`, async (t) => {
    const [http, state] = [await serve(t, TEXTS.lunch), newState()];
    assert.equal((await open(t, http, "lunch", { state }).survey()).id, "lunch");
    http.surveyReply = reply;
    assert.ok((await open(t, http, "lunch", { state }).answer(ANSWERS)).id);
    const device = open(t, http, "lunch");
    const fault = await faultOf(device.answer(ANSWERS));
    assert.ok(fault instanceof SurveyUnavailable, String(fault));
    assert.match(fault.message, /^survey lunch: /);
    http.surveyReply = { body: TEXTS.lunch };
    assert.equal((await device.survey()).id, "lunch", "it is asked for again");
  });
}

test("nobody listening, and nobody answering in time, are offline too", async (t) => {
  const [http, state] = [await serve(t, TEXTS.lunch), newState()];
  await open(t, http, "lunch", { state }).survey();
  for (const reply of [{ stall: true }, { stallBody: true }]) {
    http.surveyReply = reply;
    const slow = open(t, http, "lunch", { state, timeoutMs: 50 });
    assert.equal((await slow.survey()).fingerprint, LUNCH.fingerprint);
    assert.match((await faultOf(open(t, http, "lunch", { timeoutMs: 50 }).survey())).message, /AbortError/);
  }
  await http.close();
  const { message } = await faultOf(open(t, http, "lunch").survey());
  assert.match(message, /cannot be reached, does not have the survey, or does not allow this page's origin/);
  const device = open(t, http, "lunch", { state });
  const receipt = await device.answer(ANSWERS);
  assert.ok(!(await device.flush(0)));
  assert.deepEqual(await device.pending(), [receipt.id]);
  http.server.listen(); // so that it can be closed once more
});

/** A survey's text with other numbers in its first question. */
const understated = TEXTS.lunch.replaceAll("1.098612288669", "1").replace("3.098612288669", "3");
const overcharged = TEXTS.lunch.replace('{"epsilon":3.098612288669', '{"epsilon":3.1');
const noisier = TEXTS.lunch.replace("3221225472", "3221225473"); // truer than it says

/** @type {[string, string, object, RegExp][]} */
const REFUSED = [
  ["that is not the pinned version", TEXTS["yesNo3"], { fingerprint: LUNCH.fingerprint }, /not the pinned one/],
  ["above the default limit", TEXTS["yesNo8.1"], {}, /takes epsilon 8\.1, above maxEpsilon \(8\)/],
  ["above the page's limit", TEXTS.lunch, { maxEpsilon: 3 }, /above maxEpsilon \(3\)/],
  [
    "of which all waves are above it",
    TEXTS.pulse.replace("pulse", "lunch"),
    { maxEpsilon: "4.85" },
    /4\.850682034774 in 3 waves/,
  ],
  ["that is another one", TEXTS.supper, {}, /the collector sent another/],
  ["that declares less than it takes", understated, {}, /declares 1 but the thresholds take 1\.098612288669/],
  ["whose sum is not that of its questions", overcharged, {}, /canonical/],
  ["whose coins are not the mechanism's", noisier, {}, /add up to 4294967296/],
  ["that is not in canonical form", `${TEXTS.lunch}\n`, {}, /canonical/],
  ["that lacks something", "{}", {}, /missing/],
  ["that is a list", "[1]", {}, /must be an object/],
  ["with a member that is unknown", TEXTS.lunch.replace('"title"', '"x":1,"title"'), {}, /unknown member 'x'/],
];

for (const [name, body, options, message] of REFUSED) {
  test(`a survey ${name} is refused before anything is perturbed`, async (t) => {
    const [http, state] = [await serve(t, body), newState()];
    const fault = await faultOf(open(t, http, "lunch", { state, ...options }).answer({ q: true }));
    assert.ok(fault instanceof SurveyRefused, String(fault));
    assert.match(fault.message, message);
    for (const store of STORES) {
      assert.deepEqual(await rowsOf(state, store), []);
    }
  });
}

test("the pinned survey is accepted, and a kept copy that is not the pinned one is refused", async (t) => {
  const [http, state] = [await serve(t, TEXTS.lunch), newState()];
  const { fingerprint } = LUNCH;
  assert.equal((await open(t, http, "lunch", { state, fingerprint }).survey()).fingerprint, fingerprint);
  http.surveyReply = { status: 503 };
  const pinned = open(t, http, "lunch", { state, fingerprint: "0".repeat(64) });
  assert.ok((await faultOf(pinned.survey())) instanceof SurveyRefused);
  const limited = open(t, http, "lunch", { state, maxEpsilon: 1 });
  assert.ok((await faultOf(limited.survey())) instanceof SurveyRefused);
});

test("a request that succeeded is not aborted afterwards, and one that nobody reads to its end is", async (t) => {
  const http = await serve(t, TEXTS.lunch);
  const spied = t.mock.method(globalThis, "fetch");
  const isAborted = () => spied.mock.calls.at(-1)?.arguments[1]?.signal?.aborted;
  await open(t, http, "lunch").survey();
  assert.equal(isAborted(), false); // else browsers say now and then that it had no status
  http.surveyReply = { body: TEXTS.lunch.padEnd(2 ** 20 + 1) };
  await faultOf(open(t, http, "lunch").survey());
  assert.equal(isAborted(), true);
});

test("a survey of more than a mebibyte is not read to its end", async (t) => {
  const http = await serve(t, TEXTS.lunch.padEnd(2 ** 20 + 1));
  assert.ok((await faultOf(open(t, http, "lunch").survey())) instanceof SurveyUnavailable);
  http.surveyReply = { body: TEXTS.lunch.padEnd(2 ** 20) };
  assert.ok((await faultOf(open(t, http, "lunch").survey())) instanceof SurveyRefused);
});

test("a collector is asked below the path where it is", async (t) => {
  const http = await serve(t, TEXTS.lunch);
  for (const path of ["", "/", "/sotto", "/a/b/"]) {
    const device = new SurveyClient(http.url + path, "lunch", { state: ":memory:" });
    t.after(() => device.close());
    await device.answer(ANSWERS);
    assert.ok(await device.flush(20_000));
    const base = path.replace(/\/$/, "");
    assert.equal(http.gets.at(-1)?.path, `${base}/v1/surveys/lunch`);
    assert.equal(http.posts.at(-1)?.path, `${base}/v1/surveys/lunch/reports`);
  }
});
