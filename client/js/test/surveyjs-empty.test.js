/** A SurveyJS form after its answers are sent: nothing that it leads to has one in it, with the real survey-core. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { attachSurvey } from "../surveyjs.js";
import { everything, fillIn } from "./surveyjs-everything.js";
import { CANARY, complete, findText, lunch, recorder } from "./surveyjs-forms.js";

const ASKS_NOTHING = {
  ...recorder(),
  survey: async () => ({ questions: [] }),
  answer: async () => ({ id: "receipt" }),
};

/** Return a form that somebody has filled in and sent. */
async function sent(members = {}, fruit = 1) {
  const { model, leaveOut } = everything(members);
  await attachSurvey(model, ASKS_NOTHING, { leaveOut });
  fillIn(model, fruit);
  assert.ok(findText(model, CANARY).length > 100);
  if (members.showPreviewBeforeComplete) model.showPreview();
  else model.currentPageNo = model.visiblePageCount - 1;
  await complete(model);
  assert.equal(model.state, "completed");
  return model;
}

for (const [what, members] of [
  ["triggers of every kind", {}],
  ["files", { hasFiles: true }],
  ["a look at everything before it is sent", { showPreviewBeforeComplete: true }],
  ["a page for every question", { questionsOnPageMode: "questionPerPage" }],
  ["one page", { questionsOnPageMode: "singlePage" }],
]) {
  test(`no text that was typed is left in a form with ${what}`, async () => {
    const model = await sent(members);
    assert.deepEqual(findText(model, CANARY), []);
    assert.deepEqual(
      model.getAllQuestions().filter((element) => element.errors.length > 0),
      [],
    );
  });
}

test("a form that was filled in with one choice is the same afterwards as one with another", async () => {
  const [one, other] = [portrait(await sent({}, 1)), portrait(await sent({}, 2))];
  assert.ok(one.size > 20000);
  const paths = [...new Set([...one.keys(), ...other.keys()])];
  assert.deepEqual(
    paths.filter((path) => one.get(path) !== other.get(path)).map((path) => [path, one.get(path), other.get(path)]),
    [],
  );
});

/** Return all that a model leads to, by path, but numbers that only tell one object from another. */
function portrait(model) {
  const [found, paths] = [new Map(), new Map([[model, "model"]])];
  for (const [part, path] of paths) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(part))) {
      const isObject = value !== null && typeof value === "object";
      if (isObject && !paths.has(value)) paths.set(value, `${path}.${name}`);
      if (!/(^|_)id$|Id$|IdValue$|^key$/.test(name))
        found.set(`${path}.${name}`, isObject ? paths.get(value) : String(value).replace(/s[a-z]+_\d+/g, ""));
    }
  }
  return found;
}

test("a page's variables are as it set them, and a form can be filled in again", async () => {
  const model = lunch();
  model.setVariable("page", "the page's own");
  const client = recorder();
  await attachSurvey(model, client);
  const values = { ...model.data };
  model.setVariable("made", CANARY);
  await complete(model);
  assert.deepEqual([model.getVariable("page"), model.getVariable("made")], ["the page's own", null]);
  model.clear();
  model.data = values;
  await complete(model);
  assert.deepEqual([model.state, client.asked.length], ["completed", 2]);
  assert.deepEqual(client.asked[0], client.asked[1]);
});

test("what a page keeps beside a model is left as it is", async () => {
  const model = lunch();
  const own = { previousValue: "kept", valueInfo: { value: "kept" }, variableName: "kept" };
  model.ofThePage = own;
  await attachSurvey(model, recorder());
  await complete(model);
  assert.deepEqual(own, { previousValue: "kept", valueInfo: { value: "kept" }, variableName: "kept" });
});
