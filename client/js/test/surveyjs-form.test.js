/** A SurveyJS form beside its survey, with the real survey-core: what its values stand for. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Model } from "survey-core";
import { AnswerError } from "../sottovoce.js";
import { fitForm, questionId, readAnswers } from "../src/surveyjs-form.js";
import { CANARY, LUNCH, VECTORS, lunch, readForm, surveyOf } from "./surveyjs-forms.js";

const CLINIC = await surveyOf("clinic.json");

test("a name becomes the id that the import gives it", () => {
  for (const [name, id] of VECTORS.names) assert.equal(questionId(name), id, name);
});

for (const { file } of VECTORS.forms) {
  test(`every choice of ${file} stands for the option that the import gives it, in every language`, async () => {
    const survey = await surveyOf(file);
    const { questions, leaveOut } = VECTORS.forms.find((form) => form.file === file);
    for (const locale of ["", "de", "fr"]) {
      const model = new Model(readForm(file));
      if (locale) model.locale = locale;
      const { fits } = fitForm(model, survey.questions, leaveOut);
      for (const { id, name, choices } of questions) {
        const { name: found, row, read } = fits.get(id);
        assert.equal(row ? `${found} ${row.value}` : found, name);
        const values = choices.map(([value, text]) => [read({ value: row ? { [row.value]: value } : value }), text]);
        assert.deepEqual(
          values.map(([answer]) => [answer].flat()[0]),
          choices.map(([, text]) => text),
        );
      }
    }
  });
}

test("what the form hides is read as skipped, whether what hides it is public or an answer", async () => {
  const { questions } = await surveyOf("ward.json");
  const model = new Model(readForm("ward.json"));
  const { fits, problems } = fitForm(model, questions, ["ward"]);
  assert.deepEqual(problems, []);
  model.data = { ward: "B", habit: "tea" };
  const hidden = { nights: null, strong: null, with: [], why: null };
  assert.deepEqual(readAnswers(model, questions, fits), { habit: "tea", ...hidden });
  model.data = { ward: "A", habit: "coffee", nights: "few", strong: false, with: ["milk"], why: "so" };
  const shown = { nights: "few", strong: "No", with: ["milk"], why: "so" };
  assert.deepEqual(readAnswers(model, questions, fits), { habit: "coffee", ...shown });
});

test("what is filled in is read by question id, as the client takes it", () => {
  const model = new Model(readForm("clinic.json"));
  const values = {
    "Agrees?": false,
    smokes: true,
    drinks: "N",
    brand: 3,
    places: ["home", "work"],
    symptoms: [2, "none"],
  };
  const numbers = { "Wie oft (früher)?": 1.5, pain: 2, mood: 10, sleep: 3, zero: 0.25, last: 9, "Nights per week": 7 };
  model.data = { ...values, ...numbers, 年龄: 42, doctors: "  Dr\n Who ", Anything_else: "x", refuses: "na" };
  const answers = readAnswers(model, CLINIC.questions, fitForm(model, CLINIC.questions).fits);
  assert.deepEqual(answers, {
    ...{ agrees: false, smokes: "Yes", drinks: "Never", brand: "Three", places: ["home", "work"] },
    ...{ "wie-oft-fruher": "1.5", symptoms: ["Fever", "None"], pets: [], refuses: "no answer" },
    ...{ pain: "2", mood: 10, sleep: "well", zero: "0.25", last: "9", first: null, "nights-per-week": "7" },
    ...{ "u5e74-u9f84": "42", doctors: "Dr Who", anything_else: "x" },
  });
  CLINIC.encode(answers);
});

test("numbers of sliders, texts and ratings are read, and elements that give others do not fit", async () => {
  const form = readForm("numbers.json");
  const { questions } = await surveyOf("numbers.json");
  const model = new Model(form);
  model.data = { effort: 70, "Level (0.1)": 0.1 + 0.2, age: "33", hours: 7.5, maybe: 3, mood: 2 };
  const answers = readAnswers(model, questions, fitForm(model, questions).fits);
  assert.deepEqual(answers, { effort: 70, "level-0-1": 0.3, age: 33, hours: 7.5, maybe: "3", mood: 2 });
  for (const question of questions) question.encode(answers[question.id]);
  const [effort, , age] = questions;
  const fitted = (/** @type {any} */ element, /** @type {any} */ question) =>
    fitForm(new Model({ elements: [{ name: question.id, isRequired: true, ...element }] }), [question]).problems;
  assert.deepEqual(fitted({ type: "rating", rateMax: 7 }, effort), []);
  assert.deepEqual(fitted({ type: "rating", rateValues: [{ value: 0, text: "none" }, 100] }, effort), []);
  assert.deepEqual(fitted({ type: "text", inputType: "number", min: 20, max: 80, step: 20 }, effort), []);
  for (const [element, why] of [
    [{ type: "slider", max: 101 }, /may give 101, where the answer must be an integer in \[0, 100\]/],
    [{ type: "slider", step: 0.5 }, /may give 0\.5, where/],
    [{ type: "slider", sliderType: "range" }, /must not give two numbers/],
    [{ type: "slider", maxValueExpression: "{a}" }, /must not have maxValueExpression/],
    [{ type: "rating", rateValues: ["often", "never"] }, /may give often, where/],
    [{ type: "text", min: 0, max: 9 }, /must have the inputType number/],
    [{ type: "text", inputType: "number", min: 0 }, /may give (undefined)?, where/],
    [{ type: "slider", isRequired: false }, /need not be answered/],
    [{ type: "dropdown", choices: [1, 2] }, /which "effort" \(dropdown\) cannot ask/],
  ]) {
    assert.match(fitted(element, effort).join(), /** @type {RegExp} */ (why));
  }
  const other = new Model({
    elements: [{ type: "text", name: "age", inputType: "number", min: 0, max: 120, isRequired: true }],
  });
  other.data = { age: "old" };
  assert.throws(() => age.encode(readAnswers(other, [age], fitForm(other, [age]).fits).age), AnswerError);
});

test("an element that is not visible counts as skipped, whatever it holds", () => {
  const model = new Model({ ...readForm("clinic.json"), clearInvisibleValues: "none" });
  const required = { "Agrees?": true, "Wie oft (früher)?": 0, mood: 1, sleep: 1, "Nights per week": 1, 年龄: 18 };
  model.data = { ...required, brand: "a", places: ["home"], smokes: false, pain: 1, Anything_else: "x" };
  const answers = readAnswers(model, CLINIC.questions, fitForm(model, CLINIC.questions).fits);
  assert.deepEqual([answers.brand, answers.places, answers.anything_else], [null, [], null]);
  assert.equal(answers.smokes, "No");
});

test("an answer that is missing, or none of the choices, is an error that names the question and not the answer", () => {
  const model = lunch();
  const { fits } = fitForm(model, LUNCH.questions);
  for (const [name, value] of [
    ["expensed", undefined],
    ["expensed", CANARY],
    ["cuisine", CANARY],
    ["habits", [CANARY]],
  ]) {
    const broken = lunch();
    broken.setValue(name, value);
    assert.throws(
      () => readAnswers(broken, LUNCH.questions, fits),
      (fault) => fault instanceof AnswerError && fault.where === name && !fault.message.includes(CANARY),
    );
  }
});
