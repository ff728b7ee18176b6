/** Delivery in the background: what wakes it, what it waits for, and what is left when it ends. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import { StateError, SurveyClient } from "../sottovoce.js";
import { Delivery } from "../src/delivery.js";
import { putReport } from "../src/outbox.js";
import { openState } from "../src/state.js";
import { Turns } from "../src/turns.js";
import { ANSWERS, LUNCH, TEXTS, changeRows, faultOf, newState, open, rowsOf, until } from "./devices.js";
import { AWAY, BUSY, repeat, serve } from "./server.js";

const run = promisify(execFile);
const put = (state, url, id) =>
  state.transact((transaction) => putReport(transaction, url, LUNCH, { id, answers: { paid: true } }, 0));

/** Let the page of this process have events, as a browser's has. */
function pageOf(t) {
  const page = new EventTarget();
  for (const name of ["addEventListener", "removeEventListener"]) {
    globalThis[name] = page[name].bind(page);
    t.after(() => delete globalThis[name]);
  }
  return { fire: (/** @type {string} */ name) => page.dispatchEvent(new Event(name)) };
}

test("a report is delivered without anybody waiting for it", async (t) => {
  const http = await serve(t, TEXTS.lunch);
  const device = open(t, http, "lunch");
  const { id } = await device.answer(ANSWERS);
  await http.posted(1);
  assert.deepEqual(http.seen, new Set([id]));
});

test("a short back-off ends by itself", async (t) => {
  const http = await serve(t, TEXTS.lunch);
  http.script = [BUSY];
  await open(t, http, "lunch").answer(ANSWERS);
  await http.posted(2);
});

test("a short delay ends by itself", async (t) => {
  const http = await serve(t, TEXTS.lunch);
  const device = open(t, http, "lunch", { maxDelayMs: 200 });
  await device.answer(ANSWERS);
  await http.posted(1);
});

for (const last of [1, 2, 3, 4]) {
  test(`a report that is put after look ${last} at the outbox, as delivery ends, is delivered all the same`, async (t) => {
    const [http, inner] = [await serve(t, null), await openState(newState())];
    await put(inner, http.url, "zz");
    let nTransactions = 0;
    const state = {
      ...inner,
      async transact(work) {
        const result = await inner.transact(work);
        nTransactions += 1;
        if (nTransactions !== last) return result;
        await put(inner, http.url, "aa");
        void delivery.wake();
        return result;
      },
    };
    const delivery = new Delivery(Promise.resolve(state), 10_000);
    t.after(() => delivery.close());
    void delivery.wake();
    await http.posted(2);
    assert.equal(nTransactions >= last, true);
  });
}

test("a storm of calls for delivery delivers every report, each as one text", async (t) => {
  const http = await serve(t, null);
  const state = await openState(newState());
  const deliveries = [1, 2].map(() => new Delivery(Promise.resolve(state), 10_000));
  t.after(() => deliveries.forEach((delivery) => delivery.close()));
  t.mock.method(crypto, "getRandomValues", (array) => array.fill(0)); // no back-off
  http.script = repeat(8, [BUSY, { drop: true }, { body: "<html>" }]).flat();
  for (let number = 0; number < 20; number += 1) {
    await put(state, http.url, `r${number}`);
    for (const delivery of deliveries) void delivery.wake();
  }
  for (const delivery of deliveries) assert.ok(await delivery.flush(20_000));
  assert.equal(http.seen.size, 20);
  assert.equal(new Set(http.posts.map((post) => post.body)).size, 20);
});

test("flush of nothing is at once true, also without time", async (t) => {
  const http = await serve(t, TEXTS.lunch);
  assert.ok(await open(t, http, "lunch").flush(0));
});

test("flush waits through faults", async (t) => {
  const http = await serve(t, TEXTS.lunch);
  const device = open(t, http, "lunch");
  t.mock.method(crypto, "getRandomValues", (array) => array.fill(0)); // no back-off
  http.script = [BUSY, { drop: true }, { body: "<html>" }, { status: 302 }];
  await device.answer(ANSWERS);
  assert.ok(await device.flush(20_000));
  assert.equal(new Set(http.posts.map((post) => post.body)).size, 1);
  assert.equal(http.posts.length, 5);
});

test("flush comes back early when no attempt is due in time", async (t) => {
  const http = await serve(t, TEXTS.lunch);
  const device = open(t, http, "lunch");
  http.script = [AWAY];
  await device.answer(ANSWERS);
  const started = performance.now();
  for (let round = 0; round < 2; round += 1) assert.ok(!(await device.flush(600_000)));
  assert.ok(performance.now() - started < 60_000);
  assert.equal(http.posts.length, 1);
});

test("flush ends in time although the collector says nothing", async (t) => {
  const http = await serve(t, TEXTS.lunch);
  const device = open(t, http, "lunch", { timeoutMs: 600_000 });
  http.script = [{ stall: true }];
  await device.answer(ANSWERS);
  assert.equal(await device.flush(50), false);
  assert.equal((await device.pending()).length, 1);
});

test("a flush that nothing else waits for keeps a program of node alive, and no longer than it takes", async (t) => {
  const http = await serve(t, TEXTS.lunch);
  http.script = [BUSY, BUSY];
  const program = `
    const { SurveyClient } = await import(${JSON.stringify(new URL("../sottovoce.js", import.meta.url).href)});
    const device = new SurveyClient(${JSON.stringify(http.url)}, "lunch", { state: ":memory:" });
    await device.answer(${JSON.stringify(ANSWERS)});
    console.log(await device.flush(500_000));`;
  const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", program], { timeout: 60_000 });
  assert.equal(stdout, "true\n");
  assert.equal(http.posts.length, 3);
});

test("a program of node ends although a report waits", async (t) => {
  const http = await serve(t, TEXTS.lunch);
  http.script = repeat(100, AWAY);
  const program = `
    const { SurveyClient } = await import(${JSON.stringify(new URL("../sottovoce.js", import.meta.url).href)});
    const device = new SurveyClient(${JSON.stringify(http.url)}, "lunch", { state: ":memory:" });
    await device.answer(${JSON.stringify(ANSWERS)});
    console.log(await device.flush(500_000));`;
  const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", program], { timeout: 60_000 });
  assert.equal(stdout, "false\n");
});

test("a device that is online again tries at once, unless the collector asked to be left alone", async (t) => {
  const [page, http, state] = [pageOf(t), await serve(t, TEXTS.lunch), newState()];
  const device = open(t, http, "lunch", { state });
  t.mock.method(crypto, "getRandomValues", (array) => array.fill(0xffffffff)); // the longest back-off
  http.script = [...repeat(9, BUSY), AWAY];
  await device.answer(ANSWERS);
  for (let nPosts = 1; nPosts <= 9; nPosts += 1) {
    await http.posted(nPosts);
    await until(async () => (await rowsOf(state, "outbox"))[0].nAttempts === nPosts);
    page.fire("online");
  }
  await http.posted(10);
  await until(async () => (await rowsOf(state, "outbox"))[0].isHeld);
  page.fire("online");
  assert.ok(!(await device.flush(20_000)));
  assert.equal(http.posts.length, 10);
});

test("a page that closes sends what waits, the same bytes, and leaves the rest of it to the next page", async (t) => {
  const [page, http, state] = [pageOf(t), await serve(t, TEXTS.lunch), newState()];
  const device = open(t, http, "lunch", { state });
  t.mock.method(crypto, "getRandomValues", (array) => array.fill(0xffffffff)); // the longest back-off
  http.script = repeat(9, BUSY);
  await device.answer(ANSWERS);
  for (let nPosts = 1; nPosts < 9; nPosts += 1) await device.flush(0).then(() => http.posted(nPosts));
  await until(async () => (await rowsOf(state, "outbox"))[0].nAttempts === http.posts.length);
  const nPosts = http.posts.length;
  await device.pending();
  page.fire("pagehide");
  await http.posted(nPosts + 1);
  assert.equal(new Set(http.posts.map((post) => post.body)).size, 1);
  assert.equal((await rowsOf(state, "outbox")).length, 1, "until it is acknowledged");
});

test("a page that closes leaves alone what is delayed or held, and a closed client's is not sent", async (t) => {
  const [page, http, state] = [pageOf(t), await serve(t, TEXTS.lunch), newState()];
  const delayed = open(t, http, "lunch", { maxDelayMs: 600_000 });
  t.mock.method(crypto, "getRandomValues", (array) => array.fill(0xffffffff));
  await delayed.answer(ANSWERS);
  assert.ok(!(await delayed.flush(20_000)));
  http.script = [AWAY, BUSY];
  const held = open(t, http, "lunch");
  await held.answer(ANSWERS);
  assert.ok(!(await held.flush(20_000)));
  const closed = open(t, http, "lunch", { state });
  await closed.answer(ANSWERS);
  await until(async () => (await rowsOf(state, "outbox"))[0].nAttempts === 1);
  await closed.pending();
  closed.close();
  const fetched = t.mock.method(globalThis, "fetch");
  page.fire("pagehide");
  page.fire("online");
  assert.ok(!(await held.flush(20_000)) && !(await delayed.flush(20_000)));
  assert.equal(fetched.mock.callCount(), 0);
});

test("a state that breaks is named on the console, and its reports are tried again later", async (t) => {
  const [http, said] = [await serve(t, null), []];
  t.mock.method(console, "warn", (...texts) => said.push(texts.join(" ")));
  const state = await openState(newState());
  await put(state, http.url, "aa");
  const faults = [new StateError("secret detail"), new ReferenceError("secret detail")];
  const breaking = {
    ...state,
    transact: (work) => (faults[0] ? Promise.reject(faults.shift()) : state.transact(work)),
  };
  const delivery = new Delivery(Promise.resolve(breaking), 10_000);
  t.after(() => delivery.close());
  for (const name of ["StateError", "ReferenceError"]) {
    await delivery.wake(true);
    assert.equal(said.pop(), `sottovoce: reports wait, delivery failed (${name}).`);
  }
  assert.ok(await delivery.flush(20_000));
  assert.deepEqual([http.seen, said], [new Set(["aa"]), []]);
});

test("a state of a newer version is a StateError to whoever uses it, and to nobody else", async (t) => {
  const unhandled = [];
  const note = (fault) => unhandled.push(fault);
  process.on("unhandledRejection", note);
  t.after(() => process.off("unhandledRejection", note));
  t.mock.method(console, "warn", () => undefined);
  globalThis.indexedDB = {
    open() {
      const request = { error: new DOMException("", "VersionError") };
      queueMicrotask(() => request.onerror());
      return request;
    },
  };
  t.after(() => delete globalThis.indexedDB);
  const http = await serve(t, TEXTS.lunch);
  const device = new SurveyClient(http.url, "lunch", { state: "newer" });
  const used = [device.answer(ANSWERS), device.pending(), device.flush(10), device.forget()];
  for (const fault of await Promise.all(used.map(faultOf))) {
    assert.ok(fault instanceof StateError, String(fault));
    assert.equal(fault.message, "state newer cannot be used (it was made by a newer sottovoce).");
  }
  device.close();
  await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(unhandled, []);
});

test("a state that cannot be written is not hammered, nor is the collector", async (t) => {
  t.mock.method(crypto, "getRandomValues", (array) => array.fill(0xffffffff)); // the longest back-off
  t.mock.method(console, "warn", () => undefined);
  const [http, name] = [await serve(t, TEXTS.lunch), newState()];
  const state = await openState(name);
  const device = open(t, http, "lunch", { state: name });
  http.script = [AWAY];
  await device.answer(ANSWERS);
  await until(async () => (await rowsOf(name, "outbox"))[0].nAttempts > 0);
  const transact = state.transact.bind(state);
  await changeRows(name, "outbox", (report) => ({ ...report, notBefore: 0, isHeld: false })); // as time does
  const put = async () => Promise.reject(new StateError("state cannot be used (QuotaExceededError)."));
  state.transact = (work) => transact((transaction) => work({ ...transaction, put, delete: put }));
  const before = http.posts.length;
  assert.equal(await device.flush(1500), false);
  assert.ok(http.posts.length - before >= 1 && http.posts.length - before <= 2, `${http.posts.length - before} posts`);
  delete state.transact;
  assert.ok(await device.flush(20_000), "it goes on where the state can be written again");
});

test("work that is asked for while it pauses after a fault is done when it is asked for eagerly", async (t) => {
  t.mock.method(console, "warn", () => undefined);
  t.mock.method(crypto, "getRandomValues", (array) => array.fill(0xffffffff)); // a pause of a second
  const done = [];
  const turns = new Turns(async (isEager) => {
    done.push(isEager);
    if (done.length === 1) throw new Error("once");
    return null;
  });
  t.after(() => turns.close());
  for (const isEager of [false, false, true]) await turns.wake(isEager);
  assert.deepEqual(done, [false, true]);
});
