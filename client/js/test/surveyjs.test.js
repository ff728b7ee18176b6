/** The SurveyJS adapter, with the real survey-core: answers reach the client, and stay nowhere else. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { AlreadyAnswered, AnswerError, StateError } from "../sottovoce.js";
import { FormRefused, attachSurvey } from "../surveyjs.js";
import { CANARY, LUNCH, SENT, complete, lunch, notified, recorder } from "./surveyjs-forms.js";
import { open } from "./devices.js";
import { serve } from "./server.js";

test("a completed form is answered once, is complete then, and its answers are gone", async () => {
  const [model, client, told] = [lunch(), recorder(), []];
  model.onComplete.add((sender) => told.push({ ...sender.data }));
  await attachSurvey(model, client, { wave: 1, onSent: (receipt) => told.push(receipt.id) });
  await complete(model);
  assert.equal(model.state, "completed");
  assert.deepEqual(client.asked, [{ answers: SENT, wave: 1 }]);
  assert.deepEqual(told.sort(), ["receipt", {}].sort());
  assert.deepEqual(model.data, {});
});

test("that answers are protected little stands above the questions, in the form's words, until it is detached", async () => {
  const names = (model) => model.getAllQuestions().map(({ name }) => name);
  const own = names(lunch());
  const said = LUNCH.protectedLittle;
  assert.match(said, /protected little/);
  for (const [onLittle, shown] of [
    [undefined, `<p>${said}</p>`],
    [(sentence) => `${sentence === said} & <b>`, "<p>true &#38; &#60;b></p>"],
    [() => "", null],
  ]) {
    const [model, client] = [lunch(), recorder()];
    const detach = await attachSurvey(model, client, { onLittle });
    const [first] = model.currentPage.elements;
    assert.equal(first.getType() === "html" ? first.html : null, shown);
    await complete(model);
    assert.deepEqual([model.state, client.asked], ["completed", [{ answers: SENT, wave: 1 }]]);
    detach();
    assert.deepEqual(names(model), own);
  }
  const model = lunch();
  await attachSurvey(model, {
    ...recorder(),
    survey: async () => ({ questions: LUNCH.questions, protectedLittle: "" }),
  });
  assert.deepEqual(names(model), own);
});

test("the respondent looks at the draft first, and only true sends it", async () => {
  for (const [said, isSent] of [
    [undefined, false],
    [false, false],
    ["yes", false],
    [true, true],
  ]) {
    const [model, client, seen] = [lunch(), recorder(), []];
    await attachSurvey(model, client, { onReview: async (draft) => (seen.push(draft.receipt), said) });
    await complete(model);
    assert.deepEqual(
      [model.state, client.asked.length, seen],
      [isSent ? "completed" : "running", isSent ? 1 : 0, ["draft"]],
    );
    assert.equal(model.getValue("place"), isSent ? undefined : CANARY);
  }
});

test("an error leaves the form open with its answers, and is shown by the form", async () => {
  const budget = new AlreadyAnswered({ id: "7f", wave: 1 }, LUNCH);
  for (const [fault, shown] of [
    [budget, `Not sent: ${budget.message}`],
    [new TypeError(`${CANARY} is not a function`), "An error occurred and we could not save the results."],
  ]) {
    const [model, told] = [lunch(), []];
    await attachSurvey(model, recorder(LUNCH, fault), { onError: (said) => void told.push(said) });
    await complete(model);
    assert.deepEqual([model.state, model.getValue("place"), told], ["running", CANARY, [fault]]);
    const { message, css } = await notified(model);
    assert.deepEqual([message, css.includes("error")], [shown, true]);
    assert.equal(model.isNavigationBlocked, false);
  }
});

test("an error stays until the respondent tries again, and then it is sent", async () => {
  const [model, client] = [lunch(), recorder()];
  let isOnline = false;
  const answer = async (answers) => (isOnline ? client.answer(answers) : Promise.reject(new StateError("not now.")));
  await attachSurvey(model, { ...client, answer });
  await complete(model);
  const { actionBar } = await notified(model);
  isOnline = true;
  actionBar.getVisibleActions()[0].action();
  await complete(model);
  assert.deepEqual([model.state, client.asked.length], ["completed", 1]);
  assert.equal((await notified(model, "success")).message, "The results were saved successfully!");
});

test("the page can say an error in its own words", async () => {
  const model = lunch();
  await attachSurvey(model, recorder(LUNCH, new Error()), { onError: () => "Noch einmal, bitte." });
  await complete(model);
  assert.equal((await notified(model)).message, "Noch einmal, bitte.");
});

test("an error about one answer stands beside its element", async () => {
  const [model, client] = [lunch(), recorder()];
  await attachSurvey(model, client);
  model.setValue("place", "\u202edirection");
  await complete(model);
  const shown = model.getQuestionByName("place").errors.map((error) => error.text);
  assert.equal(model.state, "running");
  assert.match(shown.join(), /^the answer must be a text of 1 to 200 characters/);
});

test("a text that is too long is refused while the form is filled in", async () => {
  const [model, client] = [lunch(), recorder()];
  await attachSurvey(model, client);
  model.setValue("place", "\u{1f600}".repeat(201));
  await complete(model);
  const errors = () => model.getQuestionByName("place").errors.map((error) => error.text);
  assert.deepEqual([model.state, client.asked, errors()], ["running", [], ["Please use 200 characters at most."]]);
  model.setValue("place", "\u{1f600}".repeat(200));
  await complete(model);
  assert.equal(model.state, "completed");
});

test("an impatient respondent sends once, and another handler's refusal sends nothing", async () => {
  const [model, client] = [lunch(), recorder()];
  await attachSurvey(model, client);
  model.doComplete();
  model.doComplete();
  await complete(model);
  assert.deepEqual([client.asked.length, model.state], [1, "completed"]);
  const [held, quiet] = [lunch(), recorder()];
  await attachSurvey(held, quiet);
  held.onCompleting.add((_, completing) => (completing.allow = false));
  await complete(held);
  assert.deepEqual([quiet.asked, held.state, held.getValue("place")], [[], "running", CANARY]);
});

test("a form is closed from the call on, whatever becomes of it, and can be attached again after a failure", async () => {
  const [model, client] = [lunch(), recorder()];
  const broken = { ...client, survey: () => Promise.reject(new AnswerError("$", "no network.")) };
  const failed = assert.rejects(attachSurvey(model, broken), /no network/);
  await complete(model);
  await failed;
  await complete(model);
  assert.deepEqual([model.state, model.getValue("place"), client.asked], ["running", CANARY, []]);
  const detach = await attachSurvey(model, client);
  await assert.rejects(attachSurvey(model, client), /attached already/);
  detach();
  model.tryComplete();
  assert.deepEqual([model.state, client.asked], ["completed", []]);
});

test("a survey-core that cannot wait is refused, and its form is completed by nobody", async () => {
  const model = lunch();
  const older = new Proxy(model, { has: (target, name) => name !== "isNavigationBlocked" && name in target });
  await assert.rejects(attachSurvey(older, recorder()), /survey-core 2.5 or newer is needed/);
  assert.deepEqual([model.doComplete(), model.state, model.getValue("place")], [undefined, "running", CANARY]);
  await complete(model);
  assert.equal(model.state, "running");
});

const OTHER = { showOtherItem: true };
for (const [title, expected, change, form, extra] of [
  ["an element is missing", /question "place": the form has no element of that name/, { place: { name: "where" } }],
  ["an element is another type", /"habits" \(radiogroup\) cannot ask/, { habits: { type: "radiogroup" } }],
  ["a choice is unknown", /the survey has no option "soup"/, { cuisine: { choices: ["soup"] } }],
  [
    "an option is never offered",
    /"cuisine" has no choice "leftovers"/,
    { cuisine: { choices: ["sandwich", "salad"] } },
  ],
  ["free text is asked beside choices", /"cuisine" must not have showOtherItem/, { cuisine: OTHER }],
  [
    "free text is asked beside an answer",
    /"habits" must not have showCommentArea/,
    { habits: { showCommentArea: true } },
  ],
  ["choices are loaded", /"cuisine" must list its choices/, { cuisine: { choicesByUrl: { url: "data:," } } }],
  ["an answer need not be given", /"expensed" need not be answered, so .* `skip`/, { expensed: { isRequired: false } }],
  ["an answer may be hidden", /may be left out by visibleIf/, { expensed: { visibleIf: "{place} = 1" } }],
  [
    "an answer may be passed by",
    /by a complete trigger/,
    {},
    { triggers: [{ type: "complete", expression: "{a}=1" }] },
  ],
  ["time may run out", /may be left out by timeLimit/, {}, { timeLimit: 60 }],
  ["an element is not in the survey", /does not ask "more"/, {}, {}, [{ type: "text", name: "more" }]],
  ["two elements have one id", /two elements .* "place"/, {}, {}, [{ type: "text", name: "Place" }]],
  ["a service is told", /surveyPostId sends/, {}, { surveyPostId: "x" }],
  ["pages are sent", /partialSendEnabled hands out/, {}, { sendResultOnPageNext: true }],
  ["an address tells answers", /navigateToUrl of the form/, {}, { navigateToUrl: "https://a.example/?{place}" }],
  [
    "an address depends on answers",
    /navigateToUrlOnCondition tells/,
    {},
    { navigateToUrlOnCondition: [{ expression: "{a}=1", url: "x" }] },
  ],
  ["HTML has an answer in it", /html of "h"/, {}, {}, [{ type: "html", name: "h", html: "<img src='/{place}'>" }]],
]) {
  test(`a form is refused where ${title}`, async () => {
    const refused = (fault) => fault instanceof FormRefused && expected.test(String(fault));
    await assert.rejects(attachSurvey(lunch(change, form, extra), recorder()), refused);
  });
}

test("a form is refused where the page sends answers to a server, also when it begins to after attaching", async () => {
  for (const event of ["onServerValidateQuestions", "onUploadFiles", "onChoicesLazyLoad"]) {
    const model = lunch();
    model[event].add(() => {});
    await assert.rejects(attachSurvey(model, recorder()), new RegExp(event));
  }
  const [model, client] = [lunch(), recorder()];
  await attachSurvey(model, client);
  model.surveyPostId = "later";
  await complete(model);
  assert.deepEqual([model.state, client.asked], ["running", []]);
});

test("everything that is wrong is told at once, and a misspelt leaveOut too", async () => {
  const model = lunch({ cuisine: { choices: ["soup"] } }, {}, [{ type: "file", name: "photo" }]);
  await assert.rejects(attachSurvey(model, recorder(), { leaveOut: ["foto"] }), (fault) => {
    assert.deepEqual([fault.name, fault.problems.length], ["FormRefused", 6]);
    return fault instanceof FormRefused;
  });
});

test("the real client posts noise, and no answer", async (t) => {
  const http = await serve(t, LUNCH.canonical);
  const client = open(t, http, "lunch");
  const [model, receipts] = [lunch(), []];
  await attachSurvey(model, client, {
    onReview: (draft) => draft.body.length > 0,
    onSent: ({ id }) => receipts.push(id),
  });
  await complete(model);
  assert.ok(await client.flush());
  assert.equal(model.state, "completed");
  assert.equal(http.posts.length, 1);
  const [{ body }] = http.posts;
  const [{ id, answers }] = JSON.parse(body).reports;
  assert.deepEqual([receipts, Object.keys(answers).sort()], [[id], ["cuisine", "expensed", "habits", "place"]]);
  assert.ok(!body.includes(CANARY) && !body.includes("leftovers"));
});

test("everything that is wrong is listed at once: what leaks, and what does not fit", async () => {
  const model = lunch();
  model.surveyPostId = "x";
  model.pages[0].addNewQuestion("text", "unasked");
  const fault = await attachSurvey(model, recorder()).catch((refused) => refused);
  assert.ok(fault instanceof FormRefused);
  assert.match(fault.problems.join("\n"), /surveyPostId sends[^]*does not ask "unasked"/);
});

test("a form that leaks is refused for that where there is no survey to be had", async () => {
  const model = lunch();
  model.surveyPostId = "x";
  const client = { ...recorder(), survey: () => Promise.reject(new StateError("no")) };
  await assert.rejects(attachSurvey(model, client), FormRefused);
});
