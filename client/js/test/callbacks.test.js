/** Callbacks: an app is told of each report that is delivered or refused, once, and what it does breaks nothing. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { version } from "../sottovoce.js";
import { ANSWERS, CANARY, INVITATION, OTHER_INVITATION, TEXTS, WORDS, newState, open, textOf } from "./devices.js";
import { problem, repeat, serve } from "./server.js";

const REFUSED = problem(403, "invitation_invalid", "$.reports[0].invitation");

/** Callbacks that keep what they are told. */
function listen() {
  /** @type {import("../sottovoce.js").Receipt[]} */
  const delivered = [];
  /** @type {import("../sottovoce.js").Rejected[]} */
  const rejected = [];
  /** @type {import("../sottovoce.js").Options} */
  const callbacks = {
    onDelivered: (receipt) => delivered.push(receipt),
    onRejected: (report) => rejected.push(report),
  };
  return { delivered, rejected, callbacks };
}

test("an app is told of each wave's delivery with the receipt that it was given, of the last one too", async (t) => {
  const [http, told] = [await serve(t, TEXTS.pulse), listen()];
  const device = open(t, http, "pulse", told.callbacks);
  const receipts = [];
  for (const wave of [1, 2, 3]) {
    receipts.push(await device.answer(WORDS, wave));
    assert.ok(await device.flush(20_000));
  }
  assert.deepEqual([told.delivered, told.rejected], [receipts, []]);
  assert.ok(!textOf(told).includes(WORDS.word));
});

test("an app is told what was refused and why, and nothing that was answered", async (t) => {
  const [http, told] = [await serve(t, TEXTS.invited), listen()];
  http.script = [REFUSED];
  const device = open(t, http, "lunch", { invitation: INVITATION, ...told.callbacks });
  await device.answer(ANSWERS);
  assert.ok(await device.flush(20_000));
  assert.deepEqual([told.rejected, told.delivered], [await device.rejected(), []]);
  assert.equal(told.rejected[0].problem.code, "invitation_invalid");
  assert.ok(!textOf(told).includes("leftovers") && !textOf(told).includes(INVITATION));
});

test("a report that waits is no news", async (t) => {
  const [http, told] = [await serve(t, TEXTS.lunch), listen()];
  http.script = repeat(3, { status: 503 });
  const device = open(t, http, "lunch", told.callbacks);
  await device.answer(ANSWERS);
  await http.posted(1);
  assert.deepEqual([told.delivered, told.rejected], [[], []]);
});

test("what an earlier page left is told to the page that delivers it", async (t) => {
  const [http, state, told] = [await serve(t, TEXTS.lunch), newState(), listen()];
  http.script = [{ status: 503, headers: { "Retry-After": "1" } }];
  const earlier = open(t, http, "lunch", { state });
  const { id } = await earlier.answer(ANSWERS);
  await http.posted(1);
  earlier.close();
  const device = open(t, http, "lunch", { state, ...told.callbacks });
  assert.ok(await device.flush(20_000));
  assert.deepEqual(
    told.delivered.map((receipt) => receipt.id),
    [id],
  );
});

test("a callback may mend what was refused", async (t) => {
  const [http, told] = [await serve(t, TEXTS.invited), listen()];
  http.script = [REFUSED];
  const onRejected = () => device.resend(OTHER_INVITATION);
  const device = open(t, http, "lunch", { invitation: INVITATION, ...told.callbacks, onRejected });
  const receipt = await device.answer(ANSWERS);
  await http.posted(2);
  assert.ok(await device.flush(20_000));
  assert.deepEqual(told.delivered, [receipt]);
});

/** @type {{[name: string]: () => unknown}} */
const FAILING = {
  throws: () => {
    throw new RangeError(CANARY);
  },
  rejects: () => Promise.reject(new RangeError(CANARY)),
  "never ends": () => new Promise(() => undefined),
};

for (const [name, onDelivered] of Object.entries(FAILING)) {
  test(`delivery goes on where a callback ${name}`, async (t) => {
    const http = await serve(t, TEXTS.pulse);
    /** @type {string[]} */
    const said = [];
    t.mock.method(console, "warn", (/** @type {string[]} */ ...texts) => said.push(texts.join(" ")));
    const device = open(t, http, "pulse", { onDelivered });
    for (const wave of [1, 2]) {
      await device.answer(WORDS, wave);
      assert.ok(await device.flush(20_000));
    }
    await new Promise((resolve) => setImmediate(resolve));
    const told = "sottovoce: onDelivered threw (RangeError); delivery goes on.";
    assert.deepEqual(said, name === "never ends" ? [] : [told, told]);
  });
}

test("the client says its version, which is the package's", () => {
  const { version: published } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  assert.equal(version, published);
});
