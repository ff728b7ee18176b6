/** A refused invitation: the report that it came with is sent again, as the same noise, under another. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { StateError } from "../sottovoce.js";
import { ANSWERS, INVITATION, OTHER_INVITATION, TEXTS, WORDS, answerOnce, faultOf, newState, open } from "./devices.js";
import { rowsOf } from "./devices.js";
import { problem, repeat, serve } from "./server.js";

const REFUSED = problem(403, "invitation_invalid", "$.reports[0].invitation");
const MISTYPED = { invitation: OTHER_INVITATION };
const invitationsOf = (/** @type {import("./server.js").FaultServer} */ http) =>
  http.sent.map((report) => report.invitation);

/** Hold that no invitation is kept. */
async function assertGone(/** @type {string} */ state) {
  for (const { invitation } of await rowsOf(state, "ledger")) assert.ok(!invitation);
}

for (const code of ["invitation_required", "invitation_invalid"]) {
  test(`after ${code} a mistyped invitation can be mended, and the report is the same`, async (t) => {
    const [http, state] = [await serve(t, TEXTS.invited), newState()];
    http.script = [problem(403, code)];
    const receipt = await answerOnce(http, state, ANSWERS, 1, MISTYPED);
    const device = open(t, http, "lunch", { state });
    assert.deepEqual(await device.resend(` ${INVITATION.toUpperCase()}\n`), [receipt.id]);
    assert.ok(await device.flush(20_000));
    assert.deepEqual([await device.rejected(), await device.pending()], [[], []]);
    assert.deepEqual(await device.resend(INVITATION), []);
    const [first, second] = http.posts.map((post) => post.body);
    assert.equal(second, first.replace(OTHER_INVITATION, INVITATION));
    assert.deepEqual(http.seen, new Set([receipt.id]));
    assert.equal((await rowsOf(state, "ledger")).length, 1);
    await assertGone(state);
  });
}

test("it can be mended as often as it is refused", async (t) => {
  const http = await serve(t, TEXTS.invited);
  http.script = repeat(2, REFUSED);
  const device = open(t, http, "lunch", MISTYPED);
  const { id } = await device.answer(ANSWERS);
  for (const invitation of [OTHER_INVITATION, INVITATION]) {
    assert.ok(await device.flush(20_000));
    assert.deepEqual(await device.resend(invitation), [id]);
  }
  assert.ok(await device.flush(20_000));
  assert.deepEqual(invitationsOf(http), [OTHER_INVITATION, OTHER_INVITATION, INVITATION]);
  assert.deepEqual(http.seen, new Set([id]));
});

test("a mended invitation is that of the further waves, also for another client", async (t) => {
  const [http, state] = [await serve(t, TEXTS.invitedPulse), newState()];
  http.script = [REFUSED];
  const device = open(t, http, "pulse", { state, ...MISTYPED });
  await device.answer(WORDS, 1);
  assert.ok(await device.flush(20_000));
  await device.resend(INVITATION);
  await device.answer(WORDS, 2);
  assert.ok(await device.flush(20_000));
  await answerOnce(http, state, WORDS, 3);
  assert.deepEqual(invitationsOf(http), [OTHER_INVITATION, ...Array(3).fill(INVITATION)]);
  await assertGone(state);
});

test("a mended invitation is that of a wave that waits too", async (t) => {
  const [http, state] = [await serve(t, TEXTS.invitedPulse), newState()];
  http.script = [REFUSED, { status: 429, headers: { "Retry-After": "1" } }];
  const device = open(t, http, "pulse", { state, ...MISTYPED });
  for (const wave of [1, 2]) {
    await device.answer(WORDS, wave);
    assert.equal(await device.flush(wave === 1 ? 20_000 : 500), wave === 1);
  }
  await device.resend(INVITATION);
  assert.ok(await device.flush(20_000));
  await answerOnce(http, state, WORDS, 3);
  assert.deepEqual(new Set(invitationsOf(http).slice(2)), new Set([INVITATION]));
  assert.equal(new Set(http.sent.map((report) => report.id)).size, 3);
  await assertGone(state);
});

test("only what another invitation can mend is sent again: not what was refused for something else", async (t) => {
  const [http, state] = [await serve(t, TEXTS.invited), newState()];
  http.script = [problem(409, "survey_closed")];
  await answerOnce(http, state, ANSWERS, 1, MISTYPED);
  const device = open(t, http, "lunch", { state });
  assert.equal((await device.rejected())[0].needsInvitation, false);
  assert.deepEqual([await device.resend(INVITATION), await device.pending()], [[], []]);
  assert.equal(http.posts.length, 1);
  await assertGone(state);
});

test("a report of a survey that was open to all never gets an invitation", async (t) => {
  const [http, state] = [await serve(t, TEXTS.lunch), newState()];
  http.script = [REFUSED];
  await answerOnce(http, state, ANSWERS);
  const device = open(t, http, "lunch", { state });
  assert.equal((await device.rejected()).length, 1);
  assert.deepEqual(await device.resend(INVITATION), []);
  assert.ok(await device.flush(20_000));
  assert.equal(http.posts.length, 1);
  assert.equal((await device.survey()).invited, false);
  await assertGone(state);
});

test("another collector's or survey's refused report never gets this one's invitation", async (t) => {
  const [http, elsewhere, state] = [await serve(t, TEXTS.invited), await serve(t, TEXTS.invited), newState()];
  elsewhere.script = [REFUSED];
  await answerOnce(elsewhere, state, ANSWERS, 1, MISTYPED);
  for (const device of [open(t, http, "lunch", { state }), open(t, elsewhere, "pulse", { state })]) {
    assert.deepEqual(await device.resend(INVITATION), []);
    assert.ok(await device.flush(20_000));
  }
  assert.deepEqual([elsewhere.posts.length, http.posts.length], [1, 0]);
  await assertGone(state);
});

test("what is no invitation, and a closed client, mend nothing", async (t) => {
  const http = await serve(t, TEXTS.invited);
  http.script = [REFUSED];
  const device = open(t, http, "lunch", MISTYPED);
  await device.answer(ANSWERS);
  assert.ok(await device.flush(20_000));
  const fault = await faultOf(device.resend("CANARY"));
  assert.ok(fault instanceof RangeError && !fault.message.includes("CANARY"), String(fault));
  assert.equal((await device.rejected()).length, 1);
  device.close();
  assert.ok((await faultOf(device.resend(INVITATION))) instanceof StateError);
});
