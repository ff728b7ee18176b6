/** One question as it stands in the form: its control, what is wrong with the answer, and what was answered. */

import { controlOf } from "../form/controls.js";
import { judge, numberIn, textIn } from "../form/judge.js";
import { searchIn } from "../form/search.js";
import { keepToItself, mask } from "../src/fields.js";
import { make } from "./dom.js";
import { noiseOf } from "./protection.js";

/** @typedef {import("../form/words.js").Translate} Translate */
/** @typedef {import("../src/survey.js").Item} Item */
/** @typedef {import("../src/survey.js").Question} Question */
/** @typedef {import("../src/words.js").QuestionWords & {lang: string}} QuestionWords */

export class QuestionView {
  #t;
  #control;
  #lang;
  #error;
  /** @type {(HTMLInputElement | HTMLSelectElement)[]} */
  #fields = [];
  /** @type {import("../form/search.js").Search | null} */
  #search = null;

  /**
   * @param {Translate} t @param {Item} question @param {Question} noisy what a device changes it in @param {QuestionWords} words
   * @param {number} number from 1 @param {"h3" | "h4"} heading
   */
  constructor(t, question, noisy, words, number, heading) {
    this.#t = t;
    this.#control = controlOf(t, question, words);
    this.question = question;
    this.number = number;
    this.key = `q${number}`;
    this.#error = keepToItself(make("p", { id: `${this.key}-error`, class: "error", part: "error", hidden: true }));
    this.#lang = words.lang;
    this.element = this.#make(words.text, noisy, heading);
    this.element.addEventListener("change", () => this.#recheck());
  }

  /** What the client takes as the answer; null where it was left out. */
  get answer() {
    const { field, choices } = this.#control;
    const [first] = this.#fields;
    if (field === "line") return textIn(first.value);
    if (field === "number") return numberIn(first.value, this.question.range);
    if (field === "list") return first.value === "" ? null : choices[Number(first.value)].answer;
    const chosen = choices.filter((_, index) => /** @type {HTMLInputElement} */ (this.#fields[index]).checked);
    const answers = chosen.map(({ answer }) => answer);
    return field === "boxes" ? answers : (answers[0] ?? null);
  }

  /** What stands in the fields, as it stands there: it can be put into another view of the same question. */
  get state() {
    return this.#fields.map((field) => (isBox(field) ? field.checked : field.value));
  }

  set state(kept) {
    this.#fields.forEach((field, index) => put(field, kept[index]));
  }

  /** What is wrong with the answer, in words; nothing where it is good. */
  get problem() {
    const { field, most, skip, expected } = this.#control;
    return judge(this.#t, { field, most, mayBeLeftOut: skip !== null, expected }, this.answer);
  }

  /** Say what is wrong at the question, or that nothing is; `tongue`: in which language, where it is another. @param {string} words */
  tell(words, tongue = {}) {
    this.#error.replaceChildren(make("span", tongue, words));
    this.#error.hidden = words === "";
    this.element.classList.toggle("wrong", words !== "");
    for (const field of this.#fields) {
      if (!isBox(field)) field.toggleAttribute("aria-invalid", false);
      if (!isBox(field) && words !== "") field.setAttribute("aria-invalid", "true");
    }
  }

  /** Of what the survey's author has written. */
  get #spoken() {
    return { dir: "auto", lang: this.#lang };
  }

  focus() {
    this.#fields[0].focus();
  }

  /** Nothing that was answered stays in it. */
  clear() {
    this.state = this.#fields.map((field) => (isBox(field) ? false : ""));
    this.#search?.clear();
    this.tell("");
  }

  /** An error that is mended goes at once; a new one waits, but for too many boxes. */
  #recheck() {
    const words = this.problem;
    if (words === "" || this.#control.field === "boxes") this.tell(words);
  }

  #make(/** @type {string} */ text, /** @type {Question} */ noisy, /** @type {"h3" | "h4"} */ heading) {
    const { field, hint } = this.#control;
    const isGroup = field === "radios" || field === "boxes";
    const head = [
      make("span", { class: "number", part: "number" }, String(this.number)),
      " ",
      make("span", { class: "asked", ...this.#spoken }, text),
    ];
    const title = make(heading, { part: "question-title" });
    title.append(...(isGroup ? head : [make("label", { for: `${this.key}-1` }, ...head)]));
    const described = { "aria-describedby": `${this.key}-hint ${this.key}-error` };
    const about = { class: "question", part: "question", "data-question": this.question.id };
    const box = make(isGroup ? "fieldset" : "div", isGroup ? { ...about, ...described } : about);
    box.append(
      isGroup ? make("legend", {}, title) : title,
      make("p", { id: `${this.key}-hint`, class: "hint", part: "hint" }, hint),
      this.#error,
      isGroup ? this.#choices() : this.#field(described),
      noiseOf(this.#t, noisy),
    );
    return box;
  }

  #choices() {
    const { field, choices } = this.#control;
    const type = field === "boxes" ? "checkbox" : "radio";
    const rows = choices.map(({ label }, index) => {
      const id = `${this.key}-${index + 1}`;
      const about = { type, id, name: this.key, value: String(index), autocomplete: "off" };
      const input = keepToItself(make("input", about));
      this.#fields.push(input);
      return mask(make("label", { class: "choice", part: "choice" }, input, " ", make("span", this.#spoken, label)));
    });
    return this.#searchable(make("div", { class: this.question.scale ? "choices scale" : "choices" }, ...rows));
  }

  #field(/** @type {{[name: string]: string}} */ described) {
    const { field, choices, skip } = this.#control;
    const common = { id: `${this.key}-1`, autocomplete: "off", part: "field", ...described };
    if (field === "list") {
      const first = make("option", { value: "" }, skip === null ? this.#t("Choose one") : this.#t("Skipped"));
      const others = choices.map(({ label }, index) => make("option", { value: index, ...this.#spoken }, label));
      const list = keepToItself(make("select", common, first, ...others));
      this.#fields.push(list);
      return this.#searchable(list);
    }
    const inputmode = field === "number" && this.#keyboard;
    const about = { ...common, type: "text", dir: field === "line" ? "auto" : "ltr", inputmode };
    const input = keepToItself(make("input", about));
    this.#fields.push(input);
    const { unit } = this.#control;
    return unit
      ? make("span", { class: "measured" }, input, " ", make("span", { class: "unit", ...this.#spoken }, unit))
      : input;
  }

  /** The options, below what searches them where they are many. */
  #searchable(/** @type {HTMLElement} */ options) {
    this.#search = searchIn(this.#t, options, this.key);
    if (this.#search) this.#search.element.part.add("search");
    return make("div", {}, ...(this.#search ? [this.#search.element] : []), options);
  }

  /** What a phone shows for a number: few have a sign on these. */
  get #keyboard() {
    const { low, scale } = this.question.range;
    return low >= 0 && (scale === 1 ? "numeric" : "decimal");
  }
}

/** @returns {field is HTMLInputElement} whether it is chosen, not filled in */
function isBox(/** @type {HTMLInputElement | HTMLSelectElement} */ field) {
  return field.type === "radio" || field.type === "checkbox";
}

function put(/** @type {HTMLInputElement | HTMLSelectElement} */ field, /** @type {boolean | string} */ kept) {
  if (isBox(field)) field.checked = Boolean(kept);
  else field.value = String(kept);
}
