/** Only noise leaves the device: nothing true is in a request, an error, on the console, or kept. */

import assert from "node:assert/strict";
import { inspect } from "node:util";
import { test } from "node:test";
import { CANARY, INVITATION, TEXTS, answerOnce, faultOf, newState, open, stateText, textOf } from "./devices.js";
import { AWAY, problem, repeat, serve } from "./server.js";

/** The ways in which a text could lie in another, each of a good part of it. */
function formsOf(/** @type {string} */ text) {
  const forms = [text, JSON.stringify(text).slice(1, -1), encodeURIComponent(text), escape(text)];
  for (const encoding of /** @type {const} */ (["utf8", "utf16le"])) {
    const bytes = Buffer.from(text, encoding);
    forms.push(bytes.toString("hex"), bytes.toString("latin1"));
    for (const shift of [0, 1, 2]) {
      // base64 of a longer text that holds it, without what its neighbours change
      forms.push(
        Buffer.concat([Buffer.alloc(shift), bytes])
          .toString("base64")
          .slice(4, -4),
      );
    }
  }
  return forms.map((form) => form.toLowerCase());
}

const FORMS = [...formsOf(CANARY), ...formsOf("kaleidoscope")];

function assertClean(/** @type {string} */ text, /** @type {string} */ where) {
  const lower = text.toLowerCase();
  for (const form of FORMS) assert.ok(!lower.includes(form), `${where} holds ${form}`);
}

/** All that is said on the console, from now on. */
function listen(t) {
  const said = [];
  for (const level of /** @type {const} */ (["log", "info", "warn", "error", "debug", "trace"])) {
    t.mock.method(console, level, (...parts) => said.push(parts.map((part) => inspect(part, { depth: 9 })).join(" ")));
  }
  return said;
}

const shown = (/** @type {unknown} */ value) => inspect(value, { depth: 9, showHidden: true, getters: true });
const ANSWERS = { word: CANARY, rest: CANARY, well: true };

test("a canary is found where it is, however it is written", () => {
  for (const text of [CANARY, encodeURIComponent(CANARY), Buffer.from(CANARY).toString("hex")]) {
    assert.throws(() => assertClean(`x${text}y`, "the text"));
  }
  for (const shift of [0, 1, 2, 3]) {
    const coded = Buffer.from(`${"x".repeat(shift)}${CANARY}yy`).toString("base64");
    assert.throws(() => assertClean(coded, "the code"));
  }
  assert.throws(() => assertClean(textOf([{ bytes: Buffer.from(CANARY) }]), "the bytes"));
  assertClean(textOf({ a: [1n, "b", null, Uint8Array.of(1)] }), "what is clean");
});

test("a text answer is in no request, on no console and in no state, whatever goes wrong on the way", async (t) => {
  const [said, http, state] = [listen(t), await serve(t, TEXTS.pulse), newState()];
  http.script = [{ drop: true }, { body: "<html>" }, problem(500, "busy")];
  const device = open(t, http, "pulse", { state });
  for (const wave of [1, 2, 3]) {
    const draft = await device.prepare(ANSWERS, wave);
    assertClean(shown({ ...draft }) + draft.body, "the draft");
    await draft.send();
    assertClean(await stateText(state), "the state");
    assert.ok(await device.flush(20_000));
    assertClean(await stateText(state), "the state");
  }
  for (const post of http.posts) assertClean(post.path + shown(post.headers) + post.body, "a request");
  assertClean(shown(device) + shown(await device.answered()), "the client");
  assertClean(said.join("\n"), "the console");
  assert.equal(http.posts.length, 6);
});

test("a text answer is in no error, with all of its causes", async (t) => {
  const [said, http, state] = [listen(t), await serve(t, TEXTS.pulse), newState()];
  const device = open(t, http, "pulse", { state });
  await device.answer(ANSWERS, 1);
  const tooDear = open(t, http, "pulse", { state, maxPeriodEpsilon: 3 });
  const lone = `${CANARY}\ud800`;
  const calls = [
    device.answer({ ...ANSWERS, word: `${CANARY}!` }, 1), // already answered
    device.prepare(ANSWERS, 1),
    tooDear.answer(ANSWERS, 2),
    device.answer({ ...ANSWERS, word: lone }, 2),
    device.answer({ ...ANSWERS, word: CANARY.repeat(20) }, 2),
    device.answer({ ...ANSWERS, word: `${CANARY}\nb` }, 2),
    device.answer({ ...ANSWERS, word: [CANARY] }, 2),
    device.answer({ ...ANSWERS, well: CANARY }, 2),
    device.answer({ ...ANSWERS, [CANARY]: true }, 2),
    device.answer(/** @type {any} */ (CANARY), 2),
    device.answer(ANSWERS, /** @type {any} */ (CANARY)),
    open(t, http, "pulse", { state: newState(), invitation: INVITATION }).answer(ANSWERS),
    open(t, /** @type {any} */ ({ url: "http://127.0.0.1:1" }), "pulse").answer(ANSWERS),
    open(t, http, "pulse", { maxEpsilon: 1 }).answer(ANSWERS),
    open(t, http, "lunch").answer(ANSWERS),
  ];
  const faults = await Promise.all(calls.map(faultOf));
  await device.forget();
  faults.push(await faultOf(device.answer(ANSWERS, 3)));
  for (const fault of faults) {
    assertClean(shown(fault) + fault.stack + fault.message, "an error");
  }
  assertClean(said.join("\n"), "the console");
});

test("a report that waits, and one that was refused, keep noise alone", async (t) => {
  const [said, http, state] = [listen(t), await serve(t, TEXTS.diary), newState()];
  http.script = [problem(422, "bad_report"), ...repeat(100, AWAY)];
  await answerOnce(http, state, { word: CANARY }, 1);
  const device = open(t, http, "diary", { state });
  await device.answer({ word: CANARY }, 2);
  assert.ok(!(await device.flush(20_000)));
  assertClean(await stateText(state), "the state");
  assertClean(shown(await device.rejected()) + shown(await device.pending()), "what is shown");
  assertClean(said.join("\n"), "the console");
});

test("a request is as long whatever was answered", async (t) => {
  const http = await serve(t, TEXTS.pulse);
  for (const word of ["a", CANARY, "\u4e2d".repeat(200)]) {
    const device = open(t, http, "pulse");
    await device.answer({ word, rest: word, well: true });
    assert.ok(await device.flush(20_000));
  }
  const lengths = http.posts.map(({ body }) => body.length);
  assert.equal(new Set(lengths).size, 1);
});
