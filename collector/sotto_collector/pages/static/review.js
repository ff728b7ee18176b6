// What will be sent, beside what was answered. It stands in the page while it is looked at, and no longer.

import { epsilonAbove } from "./words.js";

const MAX_LISTED = 12;

/** A number, or numbers, in their unit. */
const measured = (number, { range }) => (range.unit ? `${number} ${range.unit}` : String(number));

/** What was answered, in words. */
function sayAnswer(answer, question) {
  if (answer === null) return `left out, which counts as “${sayAnswer(question.skip, question)}”`;
  if (typeof answer === "number") return measured(answer, question);
  if (typeof answer === "boolean") return answer ? "yes" : "no";
  if (Array.isArray(answer)) return answer.length ? answer.join(", ") : "none of them";
  return answer;
}

/** What is reported, in words: [a line, and what opens from it where that is long]. */
function sayReported(reported, question) {
  if (typeof reported === "boolean") return [reported ? "yes" : "no", []];
  if ("asked" in reported) return [sayAsked(reported, question), []];
  if ("output" in reported) return [sayOutput(reported, question), []];
  if (!Array.isArray(reported)) return [sayText(reported, question), []];
  const all = question.options.length;
  const { isSet } = question.mechanism;
  if (isSet && reported.length === 1) return [reported[0], []];
  if (!reported.length) return [all === 1 ? "no" : `${isSet ? "a set without any of the" : "no to all"} ${all} options`, []];
  const few = reported.length <= MAX_LISTED;
  const line = `${isSet ? "a set of" : "yes to"} ${reported.length} of ${all} options`;
  return few ? [`${line}: ${reported.join(", ")}`, []] : [line, reported];
}

function sayAsked({ asked, yes }, { options }) {
  const others = options.length > 1 ? `; nothing of the other ${options.length - 1}` : "";
  return `${yes ? "yes" : "no"} to the one option that your device drew, ${asked}${others}`;
}

function sayOutput({ output, from, to }, question) {
  const numbers = from === to ? from : `${from} to ${to}`;
  const last = question.mechanism.nValues - 1;
  return `${output}, of 0 to ${last}; it is likeliest of numbers near ${measured(numbers, question)}`;
}

function sayText({ cohort, value, bits, gramBits = [] }, { mechanism }) {
  const group = mechanism.nCohorts > 1 ? `, from a device of group ${cohort + 1} of ${mechanism.nCohorts}` : "";
  if (value !== undefined) return `number ${value + 1} of ${mechanism.nValues}, which speaks for many texts${group}`;
  const pieces = gramBits.length ? `; of two pieces of it ${gramBits.map((ones) => ones.length).join(" and ")}` : "";
  return `${bits.length} of ${mechanism.nValues} bits are one${pieces}${group}`;
}

/** A cell, under its column's head and its question's. */
function cell(text, column, head) {
  const element = document.createElement("td");
  element.className = column;
  element.headers = `${head.id} column-${column}`;
  element.dir = "auto";
  element.textContent = text;
  return element;
}

function rows(question, answer, reported) {
  const body = document.createElement("tbody");
  const head = body.insertRow().appendChild(document.createElement("th"));
  head.id = `row-${question.id}`;
  head.colSpan = 2;
  head.scope = "rowgroup";
  head.dir = "auto";
  head.textContent = question.text;
  const [line, more] = sayReported(reported, question);
  const sent = cell(line, "sent", head);
  if (more.length) {
    const details = sent.appendChild(document.createElement("details"));
    details.appendChild(document.createElement("summary")).textContent = "which";
    details.append(more.join(", "));
  }
  body.insertRow().append(cell(sayAnswer(answer, question), "answered", head), sent);
  return body;
}

const table = () => document.querySelector("table.review");

/** Show a draft beside the answers that it was made of. */
export function showReview(survey, answers, draft) {
  clearReview();
  for (const question of survey.questions.filter(({ id }) => id in draft.reported)) {
    table().append(rows(question, answers[question.id], draft.reported[question.id]));
  }
  document.getElementById("epsilon").textContent = epsilonAbove(draft.epsilon);
  document.getElementById("body").textContent = draft.body;
}

/** Forget it: nothing true stays in the page. */
export function clearReview() {
  for (const body of [...table().tBodies]) body.remove();
  document.getElementById("body").textContent = "";
}
