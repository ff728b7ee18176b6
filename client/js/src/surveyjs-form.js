/**
 * A SurveyJS form beside a survey: which element asks which question, and what its values mean.
 *
 * The rules are those by which `sotto survey import` reads a form (sotto_author/forms/surveyjs.py).
 * @typedef {import("survey-core").SurveyModel} Model
 * @typedef {import("survey-core").Question} Element
 * @typedef {{id: string, type: string, options: readonly string[], skip: string | number | boolean | null, range?: any}} Question
 * @typedef {(element: any) => boolean | number | string | string[] | null} Reader an answer that is there, null for none
 */

import { AnswerError, SottoError } from "./errors.js";
import { number } from "./questions/number.js";

/** @type {Record<string, readonly string[]>} the types of question that a type of element may ask */
const QUESTION_TYPES = {
  boolean: ["yes-no", "one-of"],
  radiogroup: ["one-of"],
  dropdown: ["one-of"],
  matrix: ["one-of"],
  rating: ["one-of", "number"],
  slider: ["number"],
  checkbox: ["any-of"],
  tagbox: ["any-of"],
  text: ["text", "number"],
  comment: ["text"],
};
const ASK_NOTHING = ["html", "image", "expression", "empty"];
/** Of an element that has them, answers are more than its choices. */
const BESIDE = [
  "showOtherItem",
  "showCommentArea",
  "choicesFromQuestion",
  "choicesLazyLoadEnabled",
  "allowCustomChoices",
  "minValueExpression",
  "maxValueExpression",
];
const HIDING_TRIGGERS = ["completetrigger", "skiptrigger", "visibletrigger"];
const SPECIAL = [
  ["showNoneItem", "noneItem", "None"],
  ["showRefuseItem", "refuseItem", "Refuse to answer"],
  ["showDontKnowItem", "dontKnowItem", "Don't know"],
];
const MAX_TEXT = 200;

/** A form that does not fit its survey, or that would give answers away. `problems` has all that is wrong. */
export class FormRefused extends SottoError {
  /** @param {string[]} problems */
  constructor(problems) {
    super(`this form cannot be attached: ${problems.join("; ")}.`);
    this.problems = problems;
  }
}
FormRefused.prototype.name = "FormRefused"; // a minified class forgets what it was called

/**
 * Return the id of the question that an element's name stands for, "" where there is none: as `sotto survey import`.
 * @param {string} name @returns {string}
 */
export function questionId(name) {
  if (/^[a-z0-9][a-z0-9_-]{0,63}$/.test(name)) return name;
  const plain = name.normalize("NFKD").replace(/[\u0300-\u036f]/g, "");
  const lower = plain.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  const written = lower.replace(/[^a-z0-9_-]+/gu, "-").replace(/^[-_]+|-+$/g, "");
  const letters = Array.from(name, (letter) => /** @type {number} */ (letter.codePointAt(0))).filter(
    (code) => code > 127,
  );
  return (written || letters.map((code) => `u${code.toString(16)}`).join("-")).slice(0, 64);
}

/**
 * Return the name of the element and what reads it, by question id, and everything that does not fit: questions without an element, elements without a question that are not among `leaveOut`, unknown options, and
 * questions that must be answered but need not be in the form.
 * @param {Model} model @param {readonly Question[]} questions @param {readonly string[]} leaveOut names of elements
 * @returns {{fits: Map<string, {name: string, row?: any, read: Reader}>, problems: string[]}}
 */
export function fitForm(model, questions, leaveOut = []) {
  const problems = [];
  const elements = new Map();
  const left = new Set(leaveOut);
  for (const element of model.getAllQuestions().filter((each) => !ASK_NOTHING.includes(each.getType()))) {
    if (left.delete(element.name)) continue;
    for (const part of partsOf(element)) {
      const id = questionId(part.name);
      if (left.delete(part.name)) continue;
      if (elements.has(id)) problems.push(`two elements are named for the question "${id}"`);
      else if (questions.some((question) => question.id === id)) elements.set(id, part);
      else problems.push(`the survey does not ask "${part.name}"; name it in leaveOut to drop its answers`);
    }
  }
  left.forEach((name) => problems.push(`leaveOut names "${name}", but no element of that name asks anything`));
  const fits = new Map();
  for (const question of questions) {
    const part = elements.get(question.id);
    const found = part ? misfits(model, part, question) : ["the form has no element of that name"];
    problems.push(...found.map((problem) => `question "${question.id}": ${problem}`));
    if (!found.length) fits.set(question.id, { name: part.element.name, row: part.row, read: reader(part, question) });
  }
  return { fits, problems };
}

/**
 * Return what of an element is asked by questions of its own: each row of a matrix, by the name that the import gives it.
 * @param {any} element @returns {{name: string, element: any, row?: any}[]}
 */
function partsOf(element) {
  if (element.getType() !== "matrix" || !element.rows.length) return [{ name: element.name, element }];
  return element.rows.map((/** @type {any} */ row) => ({ name: `${element.name} ${row.value}`, element, row }));
}

/**
 * Return the answers in a form, by question id, as a client takes them. If there is no answer, or its element is not
 * visible, it is null, or for any-of an empty list. Throws AnswerError, which holds no answer.
 * @param {Model} model @param {readonly Question[]} questions @param {ReturnType<typeof fitForm>["fits"]} fits
 */
export function readAnswers(model, questions, fits) {
  /** @type {Record<string, boolean | number | string | string[] | null>} */
  const answers = {};
  for (const question of questions) {
    const { name, read } = /** @type {{name: string, read: Reader}} */ (fits.get(question.id));
    const element = model.getQuestionByName(name); // anew: pages and previews may make others of the same name
    const isGiven = element && element.isVisible && element.isParentVisible && !element.isEmpty();
    const answer = isGiven ? read(element) : null;
    if (answer === null && question.skip === null && question.type !== "any-of") {
      throw new AnswerError(question.id, "the question must be answered.");
    }
    answers[question.id] = answer ?? (question.type === "any-of" ? [] : null);
  }
  return answers;
}

/** @param {any} element @returns {boolean} whether what was typed is longer than an answer can be */
export function isTooLong(element) {
  const isText = QUESTION_TYPES[element.getType()]?.includes("text") && !element.isEmpty();
  return isText && [...tidy(element.value)].length > MAX_TEXT;
}

/** @param {Model} model @param {any} part @param {Question} question @returns {string[]} what does not fit */
function misfits(model, { element, row }, question) {
  const type = element.getType();
  if (!QUESTION_TYPES[type]?.includes(question.type)) {
    return [`the survey's question is ${question.type}, which "${element.name}" (${type}) cannot ask`];
  }
  const found = BESIDE.filter((name) => element[name]).map((name) => `"${element.name}" must not have ${name}`);
  if (element.choicesByUrl?.url) found.push(`"${element.name}" must list its choices rather than load them`);
  if (element.valuePropertyName) found.push(`"${element.name}" must not have valuePropertyName`);
  if (row && (element.cellType !== "radio" || element.hasCellText)) {
    found.push(`"${element.name}" must have radio buttons without texts in its cells`);
  }
  const hidden = question.skip === null && question.type !== "any-of" ? whyEmpty(model, element, row) : "";
  if (hidden) found.push(`"${element.name}" ${hidden}, so the survey's question needs \`skip\``);
  if (question.type === "one-of" || question.type === "any-of") found.push(...otherOptions(element, question));
  if (question.type === "number") found.push(...otherNumbers(element, /** @type {any} */ (question)));
  return found;
}

/** @param {any} element @param {import("./survey.js").Item} question @returns {string[]} */
function otherNumbers(element, question) {
  const { min, max, step, name } = element;
  if (element.sliderType === "range") return [`"${name}" must not give two numbers (sliderType range)`];
  if (element.getType() === "text" && !["number", "range"].includes(element.inputType)) {
    return [`"${name}" must have the inputType number`];
  }
  const isRating = element.getType() === "rating";
  const rates = /** @type {any[]} */ (isRating ? ratesOf(element) : []).map(({ value }) => value);
  const some = isRating ? rates : [min, max, Number(min) + (Number(step) || 1)];
  const wrong = some.find((value) => value === "" || number.encode(exact(value), question) === null);
  return some.includes(wrong) ? [`"${name}" may give ${wrong}, where the answer must be ${question.expected}`] : [];
}

/** @param {unknown} value @returns {number} of 15 digits: what steps of a tenth add up to is off in the last */
function exact(value) {
  return Number(Number(value).toPrecision(15));
}

/** @param {any} element @param {Question} question @returns {string[]} */
function otherOptions(element, question) {
  const offered = choicesOf(element);
  const texts = offered.map(([, text]) => text);
  const found = texts
    .filter((text) => !question.options.includes(text))
    .map((text) => `the survey has no option "${text}"`);
  for (const option of question.options) {
    if (!texts.includes(option) && option !== question.skip) found.push(`"${element.name}" has no choice "${option}"`);
  }
  for (const [index, what] of ["value", "text"].entries()) {
    if (new Set(offered.map((choice) => choice[index])).size < offered.length)
      found.push(`two choices have the same ${what}`);
  }
  if (element.choices?.some((/** @type {any} */ item) => item.showCommentArea || item.hasElements)) {
    found.push(`a choice of "${element.name}" asks something beside it`);
  }
  return found;
}

/** @param {Model} model @param {any} element @param {any} row @returns {string} why it may have no answer, "" if never */
function whyEmpty(model, element, row) {
  const isRequired = row ? element.eachRowRequired : element.isRequired && !element.requiredIf;
  if (!isRequired) return "need not be answered";
  if (row && (row.visibleIf || row.enableIf || element.rowsVisibleIf)) return "may hide its rows";
  const trigger = model.triggers.find((each) => HIDING_TRIGGERS.includes(each.getType()));
  if (trigger) return `may be left out by a ${trigger.getType().replace("trigger", "")} trigger`;
  for (let part = element; part; part = part.parent) {
    const hides = ["visibleIf", "enableIf", "readOnly", "timeLimit"].find((name) => part[name]);
    if (hides || part.visible === false) return `may be left out by ${hides ?? "visible"}`;
  }
  return model.timeLimit || model.timeLimitPerPage || model.readOnly ? "may be left out by timeLimit or readOnly" : "";
}

/**
 * Return the values that an element can have, as strings, and their texts in the form's default language, whatever
 * language it is shown in.
 * @param {any} element @returns {[string, string][]}
 */
function choicesOf(element) {
  if (element.getType() === "boolean") {
    const labels = [textOf(element.locLabelTrue) || "Yes", textOf(element.locLabelFalse) || "No"];
    return [
      [String(element.valueTrue ?? true), labels[0]],
      [String(element.valueFalse ?? false), labels[1]],
    ];
  }
  const isMatrix = element.getType() === "matrix";
  const listed = () => (isMatrix ? element.columns : [...element.choices, ...(element.minMaxChoices ?? [])]);
  const items = element.getType() === "rating" ? ratesOf(element) : listed();
  /** @type {[string, string][]} */
  const offered = items.map((/** @type {any} */ item) => [
    String(item.value),
    textOf(item.locText) || tidy(item.value),
  ]);
  for (const [shown, name, usual] of SPECIAL) {
    if (element[shown]) offered.push([String(element[name].value), textOf(element[name].locText) || usual]);
  }
  return offered;
}

/** @param {any} element */
function ratesOf(element) {
  const given = element.rateValues;
  if (element.autoGenerate || !given.length) return element.visibleRateValues;
  return element.rateType === "smileys" ? given.slice(0, 10) : given; // also those that are not visible now
}

/** @param {any} text a LocalizableString @returns {string} */
function textOf(text) {
  return tidy(text.getLocaleText("default") || text.getLocaleText("en"));
}

/** @param {unknown} value @returns {string} its text, white space one space: a survey's texts have no line breaks */
function tidy(value) {
  return String(value)
    .replace(/[\t-\r ]+/g, " ")
    .replace(/^ | $/g, "");
}

/** @param {any} part @param {Question} question @returns {Reader} */
function reader({ element, row }, question) {
  if (question.type === "number") return (shown) => exact(shown.value);
  if (question.type === "text") return (shown) => tidy(shown.value) || null;
  const texts = new Map(choicesOf(element));
  const isYes = (/** @type {string} */ value) => value === choicesOf(element)[0][0];
  const one = (/** @type {unknown} */ value) => {
    const text = texts.get(String(value));
    if (text === undefined) throw new AnswerError(question.id, "the answer must be one of the element's choices.");
    return question.type === "yes-no" ? isYes(String(value)) : text;
  };
  if (question.type === "any-of")
    return (shown) => [shown.value].flat().map((value) => /** @type {string} */ (one(value)));
  if (row) return (shown) => (shown.value[row.value] === undefined ? null : one(shown.value[row.value]));
  return (shown) => one(shown.value);
}
