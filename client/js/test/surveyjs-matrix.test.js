/** A matrix of SurveyJS: its rows are questions of their own. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Model } from "survey-core";
import { fitForm, readAnswers } from "../src/surveyjs-form.js";
import { attachSurvey } from "../surveyjs.js";
import { complete, readForm, recorder, surveyOf } from "./surveyjs-forms.js";

const SURVEY = await surveyOf("matrix.json");
const FILLED = { drinks: { tea: 1, coffee: 2 }, rested: true };

/** The form, with other members of its first matrix, filled in. */
function filled(change = {}, data = FILLED) {
  const { elements, ...rest } = readForm("matrix.json");
  const model = new Model({ ...rest, elements: [{ ...elements[0], ...change }, ...elements.slice(1)] });
  model.data = data;
  return model;
}

/** What does not fit. */
function problems(change) {
  return fitForm(filled(change), SURVEY.questions).problems.join("; ");
}

test("each row is read as an answer, and a row without one as skipped", () => {
  const [model, { questions }] = [filled(), SURVEY];
  const { fits } = fitForm(model, questions);
  const answers = { "drinks-tea": "bad", "drinks-coffee": "good", "rooms-office": null, rested: true };
  assert.deepEqual(readAnswers(model, questions, fits), answers);
  model.data = { ...FILLED, "Rooms?": { Office: "warm" } };
  assert.deepEqual(readAnswers(model, questions, fits), { ...answers, "rooms-office": "warm" });
});

test("a required row that has no answer is named", () => {
  const model = filled({}, { drinks: { tea: 1 }, rested: true });
  const { fits } = fitForm(model, SURVEY.questions);
  assert.throws(() => readAnswers(model, SURVEY.questions, fits), /drinks-coffee/);
});

test("a matrix that does not fit is refused with what is wrong", () => {
  assert.match(problems({ rows: ["tea"] }), /question "drinks-coffee": the form has no element of that name/);
  assert.match(
    problems({ rows: ["tea", "coffee", "milk"] }),
    /the survey does not ask "drinks milk"; name it in leaveOut/,
  );
  assert.match(problems({ columns: [1, 2] }), /question "drinks-tea": the survey has no option "1"/);
  assert.match(problems({ eachRowRequired: false }), /"drinks" need not be answered/);
  assert.match(problems({ rowsVisibleIf: "{rested} = true" }), /"drinks" may hide its rows/);
  assert.equal(problems({}), "");
});

test("rows that were not drawn are hidden, and nothing of them is handed on", async () => {
  const ids = ["drinks-coffee", "rested"];
  const asked = [];
  const client = { ...recorder(SURVEY), questions: async () => SURVEY.questions.filter(({ id }) => ids.includes(id)) };
  client.answer = async (answers) => asked.push(answers) && { id: "receipt" };
  const model = filled({}, { rested: true });
  const detach = await attachSurvey(model, client);
  const matrix = model.getQuestionByName("drinks");
  assert.deepEqual(
    matrix.visibleRows.map(({ name }) => name),
    ["coffee"],
  );
  assert.equal(model.getQuestionByName("Rooms?").isVisible, false);
  matrix.value = { coffee: 2 };
  await complete(model);
  assert.deepEqual(asked, [{ "drinks-coffee": "good", rested: true }]);
  detach();
  model.clear();
  assert.equal(matrix.visibleRows.length, 2);
});
