// The questions as they stand on the page: what was answered, and what is wrong with it.

import { searchIn } from "../js/form/search.js";
import { judge, numberIn, textIn } from "../js/form/judge.js";
import { t } from "./language.js";

/** Let an element show a text, or nothing. */
export function say(id, text) {
  const element = document.getElementById(id);
  element.textContent = text;
  element.hidden = !text;
}

/** What can be picked of a question: a box, a radio button, an option of a list. */
const choicesOf = (question) => [...question.querySelectorAll("[type=radio], [type=checkbox], option:not([value=''])")];

/** The answer that a choice stands for, as the client takes it: the same in every language. */
const meaningOf = (choice) => JSON.parse(choice.value);

/** Where an answer is written, of a text or a number. */
const lineOf = (question) => question.querySelector("[type=text]");

/** What the numbers may be, by the element of their question. */
const ranges = new WeakMap();

/** What was answered to one question: as the client takes it, null where it was left out. */
function read(question) {
  const chosen = () => [...question.querySelectorAll("input:checked, select option:checked:not([value=''])")];
  switch (question.dataset.field) {
    case "boxes":
      return chosen().map(meaningOf);
    case "number":
      return numberIn(lineOf(question).value, ranges.get(question));
    case "line":
      return textIn(lineOf(question).value);
    default:
      return chosen().map(meaningOf)[0] ?? null;
  }
}

/** What is wrong with an answer, in words; nothing where it is good. */
function check(question) {
  const { field, most, skip, expected } = question.dataset;
  return judge(t, { field, most: Number(most), mayBeLeftOut: skip !== undefined, expected }, read(question));
}

/** Whether a question was answered, and not passed over. */
function isAnswered(question) {
  const answer = read(question);
  return answer !== null && (!Array.isArray(answer) || answer.length > 0);
}

/** The questions of the page. Their values are read when they are asked for, and kept nowhere else. */
export class Form {
  #choices = new Map(); // by question, those that a search leaves out as well
  #searches = [];
  #title = document.title;

  constructor() {
    this.fields = document.getElementById("fields");
    this.questions = [...this.fields.querySelectorAll("[data-question]")];
    for (const question of this.questions) {
      question.addEventListener("change", () => this.#recheck(question));
      this.#choices.set(question, choicesOf(question));
      const options = question.querySelector("select, .choices");
      const search = options && searchIn(t, options, question.id);
      if (!search) continue;
      options.before(search.element);
      this.#searches.push(search);
    }
  }

  /** Ask these questions alone, by their ids: where a survey draws some, the others leave the page. */
  ask(ids) {
    const isAsked = (question) => ids.includes(question.dataset.question);
    for (const question of this.questions.filter((each) => !isAsked(each))) question.remove();
    this.questions = this.questions.filter(isAsked);
    for (const [index, question] of this.questions.entries()) {
      question.querySelector(".number").textContent = t.number(index + 1);
      question.hidden = false;
    }
  }

  /** Read numbers as this survey takes them. */
  know(survey) {
    const rangeOf = (asked) => survey.items.find(({ id }) => id === asked).range;
    for (const question of this.questions) ranges.set(question, rangeOf(question.dataset.question));
  }

  enable() {
    this.fields.disabled = false;
  }

  /** How many of the questions are answered. */
  get nAnswered() {
    return this.questions.filter(isAnswered).length;
  }

  /** By question id what was answered; null where it was left out. */
  answers() {
    return Object.fromEntries(this.questions.map((question) => [question.dataset.question, read(question)]));
  }

  /** What is chosen, and what is typed as it stands there, by question id: for the page in another language. */
  kept() {
    return Object.fromEntries(this.questions.map((each) => [each.dataset.question, lineOf(each)?.value ?? read(each)]));
  }

  /** Fill in what was kept: choices have the same values in all languages. */
  fill(answers) {
    for (const question of this.questions) {
      const answer = answers[question.dataset.question] ?? null;
      for (const choice of choicesOf(question).filter((each) => [answer].flat().includes(meaningOf(each)))) {
        choice[choice.matches("option") ? "selected" : "checked"] = true;
      }
      if (lineOf(question)) lineOf(question).value = answer ?? "";
    }
  }

  /** A question's words on the page, by its id: its text and language, the label of an option, the unit of its numbers. */
  wordsOf(questionId) {
    const question = this.questions.find(({ dataset }) => dataset.question === questionId);
    const wordsOn = (choice) => (choice.label || choice.parentElement.textContent).trim();
    const labels = new Map(this.#choices.get(question).map((choice) => [meaningOf(choice), wordsOn(choice)]));
    const { textContent: text, lang, dir } = question.querySelector(".asked");
    return {
      ...{ text, lang, dir },
      label: (option) => labels.get(option),
      unit: question.querySelector(".unit")?.textContent ?? "",
    };
  }

  /**
   * What is wrong in a part of the page, or in all of it, as [id of the first field, id of the error's element, words,
   * their language where it is another than the page's], in the order of the page.
   */
  problems(part = this.fields) {
    return this.questions
      .filter((question) => part.contains(question))
      .map((question) => [`${question.id}-1`, `${question.id}-error`, check(question)])
      .filter(([, , words]) => words);
  }

  /** The same for what the client says of one question, by its id, in English. */
  problemOf(questionId, words) {
    const { id } = this.questions.find((question) => question.dataset.question === questionId);
    return [`${id}-1`, `${id}-error`, words, { lang: "en", dir: "ltr" }];
  }

  /** Show these problems at their fields, and as a list of links that takes the focus. None: show that there is none. */
  show(problems) {
    for (const error of this.fields.querySelectorAll(".error")) {
      say(error.id, "");
      for (const name of ["lang", "dir"]) error.removeAttribute(name);
    }
    for (const field of this.fields.querySelectorAll("[aria-invalid]")) field.removeAttribute("aria-invalid");
    const list = document.getElementById("problems-list");
    list.replaceChildren(...problems.map(([field, , words, tongue]) => this.#link(field, words, tongue)));
    for (const [fieldId, error, words, tongue] of problems) {
      say(error, words);
      Object.assign(document.getElementById(error), tongue);
      const field = document.getElementById(fieldId);
      if (field.matches("select, [type=text]")) field.setAttribute("aria-invalid", "true");
    }
    const summary = document.getElementById("problems");
    summary.hidden = !problems.length;
    document.title = problems.length ? t("Error: %(title)s", { title: this.#title }) : this.#title;
    if (problems.length) summary.focus();
  }

  /** Forget what was answered: nothing true stays in the page. */
  clear() {
    for (const input of this.fields.querySelectorAll("input")) {
      input.checked = false;
      if (input.type === "text") input.value = "";
    }
    for (const select of this.fields.querySelectorAll("select")) select.selectedIndex = 0;
    for (const search of this.#searches) search.clear();
    this.show([]);
  }

  /** An error that is mended goes at once; a new one waits for the review, but for too many boxes. */
  #recheck(question) {
    const words = check(question);
    const error = `${question.id}-error`;
    if (!words || question.dataset.field === "boxes") say(error, words);
    if (!words) document.getElementById(`${question.id}-1`).removeAttribute("aria-invalid");
  }

  #link(fieldId, words, tongue) {
    const item = document.createElement("li");
    const link = Object.assign(item.appendChild(document.createElement("a")), tongue);
    const number = document.getElementById(fieldId).closest(".question").querySelector(".number");
    link.href = `#${fieldId}`;
    link.textContent =
      number && !tongue ? t("Question %(n)s: %(problem)s", { n: number.textContent, problem: words }) : words;
    link.addEventListener("click", (event) => {
      event.preventDefault();
      document.getElementById(fieldId).focus();
    });
    return item;
  }
}
