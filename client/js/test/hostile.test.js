/** Collectors that never end an answer: an exchange as a whole ends in its time, and nobody else waits for it. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { SurveyUnavailable } from "../sottovoce.js";
import { exchange } from "../src/exchange.js";
import { Delivery } from "../src/delivery.js";
import { putReport } from "../src/outbox.js";
import { openState } from "../src/state.js";
import { LUNCH, TEXTS, faultOf, newState, open } from "./devices.js";
import { HOSTILE, serve } from "./server.js";

const HANGS_MS = 60_000; // far more than any of these take

for (const [name, reply] of Object.entries(HOSTILE)) {
  test(`an exchange with a collector that sends ${name} ends in its time`, { timeout: HANGS_MS }, async (t) => {
    const http = await serve(t, null);
    http.surveyReply = reply;
    http.script = [reply];
    const exchanges = [
      exchange(`${http.url}/v1/surveys/lunch`, 300, Number.MAX_SAFE_INTEGER),
      exchange(`${http.url}/v1/surveys/lunch/reports`, 300, 2 ** 16, "{}"),
    ];
    for (const fault of await Promise.all(exchanges.map(faultOf))) assert.equal(fault.name, "DeliveryError");
  });
}

test("the survey is refused in its time, and a copy taken where there is one", { timeout: HANGS_MS }, async (t) => {
  const [http, state] = [await serve(t, TEXTS.lunch), newState()];
  const served = http.surveyReply;
  for (const [name, reply] of Object.entries(HOSTILE)) {
    http.surveyReply = reply;
    const fault = await faultOf(open(t, http, "lunch", { timeoutMs: 200 }).survey());
    assert.ok(fault instanceof SurveyUnavailable, name);
    http.surveyReply = served;
    await open(t, http, "lunch", { state }).survey();
    http.surveyReply = reply;
    assert.equal((await open(t, http, "lunch", { state, timeoutMs: 200 }).survey()).id, "lunch", name);
  }
});

for (const [name, reply] of Object.entries(HOSTILE)) {
  test(`a collector that sends ${name} holds back no other one's reports`, { timeout: HANGS_MS }, async (t) => {
    const [evil, http] = [await serve(t, null), await serve(t, null)];
    evil.script = Array(50).fill(reply);
    const state = await openState(newState());
    const put = (url, id) => state.transact((inside) => putReport(inside, url, LUNCH, { id, answers: {} }, 0));
    await put(evil.url, "aa"); // the first in the outbox
    await put(http.url, "bb");
    const delivery = new Delivery(Promise.resolve(state), HANGS_MS);
    t.after(() => delivery.close());
    void delivery.wake();
    await Promise.all([http.posted(1), evil.posted(1)]);
    await put(http.url, "cc"); // while the other's exchange goes on
    void delivery.wake();
    await http.posted(2);
    assert.deepEqual([...http.seen].sort(), ["bb", "cc"]);
  });
}
