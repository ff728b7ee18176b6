/** SurveyClient: what a page that embeds it can rely on. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { AlreadyAnswered, AnswerError, BudgetExceeded, StateError, SurveyClient } from "../sottovoce.js";
import {
  ANSWERS,
  CHOSEN,
  LUNCH,
  TEXTS,
  answerOnce,
  changeRows,
  faultOf,
  newState,
  open,
  rowsOf,
  until,
} from "./devices.js";
import { AWAY, BUSY, problem, repeat, serve } from "./server.js";

const CANARY = "kaleidoscope-9317";
const WIDE_OPTIONS = { maxEpsilon: 50, maxPeriodEpsilon: 50 };

test("an answer becomes one report under the receipt that is given", async (t) => {
  const http = await serve(t, TEXTS.lunch);
  const device = open(t, http, "lunch");
  const receipt = await device.answer(ANSWERS);
  assert.ok(await device.flush(20_000));
  assert.deepEqual(await device.pending(), []);
  const [post] = http.posts;
  assert.equal(http.posts.length, 1);
  assert.equal(post.path, "/v1/surveys/lunch/reports");
  assert.equal(post.headers["content-type"], "application/json");
  const sent = JSON.parse(post.body);
  assert.deepEqual(Object.keys(sent).sort(), ["fingerprint", "reports"]);
  assert.equal(sent.fingerprint, LUNCH.fingerprint);
  assert.deepEqual(Object.keys(sent.reports[0]).sort(), ["answers", "id"]);
  assert.deepEqual(Object.keys(sent.reports[0].answers).sort(), ["dish", "drinks", "paid"]);
  assert.match(receipt.id, /^[0-9a-f]{32}$/);
  const { fingerprint, epsilon } = LUNCH;
  const expected = {
    id: sent.reports[0].id,
    surveyId: "lunch",
    fingerprint,
    epsilon,
    wave: 1,
    isSummed: false,
    keys: "",
  };
  assert.deepEqual(receipt, expected);
});

test("the receipts of this version's reports are listed by wave", async (t) => {
  const http = await serve(t, TEXTS.again);
  const device = open(t, http, "again");
  assert.deepEqual(await device.answered(), []);
  const receipts = [];
  for (const wave of [3, 1]) receipts.unshift(await device.answer({ q: true }, wave));
  assert.deepEqual(await device.answered(), receipts);
  assert.deepEqual(
    receipts.map(({ wave, epsilon }) => [wave, epsilon]),
    [
      [1, "0"],
      [3, "1"],
    ],
  );
});

test("requests carry no cookie, referrer or password, also where the collector sets some", async (t) => {
  const http = await serve(t, TEXTS.lunch);
  http.surveyReply = { body: TEXTS.lunch, headers: { "Set-Cookie": "who=me", ETag: '"me"' } };
  for (const state of [newState(), newState()]) await answerOnce(http, state, ANSWERS);
  for (const { headers } of [...http.gets, ...http.posts]) {
    for (const name of ["cookie", "referer", "authorization", "if-none-match", "origin"]) {
      assert.equal(headers[name], undefined, name);
    }
  }
  assert.deepEqual([http.gets.length, http.posts.length], [2, 2]);
});

test("the same answers again cost nothing and send nothing, as long as the device knows them", async (t) => {
  const [http, state] = [await serve(t, TEXTS.lunch), newState()];
  const first = open(t, http, "lunch", { state });
  const receipt = await first.answer(ANSWERS);
  assert.ok(await first.flush(20_000));
  assert.deepEqual(await first.answer({ ...ANSWERS, drinks: new Set(["wine"]) }), receipt);
  const second = open(t, http, "lunch", { state }); // delivered: another object cannot tell that they are the same
  const fault = await faultOf(second.answer(ANSWERS));
  assert.ok(fault instanceof AlreadyAnswered && fault instanceof BudgetExceeded);
  assert.match(fault.message, /^this device has answered survey 'lunch' before \(receipt [0-9a-f]{32}\)/);
  assert.deepEqual(fault.receipt, receipt);
  assert.deepEqual(await second.pending(), []);
  assert.equal(http.posts.length, 1);
  assert.equal((await rowsOf(state, "ledger")).length, 1);
});

test("any client of the state knows the answers until they are delivered", async (t) => {
  const [http, state] = [await serve(t, TEXTS.wide), newState()];
  http.script = repeat(100, AWAY);
  const receipt = await open(t, http, "wide", { state, ...WIDE_OPTIONS }).answer(CHOSEN);
  const second = open(t, http, "wide", { state, ...WIDE_OPTIONS });
  assert.deepEqual(await second.answer({ which: new Set([...CHOSEN.which].reverse()) }), receipt);
  const fault = await faultOf(second.answer({ which: ["option-017"] }));
  assert.ok(fault instanceof AlreadyAnswered);
  assert.deepEqual(fault.receipt, receipt);
  assert.deepEqual(await second.pending(), [receipt.id]);
  assert.equal((await rowsOf(state, "ledger")).length, 1);
});

test("changed answers are refused and not charged", async (t) => {
  const [http, state] = [await serve(t, TEXTS.wide), newState()];
  const device = open(t, http, "wide", { state, ...WIDE_OPTIONS });
  await device.answer({ which: ["option-017"] });
  const early = await faultOf(device.answer({ which: ["option-018"] }));
  assert.ok(await device.flush(20_000));
  const late = await faultOf(device.answer({ which: ["option-018"] }));
  for (const fault of [early, late]) {
    assert.ok(fault instanceof AlreadyAnswered);
    assert.match(
      fault.message,
      /whether or not that report was counted\. Another report would take epsilon 16 again\.$/,
    );
    assert.doesNotMatch(fault.message, /option/);
    assert.deepEqual([fault.needed, fault.left, fault.limit], ["16", "0", "one report per survey"]);
  }
  assert.deepEqual([http.posts.length, (await rowsOf(state, "ledger")).length], [1, 1]);
});

const BAD_ANSWERS = [
  [{}, "$", "every question must be answered, because a skipped one would leak. Missing: paid, dish, drinks."],
  [{ paid: true, dish: "soup" }, "$", "Missing: drinks"],
  [{ ...ANSWERS, [CANARY]: 1 }, "$", "1 unknown question id"],
  [{ ...ANSWERS, paid: CANARY }, "paid", "the answer must be true or false"],
  [{ ...ANSWERS, paid: 1 }, "paid", "the answer must be true or false"],
  [{ ...ANSWERS, paid: null }, "paid", "the answer must be true or false"],
  [{ ...ANSWERS, dish: CANARY }, "dish", "one of these texts: soup | salad | leftovers | nothing"],
  [{ ...ANSWERS, dish: 2 }, "dish", "one of these texts"],
  [{ ...ANSWERS, dish: ["leftovers"] }, "dish", "one of these texts"],
  [{ ...ANSWERS, drinks: [CANARY] }, "drinks", "an array or set of at most 3 of these texts, none twice: tea"],
  [{ ...ANSWERS, drinks: CANARY }, "drinks", "an array or set"],
  [{ ...ANSWERS, drinks: ["tea", "tea"] }, "drinks", "none twice"],
  [[CANARY], "$", "answers must be a plain object"],
  [CANARY, "$", "answers must be a plain object"],
  [null, "$", "answers must be a plain object"],
  [new Map(Object.entries(ANSWERS)), "$", "answers must be a plain object"],
  [new FormData(), "$", "answers must be a plain object"],
  [Promise.resolve({ expensed: true }), "$", "answers must be a plain object"],
  [undefined, "$", "answers must be a plain object"],
];

test("bad answers are refused without being quoted, and nothing is charged", async (t) => {
  const [http, state] = [await serve(t, TEXTS.lunch), newState()];
  const device = open(t, http, "lunch", { state });
  for (const [answers, where, message] of BAD_ANSWERS) {
    const fault = await faultOf(device.answer(/** @type {any} */ (answers)));
    assert.ok(fault instanceof AnswerError, String(fault));
    assert.equal(fault.where, where);
    assert.ok(fault.message.includes(message), fault.message);
    assert.ok(!fault.message.includes(CANARY), fault.message);
  }
  assert.deepEqual(await device.pending(), []);
  assert.deepEqual(await rowsOf(state, "ledger"), []);
});

test("a question that may be skipped is answered by what skipping stands for, whatever its id", async (t) => {
  const http = await serve(t, TEXTS.skipped);
  const left = open(t, http, "skipped");
  const draft = await left.prepare({ 10: true });
  const said = { constructor: "no answer", 2: "nowhere", 10: true };
  for (const answers of [said, { ...said, 2: null }, { ...said, constructor: undefined }]) {
    assert.equal((await left.prepare(answers)).body, draft.body);
  }
  assert.deepEqual(Object.keys(draft.reported).sort(), ["10", "2", "constructor"]);
  const fault = await faultOf(left.prepare({ 2: "there" }));
  assert.ok(fault instanceof AnswerError && fault.message.includes("Missing: 10."), String(fault));
});

test("a survey in languages has the words of each, and is answered with the options of its own", async (t) => {
  const http = await serve(t, TEXTS.spoken);
  const device = open(t, http, "spoken");
  const survey = await device.survey();
  assert.deepEqual([survey.lang, survey.languages, survey.closes], ["en", ["en", "ar"], "2100-12-31"]);
  assert.deepEqual([survey.words().title, survey.words("ar").title], ["Your ward", "جناحك"]);
  assert.deepEqual(survey.words("ar").questions.shift.options, ["صباحية", "مسائية"]);
  assert.deepEqual(survey.questions[0].section, "You");
  assert.throws(() => survey.words("de"), RangeError);
  assert.throws(() => Object.assign(survey.words("ar").questions.shift, { text: "?" }), TypeError);
  const draft = await device.prepare({ shift: "late", rested: false });
  assert.equal((await device.prepare({ shift: "late" })).body, draft.body);
  const fault = await faultOf(device.prepare({ shift: "مسائية" }));
  assert.ok(fault instanceof AnswerError && fault.message.includes("early | late"), String(fault));
});

test("a report that is refused for good is kept and shown, and the survey stays answered", async (t) => {
  const [http, state] = [await serve(t, TEXTS.lunch), newState()];
  http.script = [problem(409, "survey_closed", "$.reports[0]")];
  const receipt = await answerOnce(http, state, ANSWERS);
  const device = open(t, http, "lunch", { state });
  assert.ok(await device.flush(20_000));
  const [rejected] = await device.rejected();
  assert.deepEqual(rejected, {
    receipt: receipt.id,
    url: http.url,
    surveyId: "lunch",
    problem: { status: 409, code: "survey_closed", detail: "No.", where: "$.reports[0]" },
    isUnknown: false,
    needsInvitation: false,
  });
  const fault = await faultOf(device.answer(ANSWERS));
  assert.ok(fault instanceof AlreadyAnswered);
  assert.deepEqual(fault.receipt, receipt);
  assert.equal(http.posts.length, 1);
});

test("many calls of many clients of one state make one report", async (t) => {
  const [http, state] = [await serve(t, TEXTS.lunch), newState()];
  const devices = [1, 2, 3].map(() => open(t, http, "lunch", { state }));
  const idOf = async (/** @type {SurveyClient} */ device) => {
    const made = await device.answer(ANSWERS).catch((fault) => fault.receipt); // another's was delivered meanwhile
    return made.id;
  };
  const ids = new Set(await Promise.all([...devices, ...devices, ...devices].map(idOf)));
  for (const device of devices) assert.ok(await device.flush(20_000));
  assert.equal(ids.size, 1);
  assert.deepEqual(http.seen, ids);
  assert.equal(new Set(http.posts.map((post) => post.body)).size, 1);
  assert.equal((await rowsOf(state, "ledger")).length, 1);
});

test("what was not delivered is delivered by the next client of any survey", async (t) => {
  const [first, second, state] = [await serve(t, TEXTS.lunch), await serve(t, TEXTS.supper), newState()];
  first.script = repeat(100, AWAY);
  const device = open(t, first, "lunch", { state });
  const receipt = await device.answer(ANSWERS);
  assert.ok(!(await device.flush(0)));
  device.close();
  first.script = [];
  await changeRows(state, "outbox", (report) => ({ ...report, notBefore: 0, isHeld: false }));
  const nPosts = first.posts.length;
  open(t, second, "supper", { state }); // opening is enough
  await first.posted(nPosts + 1);
  assert.equal(new Set(first.posts.map((post) => post.body)).size, 1);
  assert.deepEqual(first.seen, new Set([receipt.id]));
  assert.deepEqual(second.posts, []);
});

test("a closed client says so, whatever it is asked", async (t) => {
  const http = await serve(t, TEXTS.lunch);
  const device = open(t, http, "lunch");
  const draft = await device.prepare(ANSWERS);
  device.close();
  device.close();
  const calls = [
    device.survey(),
    device.prepare(ANSWERS),
    device.answer(ANSWERS),
    device.answered(),
    device.pending(),
    device.rejected(),
    device.flush(0),
    device.resend("mrswmz3infvgw3dnnzxxa4lsom"),
    device.forget(),
    draft.send(),
  ];
  const faults = await Promise.all(calls.map(faultOf));
  for (const [index, fault] of faults.entries()) {
    assert.ok(fault instanceof StateError && fault.message === "this client is closed.", `${index}: ${fault}`);
  }
  assert.deepEqual([http.gets.length, http.posts.length], [1, 0]);
});

test("closing leaves what waits in the state, and sends nothing more", async (t) => {
  const [http, state] = [await serve(t, TEXTS.lunch), newState()];
  t.mock.method(crypto, "getRandomValues", (array) => array.fill(0xffffffff)); // the longest back-off: a second
  http.script = [BUSY];
  const device = open(t, http, "lunch", { state });
  const receipt = await device.answer(ANSWERS);
  await until(async () => (await rowsOf(state, "outbox"))[0].nAttempts === 1);
  device.close();
  await new Promise((resolve) => setTimeout(resolve, 1500));
  const [kept] = await rowsOf(state, "outbox");
  assert.equal(kept.receipt, receipt.id);
  assert.equal(http.posts.length, 1);
});

test("in node nothing outlives the process, and the client says so", async (t) => {
  const http = await serve(t, TEXTS.lunch);
  assert.equal(await open(t, http, "lunch", { state: newState() }).isDurable(), false);
  assert.equal(await open(t, http, "lunch").isDurable(), false);
});
