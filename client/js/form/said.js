/** What was answered, and what is sent in its place, in words; and what others send by chance. */

import { ofPeople, rest, supportOf } from "./chance.js";

/** @typedef {import("./words.js").Translate} Translate */
/** @typedef {import("../src/survey.js").Item} Item */
/** @typedef {import("../src/survey.js").Question} Question */
/**
 * A question's words in the form's language: `label` of an option, as the client takes it; `unit` of a number, or nothing;
 * of questions that are asked together each one's `items`, by id.
 * @typedef {{label: (option: any) => string, unit: string, items?: {[id: string]: Said}}} Said
 */

const MAX_LISTED = 12;

/** @param {Translate} t @param {any} answer @param {Item} question @param {Said} words @returns {string} */
export function sayAnswer(t, answer, question, words) {
  if (question.type === "joint") {
    return question.items
      .map((item) => sayAnswer(t, answer[item.id], item, words.items?.[item.id] ?? words))
      .join(", ");
  }
  if (answer === null) {
    return t("Skipped, which counts as “%(answer)s”", { answer: sayAnswer(t, question.skip, question, words) });
  }
  if (typeof answer === "boolean") return answer ? t("Yes") : t("No");
  if (typeof answer === "number") return measured(t.number(answer), words);
  if (Array.isArray(answer)) return answer.length > 0 ? listed(t, answer.map(words.label)) : t("None of them");
  return question.type === "one-of" ? words.label(answer) : answer;
}

/**
 * Return what is reported, in words: a line, and what opens from it where that is long.
 * @param {Translate} t @param {any} reported as `Draft.reported` has it @param {Question} question @param {Said} words
 * @returns {{line: string, more: string[]}}
 */
export function sayReported(t, reported, question, words) {
  if (typeof reported === "boolean") return { line: reported ? t("Yes") : t("No"), more: [] };
  if ("asked" in reported) return { line: sayAsked(t, reported, words), more: [] };
  if ("output" in reported) return { line: sayOutput(t, reported, question, words), more: [] };
  if (!Array.isArray(reported))
    return { line: t("A code that many different texts produce, not what you wrote"), more: [] };
  const options = reported.map(words.label);
  const { isSet } = /** @type {any} */ (question.mechanism);
  if (isSet && options.length === 1) return { line: options[0], more: [] };
  if (options.length === 0) return { line: t("No to all of them"), more: [] };
  if (options.length > MAX_LISTED) {
    const counted = { n: options.length, all: question.options.length };
    const line = isSet ? t("One of these %(n)s of %(all)s", counted) : t("Yes to %(n)s of %(all)s", counted);
    return { line, more: options };
  }
  const named = { options: listed(t, options) };
  return { line: isSet ? t("One of these: %(options)s", named) : t("Yes to: %(options)s", named), more: [] };
}

/**
 * Return how many others send by chance what is sent here, where that speaks for the answer; else nothing.
 * @param {Translate} t @param {any} answer @param {any} reported @param {Question} question @returns {string}
 */
export function sayComfort(t, answer, reported, question) {
  const given = question.type === "joint" ? optionOf(question, answer) : (answer ?? question.skip);
  if (question.type === "text" || !speaksFor(given, reported, question)) return "";
  const { ifTrue, ifOther } = supportOf(question.mechanism);
  if (given === false)
    return t("%(n)s of every %(people)s people who answer yes also send no.", ofPeople(rest(ifTrue)));
  const counted = ofPeople(ifOther);
  if (given === true) return t("%(n)s of every %(people)s people who answer no also send yes.", counted);
  if (question.type === "number")
    return t("%(n)s of every %(people)s people with a very different number also send one like this.", counted);
  if (question.type === "any-of")
    return t("%(n)s of every %(people)s people who don't choose an option also send it.", counted);
  return t("%(n)s of every %(people)s people with a different answer also send this.", counted);
}

/**
 * The words of questions that are asked together, of each one's: a combination's are those of its answers.
 * @param {Translate} t @param {Item} question @param {{[id: string]: Said}} items @returns {Said}
 */
export function joined(t, question, items) {
  const said = cellsOf(question, (item, answer) => sayAnswer(t, answer, item, items[item.id]));
  return { label: (option) => said[question.options.indexOf(option)], unit: "", items };
}

/** The option that answers to questions that are asked together are. */
function optionOf(/** @type {Item} */ question, /** @type {{[id: string]: any}} */ answers) {
  const isGiven = cellsOf(question, (item, answer) => String((answers[item.id] ?? item.skip) === answer));
  return question.options[isGiven.findIndex((each) => !each.includes("false"))];
}

/** What is said of every combination's answers, the last item's fastest, with commas between. */
function cellsOf(/** @type {Item} */ { items }, /** @type {(item: Item, answer: any) => string} */ say) {
  return items
    .map((item) => (item.type === "yes-no" ? [false, true] : item.options).map((answer) => say(item, answer)))
    .reduce(
      (cells, said) => cells.flatMap((cell) => said.map((each) => [...cell, each])),
      [[""]].map(() => /** @type {string[]} */ ([])),
    )
    .map((cell) => cell.join(", "));
}

function speaksFor(/** @type {any} */ given, /** @type {any} */ reported, /** @type {Question} */ question) {
  if (typeof reported === "boolean") return reported === given;
  if ("asked" in reported && Array.isArray(reported.yes))
    return given.some((/** @type {any} */ option) => reported.yes.includes(option));
  if ("asked" in reported) return reported.yes && given.includes(reported.asked);
  if (isEnd(reported, question)) return isNear(given, reported, question);
  if ("output" in reported) return reported.from <= given && given <= reported.to;
  return [given].flat().some((option) => reported.includes(option));
}

function sayAsked(/** @type {Translate} */ t, /** @type {any} */ { asked, yes }, /** @type {Said} */ words) {
  if (Array.isArray(asked)) return saySomeAsked(t, asked, yes, words);
  const option = words.label(asked);
  if (yes) return t("Yes to the one option that your device picked at random: %(option)s", { option });
  return t("No to the one option that your device picked at random: %(option)s", { option });
}

function saySomeAsked(
  /** @type {Translate} */ t,
  /** @type {any[]} */ asked,
  /** @type {any[]} */ yes,
  /** @type {Said} */ words,
) {
  const options = listed(t, (yes.length > 0 ? yes : asked).map(words.label));
  if (yes.length === 0) return t("No to the options that your device picked at random: %(options)s", { options });
  return t("Yes to these of the %(n)s options that your device picked at random: %(options)s", {
    n: asked.length,
    options,
  });
}

/** Whether a number's report is one of only two that there are: it says high or low, and no number. */
function isEnd(/** @type {any} */ reported, /** @type {{mechanism: any}} */ { mechanism }) {
  return "output" in reported && mechanism.levels === 2 && reported.from === reported.to;
}

/** Whether the end that is reported is not the farther one. */
function isNear(
  /** @type {number} */ given,
  /** @type {any} */ { output, from },
  /** @type {{range: any}} */ { range },
) {
  return Math.abs(given - from) <= Math.abs(given - Number(output === 0 ? range.maximum : range.minimum));
}

function sayOutput(
  /** @type {Translate} */ t,
  /** @type {any} */ reported,
  /** @type {Question} */ question,
  /** @type {Said} */ words,
) {
  const { output, from, to } = reported;
  if (isEnd(reported, question)) {
    if (output === 0) return t("“Low”: your device sends only “low” or “high”");
    return t("“High”: your device sends only “low” or “high”");
  }
  const ends = { from: t.number(from), to: t.number(to) };
  const numbers = measured(from === to ? ends.from : t("%(from)s to %(to)s", ends), words);
  return t("“Near %(numbers)s”, which may be wrong", { numbers });
}

function measured(/** @type {string} */ number, /** @type {Said} */ { unit }) {
  return unit ? `${number} ${unit}` : number;
}

function listed(/** @type {Translate} */ t, /** @type {string[]} */ words) {
  return new Intl.ListFormat(t.lang, { type: "unit", style: "short" }).format(words);
}

/** An exact epsilon in at most four decimals, rounded up: never less than is given away. */
export function sayEpsilon(/** @type {Translate} */ t, /** @type {string} */ exact) {
  const [below] = /** @type {RegExpExecArray} */ (/^\d+(\.\d{1,4})?/.exec(exact));
  return t.number((Math.round(Number(below) * 1e4) + Number(below !== exact)) / 1e4);
}
