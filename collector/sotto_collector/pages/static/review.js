// What will be sent, beside what was answered. It stands in the page while it is looked at, and no longer.

import { joined, sayAnswer, sayComfort, sayEpsilon, sayReported } from "../js/form/said.js";
import { t } from "./language.js";

/** A cell, under its column's head and its question's. */
function cell(text, column, head) {
  const element = document.createElement("td");
  element.className = column;
  element.headers = `${head.id} column-${column}`;
  element.appendChild(document.createElement("bdi")).textContent = text; // it runs as it begins, and the table as the page
  return element;
}

/** A row of one cell, or nothing where there is nothing to say. */
function line(text, head) {
  if (!text) return [];
  const row = document.createElement("tr");
  const said = row.appendChild(document.createElement("td"));
  Object.assign(said, { className: "comfort", colSpan: 2, headers: head.id, textContent: text });
  return [row];
}

function rows(question, words, answer, reported) {
  const body = document.createElement("tbody");
  const head = body.insertRow().appendChild(document.createElement("th"));
  Object.assign(head, { id: `row-${question.id}`, colSpan: 2, scope: "rowgroup", textContent: words.text });
  Object.assign(head, { lang: words.lang, dir: words.dir });
  const { line: shown, more } = sayReported(t, reported, question, words);
  const sent = cell(shown, "sent", head);
  if (more.length) {
    const details = sent.appendChild(document.createElement("details"));
    details.appendChild(document.createElement("summary")).textContent = t("Which");
    details.append(more.join(", "));
  }
  body.insertRow().append(cell(sayAnswer(t, answer, question, words), "answered", head), sent);
  body.append(...line(sayComfort(t, answer, reported, question), head));
  return body;
}

/** A question's words: of questions that are asked together those of each. */
function wordsOf(question, form) {
  const items = question.items.map((item) => [item.id, form.wordsOf(item.id)]);
  const [[, first]] = items;
  if (question.type !== "joint") return first;
  const text = items.map(([, words]) => words.text).join(" ");
  return { text, lang: first.lang, dir: first.dir, ...joined(t, question, Object.fromEntries(items)) };
}

const table = () => document.querySelector("table.review");

/** Show a draft beside the answers that it was made of. */
export function showReview(survey, form, answers, draft) {
  clearReview();
  for (const question of survey.questions.filter(({ id }) => id in draft.reported)) {
    const answer = question.answerIn(answers);
    table().append(rows(question, wordsOf(question, form), answer, draft.reported[question.id]));
  }
  document.getElementById("epsilon").textContent = sayEpsilon(t, draft.epsilon);
  document.getElementById("body").textContent = draft.body;
}

/** Forget it: nothing true stays in the page. */
export function clearReview() {
  for (const body of [...table().tBodies]) body.remove();
  document.getElementById("body").textContent = "";
}
