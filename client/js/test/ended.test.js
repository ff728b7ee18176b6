/** What a device keeps of a survey that is over: no secret, and not in which wave an answer changed. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { AlreadyAnswered, ParticipationEnded, SurveyRefused, SurveyUnavailable } from "../sottovoce.js";
import { writeEpsilon } from "../src/decimals.js";
import { DIARY_CHARGES, PULSE, TEXTS, WORDS, answerOnce, faultOf, letGo } from "./devices.js";
import { newState, open, retitled, rowsOf } from "./devices.js";
import { AWAY, BUSY, problem, serve } from "./server.js";

const OVER = {
  survey_closed: problem(409, "survey_closed"),
};
const ANEW = retitled(TEXTS.pulse, "Pulse anew");

const IN_TWO_WAVES = "3.911030698899"; // the same answers
const DAY_MS = 86_400_000;

/** Do something on this day and on each of the seven that follow. */
async function forAWeek(t, work) {
  const began = Date.now();
  for (let day = 0; day <= 7; day += 1) {
    const { mock } = t.mock.method(Date, "now", () => began + day * DAY_MS);
    await work();
    mock.restore();
  }
}

/** Hold that the device has no secret, no mark and no charge of a single wave. */
async function assertForgotten(/** @type {string} */ state) {
  assert.deepEqual(await rowsOf(state, "secrets"), []);
  for (const { marks, isSummed } of await rowsOf(state, "ledger")) assert.deepEqual([marks, isSummed], [null, true]);
}

for (const [code, reply] of Object.entries(OVER)) {
  test(`a report that is refused with ${code} ends the secret at once`, async (t) => {
    const [http, state] = [await serve(t, TEXTS.pulse), newState()];
    await answerOnce(http, state, WORDS, 1);
    http.script = [reply];
    const refused = await answerOnce(http, state, WORDS, 2);
    await assertForgotten(state);
    const device = open(t, http, "pulse", { state });
    assert.deepEqual(
      (await device.rejected()).map((rejected) => [rejected.receipt, rejected.problem.code]),
      [[refused.id, code]],
    );
    assert.ok((await faultOf(device.answer(WORDS, 3))) instanceof ParticipationEnded);
    const taken = (await rowsOf(state, "ledger")).map((row) => writeEpsilon(row.epsilon));
    assert.deepEqual(taken, Array(2).fill(IN_TWO_WAVES));
  });

  test(`a survey that is not served any more, with ${code}, is over`, async (t) => {
    const [http, state] = [await serve(t, TEXTS.pulse), newState()];
    await answerOnce(http, state, WORDS, 1);
    http.surveyReply = reply;
    const fault = await faultOf(open(t, http, "pulse", { state }).survey());
    assert.ok(fault instanceof SurveyUnavailable && fault.message.includes(code), String(fault));
    await assertForgotten(state);
  });
}

for (const [name, reply] of Object.entries({
  "a busy collector": BUSY,
  "a login page": { status: 404, body: "<html>" },
  "a refusal of something else": problem(403, "no"),
})) {
  test(`a survey that cannot be had because of ${name} is not over`, async (t) => {
    const [http, state] = [await serve(t, TEXTS.pulse), newState()];
    await answerOnce(http, state, WORDS, 1);
    http.surveyReply = reply;
    await open(t, http, "pulse", { state })
      .survey()
      .catch((fault) => assert.ok(fault instanceof SurveyUnavailable));
    assert.equal((await rowsOf(state, "secrets")).length, 1);
  });
}

test("what else waits for a survey that is over is still sent", async (t) => {
  const [http, state] = [await serve(t, TEXTS.pulse), newState()];
  const device = open(t, http, "pulse", { state });
  for (const wave of [1, 2]) {
    http.script = [AWAY];
    await device.answer(WORDS, wave);
    await letGo(device, state);
  }
  http.script = [OVER.survey_closed];
  assert.ok(await device.flush(20_000));
  assert.deepEqual([(await device.rejected()).length, http.seen.size], [1, 1]);
  await assertForgotten(state);
});

test("a new version ends the one before, of the same collector only, and is answered anew", async (t) => {
  const [http, elsewhere, state] = [await serve(t, TEXTS.pulse), await serve(t, null), newState()];
  elsewhere.surveyReply = { body: retitled(TEXTS.pulse, "Pulse elsewhere") };
  const options = { maxEpsilon: 50, maxPeriodEpsilon: 50 };
  await answerOnce(elsewhere, state, WORDS, 1, options);
  const first = await answerOnce(http, state, WORDS, 1, options);
  assert.equal((await rowsOf(state, "secrets")).length, 2);
  http.surveyReply = { body: ANEW };
  await forAWeek(t, () => open(t, http, "pulse", { state, ...options }).survey());
  const device = open(t, http, "pulse", { state, ...options });
  assert.equal((await device.survey()).title, "Pulse anew");
  const left = (await rowsOf(state, "secrets")).map((secret) => secret.fingerprint);
  assert.ok(left.length === 1 && !left.includes(PULSE.fingerprint));
  assert.deepEqual(await device.answered(), []);
  const second = await device.answer(WORDS);
  assert.notEqual(second.fingerprint, first.fingerprint);
  assert.deepEqual([second.epsilon, (await device.answered()).length], ["2.25", 1]);
});

test("a version that was current when a page was opened can be answered no more once it is over", async (t) => {
  const [http, state] = [await serve(t, TEXTS.pulse), newState()];
  const device = open(t, http, "pulse", { state, maxEpsilon: 50 });
  await device.answer(WORDS, 1);
  const draft = await device.prepare(WORDS, 2);
  http.surveyReply = { body: ANEW };
  await forAWeek(t, () => open(t, http, "pulse", { state, maxEpsilon: 50 }).survey());
  for (const call of [draft.send(), device.answer(WORDS, 2)]) {
    assert.ok((await faultOf(call)) instanceof ParticipationEnded);
  }
});

for (const [name, options] of Object.entries({
  "that is not the pinned one": { fingerprint: PULSE.fingerprint },
  "above the limit": { maxEpsilon: 0.5 },
})) {
  test(`a new version ${name} is refused, and ends the one before too`, async (t) => {
    const [http, state] = [await serve(t, TEXTS.pulse), newState()];
    await answerOnce(http, state, WORDS, 1);
    http.surveyReply = { body: ANEW };
    await forAWeek(t, async () => {
      assert.equal((await rowsOf(state, "secrets")).length, 1);
      assert.ok((await faultOf(open(t, http, "pulse", { state, ...options }).survey())) instanceof SurveyRefused);
    });
    await assertForgotten(state);
  });
}

test("forget ends taking part at once, and what waits is still delivered", async (t) => {
  const [http, state] = [await serve(t, TEXTS.pulse), newState()];
  await answerOnce(http, state, WORDS, 1);
  http.script = [AWAY];
  const device = open(t, http, "pulse", { state });
  const second = await device.answer(WORDS, 2);
  const draft = await device.prepare(WORDS, 3);
  assert.ok(!(await device.flush(20_000)));
  await device.forget();
  await assertForgotten(state);
  const again = await faultOf(device.answer(WORDS, 2));
  assert.ok(again instanceof AlreadyAnswered);
  assert.deepEqual(again.receipt, { ...second, epsilon: IN_TWO_WAVES, isSummed: true });
  for (const call of [device.answer(WORDS, 3), device.prepare(WORDS, 3), draft.send()]) {
    assert.ok((await faultOf(call)) instanceof ParticipationEnded);
  }
  assert.deepEqual(await device.pending(), [second.id]);
  await letGo(device, state);
  assert.ok(await device.flush(20_000));
  assert.equal(http.sent.at(-1).wave, 2);
});

test("forget needs no network, does nothing where nothing was answered, and leaves other surveys alone", async (t) => {
  const [http, diary, state] = [await serve(t, TEXTS.pulse), await serve(t, TEXTS.diary), newState()];
  const offline = { url: "http://127.0.0.1:1" };
  await open(t, /** @type {any} */ (offline), "pulse", { state }).forget();
  await answerOnce(diary, state, { word: "A" }, 1);
  assert.equal((await answerOnce(http, state, WORDS, 1)).wave, 1);
  await open(t, /** @type {any} */ (offline), "pulse", { state }).forget();
  assert.deepEqual(
    (await rowsOf(state, "secrets")).map((secret) => secret.surveyId),
    ["diary"],
  );
  assert.equal((await answerOnce(diary, state, { word: "A" }, 2)).epsilon, DIARY_CHARGES[1]);
});

const CHANGES = { ABBB: "3.163674080271", AABB: "3.483909263466" };

for (const end of ["the last wave", "forget", "a closed survey"]) {
  test(`after ${end} a device does not tell in which wave an answer changed`, async (t) => {
    const [http, kept] = [await serve(t, TEXTS.diary), []];
    for (const [words, sum] of Object.entries(CHANGES)) {
      const state = newState();
      for (const [index, word] of [...words].entries()) {
        const wave = end === "the last wave" && index === 3 ? 6 : index + 1;
        if (end === "a closed survey" && index === 3) http.script = [OVER.survey_closed];
        await answerOnce(http, state, { word }, wave);
      }
      if (end === "forget") await open(t, http, "diary", { state }).forget();
      const rows = await rowsOf(state, "ledger");
      assert.deepEqual(new Set(rows.map((row) => writeEpsilon(row.epsilon))), new Set([sum]));
      kept.push(rows.map(({ receipt: _receipt, epsilon: _epsilon, ...rest }) => rest));
    }
    assert.deepEqual(kept[0], kept[1]); // but for the sum, and the receipts, which are random
  });
}
