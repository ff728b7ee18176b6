/** A draft: what would be sent, shown before; the same noise for the same answers, until it is sent. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { AlreadyAnswered, BudgetExceeded, Draft } from "../sottovoce.js";
import { ANSWERS, CHOSEN, LUNCH, PULSE_CHARGES, TEXTS, WORDS, answerOnce, faultOf } from "./devices.js";
import { newState, open, rowsOf } from "./devices.js";
import { AWAY, BUSY, repeat, serve } from "./server.js";

const PLENTY = { maxEpsilon: 50, maxPeriodEpsilon: 50 };

test("a draft shows what will be posted, to the byte, and charges and sends nothing", async (t) => {
  const [http, state] = [await serve(t, TEXTS.lunch), newState()];
  const device = open(t, http, "lunch", { state });
  const draft = await device.prepare(ANSWERS);
  assert.ok(draft instanceof Draft);
  assert.deepEqual([http.posts, await rowsOf(state, "ledger"), await rowsOf(state, "outbox")], [[], [], []]);
  const receipt = await draft.send();
  assert.ok(await device.flush(20_000));
  assert.deepEqual(
    http.posts.map((post) => post.body),
    [draft.body],
  );
  assert.deepEqual(JSON.parse(draft.body), { fingerprint: LUNCH.fingerprint, reports: [draft.sent] });
  assert.deepEqual([draft.receipt, draft.epsilon], [receipt.id, receipt.epsilon]);
  assert.match(draft.protectedLittle, /protected little/);
  assert.equal(draft.protectedLittle, LUNCH.protectedLittle);
});

test("what a draft says in words is what it sends", async (t) => {
  const http = await serve(t, TEXTS.lunch);
  const { sent, reported } = await open(t, http, "lunch").prepare(ANSWERS);
  const [, dish, drinks] = LUNCH.questions;
  assert.equal(reported.paid, sent.answers.paid);
  assert.deepEqual(reported.dish, [dish.options[sent.answers.dish]]);
  const bits = Buffer.from(sent.answers.drinks, "base64")[0];
  assert.deepEqual(
    reported.drinks,
    drinks.options.filter((_, index) => bits & (1 << index)),
  );
});

test("what a draft says of a text is its cohort and the bits that are set", async (t) => {
  const http = await serve(t, TEXTS.pulse);
  const { sent, reported } = await open(t, http, "pulse").prepare(WORDS, 2);
  const [cohort, coded] = sent.answers.word;
  const bytes = Buffer.from(coded, "base64");
  const set = Array.from({ length: 128 }, (_, bit) => bit).filter((bit) => bytes[bit >> 3] & (1 << (bit & 7)));
  assert.deepEqual(reported.word, { cohort, bits: set });
  assert.equal(typeof reported.well, "boolean");
  assert.equal(sent.wave, 2);
});

for (const [name, text, answers, other] of /** @type {[string, string, object, object][]} */ ([
  ["one stage", TEXTS.wide, CHOSEN, { which: ["option-017"] }],
  ["two stages", TEXTS.pulse, WORDS, { ...WORDS, word: "other" }],
])) {
  test(`with ${name} the same answers give the same draft, also after others and back`, async (t) => {
    const [http, state] = [await serve(t, text), newState()];
    const { id } = JSON.parse(text);
    const device = open(t, http, id, { state, ...PLENTY });
    const first = await device.prepare(answers);
    assert.equal((await device.prepare(answers)).body, first.body);
    const changed = await device.prepare(other);
    assert.notEqual(changed.body, first.body);
    assert.equal(changed.receipt, first.receipt, "nobody learns that an answer was changed");
    assert.equal((await device.prepare(answers)).body, first.body);
    assert.equal((await device.prepare(other)).body, changed.body);
    const another = open(t, http, id, { state, ...PLENTY }); // a page that was loaded again
    assert.equal((await another.prepare(answers)).body, first.body);
    assert.equal((await another.answer(answers)).id, first.receipt);
    assert.ok(await another.flush(20_000));
    assert.deepEqual(
      http.posts.map((post) => post.body),
      [first.body],
    );
  });
}

test("many drafts at once are one draft", async (t) => {
  const [http, state] = [await serve(t, TEXTS.wide), newState()];
  const devices = [1, 2, 3].map(() => open(t, http, "wide", { state, ...PLENTY }));
  const drafts = await Promise.all([...devices, ...devices].map((device) => device.prepare(CHOSEN)));
  assert.equal(new Set(drafts.map((draft) => draft.body)).size, 1);
});

test("the drafts of two questions, of two waves and of two devices have noise of their own", async (t) => {
  const http = await serve(t, TEXTS.pulse);
  const [one, other] = [open(t, http, "pulse"), open(t, http, "pulse")];
  const reports = [];
  for (const [device, wave] of /** @type {[typeof one, number][]} */ ([
    [one, 1],
    [one, 2],
    [other, 1],
  ])) {
    const { sent } = await device.prepare(WORDS, wave);
    reports.push(sent.id, sent.answers.word[1], sent.answers.rest[1]);
  }
  assert.equal(new Set(reports).size, 9);
});

test("a draft that was sent is not sent again, and what it was drawn from is gone", async (t) => {
  const [http, state] = [await serve(t, TEXTS.pulse), newState()];
  const device = open(t, http, "pulse", { state });
  const [draft, second] = [await device.prepare(WORDS), await device.prepare(WORDS, 2)];
  const receipt = await draft.send();
  assert.deepEqual(await draft.send(), receipt);
  for (const call of [device.prepare(WORDS), device.prepare({ ...WORDS, well: false })]) {
    const fault = await faultOf(call);
    assert.ok(fault instanceof AlreadyAnswered);
    assert.deepEqual(fault.receipt, receipt);
  }
  const [{ drafts }] = await rowsOf(state, "secrets");
  assert.deepEqual(Object.keys(drafts), ["2"]);
  assert.ok(await device.flush(20_000));
  assert.equal(http.posts.length, 1);
  assert.equal((await second.send()).wave, 2);
});

test("a draft that two clients of one state show, and both send, is one report", async (t) => {
  const [http, state] = [await serve(t, TEXTS.wide), newState()];
  const drafts = [];
  for (const answers of [CHOSEN, { which: ["option-017"] }]) {
    drafts.push(await open(t, http, "wide", { state, ...PLENTY }).prepare(answers));
  }
  const sent = await Promise.allSettled(drafts.map((draft) => draft.send()));
  assert.deepEqual(
    sent.map((one) => one.status),
    ["fulfilled", "rejected"],
  );
  assert.ok(/** @type {any} */ (sent[1]).reason instanceof AlreadyAnswered);
  assert.ok(await open(t, http, "wide", { state, ...PLENTY }).flush(20_000));
  assert.deepEqual(new Set(http.posts.map((post) => post.body)), new Set([drafts[0].body]));
});

test("a draft that is never sent costs nothing, and a later budget decides about one that is", async (t) => {
  const [http, state] = [await serve(t, TEXTS.lunch), newState()];
  const options = { state, maxPeriodEpsilon: 4 };
  const draft = await open(t, http, "lunch", options).prepare(ANSWERS);
  http.surveyReply = { body: TEXTS.supper };
  assert.equal((await answerOnce(http, state, { q: true }, 1, options)).epsilon, "1");
  const fault = await faultOf(draft.send());
  assert.ok(fault instanceof BudgetExceeded && !(fault instanceof AlreadyAnswered));
  assert.deepEqual([fault.needed, fault.left, fault.limit], [LUNCH.epsilon, "3", "maxPeriodEpsilon"]);
  assert.equal((await rowsOf(state, "ledger")).length, 1);
});

test("what a page does to a draft does not change what is posted", async (t) => {
  const http = await serve(t, TEXTS.lunch);
  const device = open(t, http, "lunch");
  const draft = await device.prepare(ANSWERS);
  const { body } = draft;
  for (const change of [
    () => (draft.sent.answers.paid = ANSWERS.paid),
    () => (draft.sent.answers.dish = "leftovers"),
    () => (draft.sent.id = "0".repeat(32)),
    () => /** @type {any} */ (draft.sent.name = "Ada"),
    () => /** @type {any} */ (draft.sent = {}),
    () => /** @type {any} */ (draft.body = "{}"),
  ]) {
    try {
      change();
    } catch (fault) {
      assert.ok(fault instanceof TypeError);
    }
  }
  await draft.send();
  assert.ok(await device.flush(20_000));
  assert.equal(http.posts[0].body, body);
});

test("a draft is priced as its report will be charged", async (t) => {
  const [http, state] = [await serve(t, TEXTS.pulse), newState()];
  const prices = [];
  for (const wave of [1, 2, 3]) {
    const device = open(t, http, "pulse", { state });
    const draft = await device.prepare(WORDS, wave);
    prices.push(draft.epsilon);
    assert.equal((await draft.send()).epsilon, draft.epsilon);
  }
  assert.deepEqual(prices, PULSE_CHARGES);
});

test("a draft's report survives a collector that is away, as the same bytes", async (t) => {
  const http = await serve(t, TEXTS.lunch);
  http.script = repeat(3, BUSY);
  const device = open(t, http, "lunch");
  const draft = await device.prepare(ANSWERS);
  await draft.send();
  assert.ok(await device.flush(20_000));
  assert.deepEqual(new Set(http.posts.map((post) => post.body)), new Set([draft.body]));
  assert.equal(http.posts.length, 4);
  http.script = [AWAY];
});
