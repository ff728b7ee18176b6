/** Invited surveys: the invitation goes with the report, and leaves the device once it is used. */

import assert from "node:assert/strict";
import { inspect } from "node:util";
import { test } from "node:test";
import { AlreadyAnswered, BudgetExceeded, InvitationError, ParticipationEnded } from "../sottovoce.js";
import { ANSWERS, INVITATION, OTHER_INVITATION, TEXTS, WORDS, answerOnce, changeRows } from "./devices.js";
import { faultOf, letGo, newState, open, rowsOf, stateText } from "./devices.js";
import { AWAY, BUSY, problem, repeat, serve } from "./server.js";

const invitation = INVITATION;

/** Hold that no good part of the invitation is kept. */
async function assertGone(/** @type {string} */ state) {
  const text = (await stateText(state)).toLowerCase();
  for (const at of [0, 8, 16]) assert.ok(!text.includes(INVITATION.slice(at, at + 9)));
  for (const { invitation: kept } of await rowsOf(state, "ledger")) assert.ok(!kept);
}

const keptIn = async (/** @type {string} */ state) => (await rowsOf(state, "ledger")).map((row) => row.invitation);

test("the report carries the invitation in the one form that it has, however it is typed", async (t) => {
  const http = await serve(t, TEXTS.invited);
  for (const typed of [INVITATION, INVITATION.toUpperCase(), ` ${INVITATION.slice(0, 13)}-${INVITATION.slice(13)}\n`]) {
    const receipt = await answerOnce(http, newState(), ANSWERS, 1, { invitation: typed });
    const report = http.sent.at(-1);
    assert.deepEqual([report.id, report.invitation], [receipt.id, INVITATION]);
    assert.deepEqual(Object.keys(report).sort(), ["answers", "id", "invitation"]);
  }
});

test("what is posted is the draft's text, with the invitation, which stands nowhere else in it", async (t) => {
  const http = await serve(t, TEXTS.invited);
  const device = open(t, http, "lunch", { invitation });
  const draft = await device.prepare(ANSWERS);
  const { body, ...others } = draft;
  assert.ok(body.includes(INVITATION));
  assert.ok(!inspect(others, { depth: 9, showHidden: true }).includes(INVITATION));
  await draft.send();
  assert.ok(await device.flush(20_000));
  assert.equal(http.posts[0].body, body);
});

test("an invited survey is not answered, nor a draft of it shown, without an invitation", async (t) => {
  const [http, state] = [await serve(t, TEXTS.invited), newState()];
  const device = open(t, http, "lunch", { state });
  assert.equal((await device.survey()).invited, true);
  for (const call of [device.answer(ANSWERS), device.prepare(ANSWERS)]) {
    const fault = await faultOf(call);
    assert.ok(fault instanceof InvitationError);
    assert.match(fault.message, /^survey lunch is for invited people; invitation must be given\.$/);
  }
  assert.deepEqual([await device.pending(), await rowsOf(state, "ledger"), http.posts], [[], [], []]);
  await answerOnce(http, state, ANSWERS, 1, { invitation });
  assert.equal(http.seen.size, 1);
});

test("an open survey takes no invitation, and its reports have no such member", async (t) => {
  const [http, state] = [await serve(t, TEXTS.lunch), newState()];
  const fault = await faultOf(open(t, http, "lunch", { state, invitation }).answer(ANSWERS));
  assert.ok(fault instanceof InvitationError);
  assert.match(fault.message, /survey lunch is open to all/);
  assert.ok(!inspect(fault).includes(INVITATION));
  assert.deepEqual([await rowsOf(state, "ledger"), http.posts], [[], []]);
  await answerOnce(http, state, ANSWERS);
  assert.deepEqual(Object.keys(http.sent[0]).sort(), ["answers", "id"]);
});

for (const code of ["invitation_required", "invitation_invalid"]) {
  test(`a report that is refused with ${code} is refused for good, and its invitation forgotten`, async (t) => {
    const [http, state] = [await serve(t, TEXTS.invited), newState()];
    http.script = [problem(403, code, "$.reports[0].invitation")];
    const receipt = await answerOnce(http, state, ANSWERS, 1, { invitation });
    const device = open(t, http, "lunch", { state, invitation: OTHER_INVITATION });
    const [rejected] = await device.rejected();
    assert.deepEqual([rejected.receipt, rejected.problem.code, rejected.needsInvitation], [receipt.id, code, true]);
    assert.ok((await faultOf(device.answer(ANSWERS))) instanceof AlreadyAnswered);
    assert.ok(await device.flush(20_000));
    assert.equal(http.posts.length, 1);
    await assertGone(state);
  });
}

test("it is kept while the report waits, in one place, and forgotten with its acknowledgement", async (t) => {
  const [http, state] = [await serve(t, TEXTS.invited), newState()];
  http.script = [AWAY];
  const first = open(t, http, "lunch", { state, invitation });
  await first.answer(ANSWERS);
  assert.ok(!(await first.flush(20_000)));
  first.close();
  assert.deepEqual(await keptIn(state), [INVITATION]);
  assert.equal((await stateText(state)).split(INVITATION).length, 2);
  const device = open(t, http, "lunch", { state }); // it is not asked for again
  await letGo(device, state);
  assert.ok(await device.flush(20_000));
  assert.deepEqual(
    http.sent.map((report) => report.invitation),
    [INVITATION, INVITATION],
  );
  assert.equal(new Set(http.posts.map((post) => post.body)).size, 1);
  await assertGone(state);
});

test("every wave sends it, and it ends with the last", async (t) => {
  const [http, state] = [await serve(t, TEXTS.invitedPulse), newState()];
  for (const wave of [1, 2, 3]) {
    await answerOnce(http, state, WORDS, wave, wave === 1 ? { invitation } : {});
    if (wave < 3) assert.deepEqual(await keptIn(state), Array(wave).fill(INVITATION));
  }
  assert.deepEqual(
    http.sent.map((report) => [report.wave, report.invitation]),
    [1, 2, 3].map((wave) => [wave, INVITATION]),
  );
  await assertGone(state);
});

test("a wave may bring a new invitation; the one that was given last is remembered", async (t) => {
  const [http, state] = [await serve(t, TEXTS.invitedPulse), newState()];
  await answerOnce(http, state, WORDS, 1, { invitation });
  await answerOnce(http, state, WORDS, 2, { invitation: OTHER_INVITATION });
  await answerOnce(http, state, WORDS, 3);
  assert.deepEqual(
    http.sent.map((report) => report.invitation),
    [INVITATION, OTHER_INVITATION, OTHER_INVITATION],
  );
  await assertGone(state);
});

test("an earlier report that still waits keeps it after the last wave", async (t) => {
  const [http, state] = [await serve(t, TEXTS.invitedPulse), newState()];
  http.script = [AWAY];
  const first = open(t, http, "pulse", { state, invitation });
  const { id } = await first.answer(WORDS, 1);
  assert.ok(!(await first.flush(20_000)));
  first.close();
  const device = open(t, http, "pulse", { state });
  await device.answer(WORDS, 3);
  const isFirst = (/** @type {any} */ report) => report.receipt === id;
  const free = { notBefore: 0, isHeld: false };
  await changeRows(state, "outbox", (report) => (isFirst(report) ? report : { ...report, ...free }));
  assert.ok(!(await device.flush(20_000)));
  assert.deepEqual(await keptIn(state), [INVITATION, INVITATION], "the last wave is over, the first waits");
  await letGo(device, state);
  assert.ok(await device.flush(20_000));
  assert.deepEqual(http.sent.map((report) => report.wave).sort(), [1, 1, 3]);
  assert.deepEqual(new Set(http.sent.map((report) => report.invitation)), new Set([INVITATION]));
  await assertGone(state);
});

test("forget wipes it at once where nothing waits, and otherwise once nothing does", async (t) => {
  const [http, state] = [await serve(t, TEXTS.invitedPulse), newState()];
  const device = open(t, http, "pulse", { state, invitation });
  await device.answer(WORDS, 1);
  assert.ok(await device.flush(20_000));
  assert.deepEqual(await keptIn(state), [INVITATION]);
  http.script = [AWAY];
  await device.answer(WORDS, 2);
  assert.ok(!(await device.flush(20_000)));
  await device.forget();
  assert.deepEqual(await keptIn(state), [INVITATION, INVITATION]);
  await letGo(device, state);
  assert.ok(await device.flush(20_000));
  await assertGone(state);
  assert.ok((await faultOf(device.answer(WORDS, 3))) instanceof ParticipationEnded);
});

test("a wave that a limit refuses keeps no invitation", async (t) => {
  const [http, state] = [await serve(t, TEXTS.invitedPulse), newState()];
  const device = open(t, http, "pulse", { state, invitation, maxPeriodEpsilon: 1 });
  assert.ok((await faultOf(device.answer(WORDS, 1))) instanceof BudgetExceeded);
  await assertGone(state);
});

test("neither the console nor an address or a header shows it", async (t) => {
  const said = [];
  for (const level of /** @type {const} */ (["log", "info", "warn", "error", "debug"])) {
    t.mock.method(console, level, (...texts) => said.push(texts.map((text) => inspect(text)).join(" ")));
  }
  const [http, state] = [await serve(t, TEXTS.invited), newState()];
  http.script = [...repeat(2, BUSY), problem(403, "invitation_invalid")];
  await answerOnce(http, state, ANSWERS, 1, { invitation });
  const device = open(t, http, "lunch", { state });
  const shown = [...said, inspect(await device.rejected(), { depth: 9 }), inspect(device, { showHidden: true })];
  shown.push(...http.posts.map((post) => post.path + inspect(post.headers)));
  for (const text of shown) assert.ok(!text.toLowerCase().includes(INVITATION.slice(0, 9)), text);
});
