/** Questions asked together: read and refused as the vectors say, answered one by one, reported and named as one. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Model } from "survey-core";
import { AnswerError } from "../sottovoce.js";
import { SurveyError } from "../src/errors.js";
import { FormRefused, attachSurvey } from "../surveyjs.js";
import { TEXTS, faultOf, newState, open, rowsOf, surveyOf } from "./devices.js";
import { serve } from "./server.js";
import { complete, recorder } from "./surveyjs-forms.js";

const VECTORS = JSON.parse(readFileSync(new URL("../../../tests/vectors/together.json", import.meta.url), "utf8"));

for (const vector of VECTORS.surveys) {
  test(`a survey is read: ${vector.about}`, async () => {
    const survey = await surveyOf(vector.text);
    assert.deepEqual([survey.canonical, survey.fingerprint], [vector.text, vector.fingerprint]);
    assert.equal(survey.epsilonForever, vector.epsilon_forever);
    assert.deepEqual(
      survey.items.map(({ id }) => id),
      vector.items,
    );
    for (const { id, options } of survey.questions.filter(({ type }) => type === "joint")) {
      assert.deepEqual(options, vector.options[id] ?? options);
    }
  });
}

test("every text that is no survey is refused where the vectors say", async () => {
  const missed = [];
  for (const { why, where, text } of VECTORS.refused) {
    const found = await surveyOf(text).then(
      () => "nowhere",
      (fault) => (fault instanceof SurveyError ? fault.where : String(fault)),
    );
    if (found !== where) missed.push({ why, where, found });
  }
  assert.ok(VECTORS.refused.length > 100);
  assert.deepEqual(missed, []);
});

/** Two questions that take 1 together, and one that takes 0.5. */
const HABITS = await surveyOf(TEXTS.habits);
const ALL = { smokes: true, region: "south", age: false };

test("questions are asked one by one and reported as one, and a draft says which combinations it supports", async (t) => {
  const http = await serve(t, TEXTS.habits);
  const device = open(t, http, "health");
  const questions = await device.questions();
  assert.deepEqual(
    questions.map(({ id, type }) => [id, type]),
    [
      ["smokes", "yes-no"],
      ["region", "one-of"],
      ["age", "yes-no"],
    ],
  );
  const draft = await device.prepare(ALL);
  assert.deepEqual(Object.keys(draft.sent.answers).sort(), ["age", "habits"]);
  assert.equal(draft.epsilon, "1.5");
  assert.ok(draft.reported.habits.length > 0);
  for (const cell of draft.reported.habits) assert.match(cell, /^(yes|no), (north|south|secret)$/);
  await draft.send();
  assert.ok(await device.flush(20_000));
  assert.deepEqual(
    http.posts.map(({ body }) => body),
    [draft.body],
  );
});

test("the same answers give the same draft, in whatever order and also after others", async (t) => {
  const device = open(t, await serve(t, TEXTS.habits), "health");
  const first = await device.prepare(ALL);
  await device.prepare({ ...ALL, smokes: false });
  await device.prepare({ ...ALL, region: null });
  assert.equal((await device.prepare({ age: false, region: "south", smokes: true })).body, first.body);
});

test("every combination has a number of its own, and what is left out counts as its skip", () => {
  const encoded = [];
  for (const smokes of [false, true]) {
    for (const region of ["north", "south", "secret"]) encoded.push(HABITS.encode({ smokes, region, age: true })[0]);
  }
  assert.deepEqual(encoded, [0, 1, 2, 3, 4, 5]);
  assert.equal(HABITS.encode({ smokes: true, age: true })[0], 5);
});

for (const [answers, where] of /** @type {[object, string][]} */ ([
  [{ age: true }, "$"],
  [{ ...ALL, smokes: null }, "smokes"],
  [{ ...ALL, smokes: "s3cret" }, "smokes"],
  [{ ...ALL, region: "s3cret" }, "region"],
  [{ ...ALL, habits: { smokes: true, region: "s3cret" } }, "$"],
  [{ habits: { smokes: true, region: "s3cret" }, age: true }, "$"],
])) {
  test(`a wrong answer is named by its question and not quoted: ${JSON.stringify(answers)}`, async (t) => {
    const state = newState();
    const device = open(t, await serve(t, TEXTS.habits), "health", { state });
    const fault = await faultOf(device.answer(/** @type {any} */ (answers)));
    assert.ok(fault instanceof AnswerError);
    assert.equal(fault.where, where);
    assert.ok(!fault.message.includes("s3cret"));
    assert.deepEqual([await rowsOf(state, "ledger"), await rowsOf(state, "outbox")], [[], []]);
  });
}

test("a group is drawn as one, and of pairs the two questions of one are asked", async (t) => {
  const [drawn, pairs] = [await serve(t, TEXTS.drawnHabits), await serve(t, TEXTS.pairs)];
  const found = new Set();
  for (let run = 0; run < 40; run += 1) {
    const questions = await open(t, drawn, "health").questions();
    found.add(questions.map(({ id }) => id).join());
  }
  assert.deepEqual([...found].sort(), ["age", "smokes,region"]); // one is missing with a probability of 2e-12
  const device = open(t, pairs, "health");
  const asked = (await device.questions()).map(({ id }) => id);
  assert.equal(asked.length, 2);
  const missing = await faultOf(device.prepare({ [asked[0]]: true }));
  assert.ok(missing.message.includes(`Missing: ${asked[1]}.`));
  const { sent, epsilon } = await device.prepare({ [asked[0]]: true, [asked[1]]: false });
  assert.deepEqual([Object.keys(sent.answers), epsilon], [[asked.join("--")], "1"]);
});

/** A SurveyJS form of the three questions, filled in. */
function filled(change = {}) {
  const model = new Model({
    elements: [
      { type: "panel", name: "p", elements: [{ type: "boolean", name: "smokes", isRequired: true }] },
      { type: "radiogroup", name: "region", choices: ["north", "south", "secret"], ...change },
      { type: "boolean", name: "age", isRequired: true },
    ],
  });
  model.data = ALL;
  return model;
}

test("each question of a group is asked by an element of a SurveyJS form", async () => {
  const client = recorder(HABITS);
  const model = filled();
  await attachSurvey(model, client);
  await complete(model);
  assert.equal(model.state, "completed");
  assert.deepEqual(client.asked, [{ answers: ALL, wave: 1 }]);
});

test("an element that does not fit its question of a group is named by that", async () => {
  const fault = await faultOf(attachSurvey(filled({ choices: ["north", "west", "secret"] }), recorder(HABITS)));
  assert.ok(fault instanceof FormRefused);
  assert.ok(fault.problems.every((problem) => problem.startsWith('question "region"')));
});
