/** The SurveyJS adapter and `draw`: the form shows what this device drew, and nothing else of it is sent. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { NotAsked } from "../src/errors.js";
import { FormRefused, attachSurvey } from "../surveyjs.js";
import { LUNCH, SENT, complete, lunch, recorder } from "./surveyjs-forms.js";

/** A client whose device drew these questions. */
function drawing(...ids) {
  const client = recorder();
  const drawn = LUNCH.questions.map(({ id }) => ids.includes(id));
  const answer = async (answers, wave) => {
    client.asked.push({ answers, wave });
    LUNCH.encode(answers, drawn);
    return { id: "receipt", wave };
  };
  return { ...client, answer, questions: async () => LUNCH.questions.filter(({ id }) => ids.includes(id)) };
}

test("elements of questions that were not drawn are hidden, and nothing of them is handed on", async () => {
  const [model, client] = [lunch(), drawing("cuisine", "place")];
  const detach = await attachSurvey(model, client);
  const shown = model.getAllQuestions().filter((element) => element.isVisible);
  assert.deepEqual(
    shown.map(({ name }) => name).filter((name) => name in SENT),
    ["cuisine", "place"],
  );
  await complete(model);
  assert.equal(model.state, "completed");
  const { cuisine, place } = SENT;
  assert.deepEqual(client.asked, [{ answers: { cuisine, place }, wave: 1 }]);
  assert.deepEqual(model.data, {});
  detach();
  assert.ok(model.getAllQuestions().every((element) => element.visible));
});

test("a form is not asked in a wave that was not drawn", async () => {
  const client = { ...recorder(), waves: async () => [2, 5] };
  const isRefused = (/** @type {any} */ fault) => fault instanceof NotAsked && fault.waves.join() === "2,5";
  await assert.rejects(attachSurvey(lunch(), client, { wave: 3 }), isRefused);
  const model = lunch();
  await attachSurvey(model, client, { wave: 5 });
  await complete(model);
  assert.equal(client.asked[0].wave, 5);
});

test("a required element that was not drawn does not keep the form from being completed", async () => {
  const [model, client] = [lunch(), drawing("place")];
  model.clearValue("expensed");
  await attachSurvey(model, client);
  await complete(model);
  assert.equal(model.state, "completed");
});

test("a form must fit all questions, whatever was drawn", async () => {
  const model = lunch({ cuisine: { choices: ["soup", "salad"] } });
  await assert.rejects(attachSurvey(model, drawing("place")), FormRefused);
  assert.ok(
    model.getAllQuestions().every((element) => element.visible),
    "and nothing is hidden then",
  );
});

test("no condition shows an element that was not drawn, and the form's own is put back", async () => {
  for (const own of [{ visibleIf: "{place} notempty", isRequired: true }, { visible: false }]) {
    const [model, client] = [lunch({ habits: own }), drawing("place")];
    const habits = model.getQuestionByName("habits");
    model.data = {};
    const [before, detach] = [{ ...own, visible: habits.visible }, await attachSurvey(model, client)];
    model.setValue("place", SENT.place);
    assert.ok(!habits.isVisible);
    await complete(model);
    assert.equal(model.state, "completed");
    detach();
    for (const [name, value] of Object.entries(before)) if (name !== "visible") assert.equal(habits[name], value);
    assert.equal(habits.visible, before.visible);
  }
});
