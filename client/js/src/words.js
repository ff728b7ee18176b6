/** What respondents read of a survey, in each of its languages. Answers are the options of its own, whatever is read. */

import { Fields } from "./documents.js";
import { cellsIn } from "./questions/joint.js";
import { takeOptions } from "./questions/members.js";

/**
 * What is read of a question, `options` in its order; of a survey, `questions` by id. Empty where there is none.
 * @typedef {Readonly<{text: string, options: readonly string[], section: string, unit: string}>} QuestionWords
 * @typedef {Readonly<{lang: string, title: string, introduction: string, controller: string, contact: string,
 *   questions: Readonly<{[id: string]: QuestionWords}>}>} SurveyWords
 */

/** The most characters of each text that is read, but for options. */
export const LENGTHS = Object.freeze({
  title: 2000,
  introduction: 2000,
  text: 2000,
  controller: 200,
  contact: 200,
  section: 200,
  unit: 40,
});
export const TAG_EXPECTED = "a language tag (BCP 47) such as en, pt-BR or zh-Hant";
const TAG =
  /^(?=.{2,35}$)[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?(-([a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*(-x(-[a-z0-9]{1,8})+)?$/;

/** @param {unknown} value @returns {value is string} whether it is a well-formed language tag, no variant there twice */
export function isTag(value) {
  if (typeof value !== "string" || !TAG.test(value)) return false;
  const subtags = value.split("-x-")[0].split("-");
  return new Set(subtags).size === subtags.length;
}

/**
 * Take the member of this name, a text; "" where it is left out.
 * @param {Fields} fields @param {keyof LENGTHS} name
 */
export function takeText(fields, name) {
  return fields.optional(name, "", () => fields.text(name, LENGTHS[name]));
}

/**
 * Return a survey's words in its own language, then those in others, each complete. Throws SurveyError.
 * @param {Fields} fields @param {import("./survey.js").Survey} survey @returns {readonly SurveyWords[]}
 */
export function readWords(fields, survey) {
  const own = ownWords(survey);
  const expected = `an object by language tags, without ${own.lang}`;
  const areWords = (/** @type {any} */ value) =>
    isObject(value) &&
    Object.keys(value).length > 0 &&
    Object.keys(value).every((tag) => isTag(tag) && tag !== own.lang);
  const listed = fields.has("translations") ? fields.take("translations", expected, areWords) : {};
  const tags = Object.keys(listed).sort();
  const all = [own, ...tags.map((tag) => readTranslation(listed[tag], `$.translations.${tag}`, tag, own))];
  return Object.freeze(all.map((words) => withJoint(words, survey)));
}

/** The same with the words of joint questions, which are those of their items; yes and no are said by the form. */
function withJoint(/** @type {SurveyWords} */ words, /** @type {import("./survey.js").Survey} */ { questions }) {
  const joint = questions.filter(({ type }) => type === "joint");
  if (joint.length === 0) return words;
  const made = joint.map(({ id, items }) => {
    const texts = items.map((item) => words.questions[item.id].text);
    const say = (/** @type {import("./survey.js").Item} */ item, /** @type {any} */ answer) =>
      item.type === "yes-no" ? (answer ? "yes" : "no") : words.questions[item.id].options[item.options.indexOf(answer)];
    const { section } = words.questions[items[0].id];
    return [id, Object.freeze({ text: texts.join(" "), options: cellsIn(items, say), section, unit: "" })];
  });
  return Object.freeze({ ...words, questions: Object.freeze({ ...words.questions, ...Object.fromEntries(made) }) });
}

/** @returns {SurveyWords} */
function ownWords(
  /** @type {import("./survey.js").Survey} */ { lang, title, introduction, controller, contact, questions },
) {
  const items = questions.flatMap((question) => question.items);
  const words = items.map(({ id, text, options, section, range }) => [
    id,
    Object.freeze({ text, options, section, unit: range?.unit ?? "" }),
  ]);
  return Object.freeze({
    lang,
    title,
    introduction,
    controller,
    contact,
    questions: Object.freeze(Object.fromEntries(words)),
  });
}

/** @returns {SurveyWords} */
function readTranslation(
  /** @type {unknown} */ document,
  /** @type {string} */ where,
  /** @type {string} */ lang,
  /** @type {SurveyWords} */ own,
) {
  const fields = new Fields(document, where);
  const texts = takeAll(fields, own, ["title", "introduction", "controller", "contact"]);
  const stated = new Fields(fields.take("questions", "an object", isObject), `${where}.questions`);
  fields.finish();
  const questions = Object.entries(own.questions).map(([id, words]) => [id, readQuestionWords(stated, id, words)]);
  stated.finish();
  return Object.freeze({ lang, ...texts, questions: Object.freeze(Object.fromEntries(questions)) });
}

/** @returns {QuestionWords} */
function readQuestionWords(/** @type {Fields} */ stated, /** @type {string} */ id, /** @type {QuestionWords} */ own) {
  const fields = new Fields(stated.take(id, "an object", isObject), `${stated.where}.${id}`);
  const { length } = own.options;
  const options = length > 0 ? Object.freeze(takeOptions(fields, length, length)) : own.options;
  const words = { ...takeAll(fields, own, ["text", "section", "unit"]), options };
  fields.finish();
  return Object.freeze(words);
}

/** Take those texts that the survey's own language has, too. @returns {any} */
function takeAll(/** @type {Fields} */ fields, /** @type {any} */ own, /** @type {(keyof typeof LENGTHS)[]} */ names) {
  return Object.fromEntries(names.map((name) => [name, own[name] && fields.text(name, LENGTHS[name])]));
}

function isObject(/** @type {unknown} */ value) {
  return typeof value === "object" && value !== null;
}
