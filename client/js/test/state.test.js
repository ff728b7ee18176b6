/** The device's memory where nothing can be stored: transactions in turn, and undone where they throw. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { ANSWERS, STORES, TEXTS, WORDS, answerOnce, faultOf, newState, open, rowsOf } from "./devices.js";
import { openState } from "../src/state.js";
import { AWAY, serve } from "./server.js";

const report = (/** @type {string} */ receipt, n = 0) => ({ receipt, n });

test("a state given by name is shared by name, and a kiosk's is nobody else's", async () => {
  const [name, other] = [newState(), newState()];
  await (await openState(name)).transact((transaction) => transaction.put("outbox", report("aa")));
  assert.deepEqual(await rowsOf(name, "outbox"), [report("aa")]);
  assert.deepEqual(await rowsOf(other, "outbox"), []);
  const [first, second] = await Promise.all([openState(newState()), openState(":memory:")]);
  assert.notEqual(first, second);
  assert.notEqual(await openState(":memory:"), second);
  const twice = newState();
  const opened = await Promise.all([openState(twice), openState(twice)]);
  assert.equal(opened[0], opened[1], "also when both are opened at once");
});

test("what a transaction wrote is seen by it, and by others only once it has ended", async () => {
  const state = await openState(":memory:");
  const seen = [];
  await Promise.all([
    state.transact(async (transaction) => {
      await transaction.put("outbox", report("aa", 1));
      await transaction.put("outbox", report("aa", 2));
      await transaction.put("outbox", report("bb", 3));
      await transaction.delete("outbox", "bb");
      seen.push(await transaction.get("outbox", "aa"), await transaction.get("outbox", "bb"));
      await new Promise((resolve) => setImmediate(resolve));
    }),
    state.transact(async (transaction) => seen.push(await transaction.all("outbox"))),
  ]);
  assert.deepEqual(seen, [report("aa", 2), undefined, [report("aa", 2)]]);
});

test("a transaction that throws is undone whole, says why, and keeps no other back", async () => {
  const state = await openState(":memory:");
  await state.transact((transaction) => transaction.put("outbox", report("aa", 1)));
  const failing = state.transact(async (transaction) => {
    await transaction.put("outbox", report("aa", 2));
    await transaction.put("outbox", report("bb"));
    await transaction.put("ledger", { fingerprint: "f", wave: 1 });
    await transaction.delete("outbox", "aa");
    throw new RangeError("no");
  });
  const after = state.transact((transaction) => transaction.all("outbox"));
  assert.match(String(await faultOf(failing)), /^RangeError: no$/);
  assert.deepEqual(await after, [report("aa", 1)]);
  assert.deepEqual(await state.transact((transaction) => transaction.all("ledger")), []);
});

test("records lie under the members that name them", async () => {
  const state = await openState(":memory:");
  await state.transact(async (transaction) => {
    for (const wave of [1, 2, 11]) await transaction.put("ledger", { fingerprint: "f", wave });
    await transaction.put("ledger", { fingerprint: "g", wave: 1 });
    await transaction.put("surveys", { url: "http://x,y", surveyId: "a" });
  });
  await state.transact(async (transaction) => {
    assert.deepEqual(await transaction.get("ledger", "f", 11), { fingerprint: "f", wave: 11 });
    assert.equal(await transaction.get("ledger", "f", 3), undefined);
    assert.equal(await transaction.get("surveys", "http://x", "a"), undefined);
    await transaction.delete("ledger", "f", 1);
    assert.equal((await transaction.all("ledger")).length, 3);
  });
});

test("everything that a device keeps can lie in a browser's database, and no script can read its secrets", async (t) => {
  const [http, state] = [await serve(t, TEXTS.pulse), newState()];
  await answerOnce(http, state, WORDS, 1, { resendDays: 7 });
  await open(t, await serve(t, TEXTS.five), "five", { state }).questions();
  http.script = [AWAY];
  const device = open(t, http, "pulse", { state, maxDelayMs: 1000 });
  await device.prepare(WORDS, 3);
  await device.answer(WORDS, 2);
  for (const store of STORES) {
    const records = await rowsOf(state, store);
    assert.ok(records.length > 0, store);
    for (const record of records) assert.deepEqual(structuredClone(record), record);
  }
  const [[{ key, drafts }], [{ seed }]] = [await rowsOf(state, "secrets"), await rowsOf(state, "draws")];
  for (const secret of [key, drafts[3].seed, seed]) {
    assert.ok(secret instanceof CryptoKey && secret.type === "secret" && !secret.extractable);
    assert.deepEqual(secret.usages, ["sign"]);
    assert.match(String(await faultOf(crypto.subtle.exportKey("raw", secret))), /InvalidAccess/);
  }
});

test("a charge that cannot be kept sends nothing, and can be made again", async (t) => {
  const [http, state] = [await serve(t, TEXTS.lunch), newState()];
  const device = open(t, http, "lunch", { state });
  const draft = await device.prepare(ANSWERS);
  const shared = await openState(state);
  const transact = t.mock.method(shared, "transact", (work) =>
    Object.getPrototypeOf(shared).transact.call(shared, (transaction) =>
      work({
        ...transaction,
        put: async (store, record) => {
          if (store === "outbox") throw new DOMException("full", "QuotaExceededError");
          return transaction.put(store, record);
        },
      }),
    ),
  );
  assert.match(String(await faultOf(draft.send())), /QuotaExceededError/);
  transact.mock.restore();
  assert.deepEqual([await rowsOf(state, "ledger"), await rowsOf(state, "outbox")], [[], []]);
  assert.equal((await draft.send()).id, draft.receipt);
  assert.ok(await device.flush(20_000));
  assert.equal(http.posts[0].body, draft.body);
});
