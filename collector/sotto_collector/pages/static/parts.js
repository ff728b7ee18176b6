// The parts of a survey, one shown at a time, and how far one has come. A survey without sections is one part.

import { t } from "./language.js";

const find = (id) => document.getElementById(id);

/** The parts, and the buttons between them. */
export class Parts {
  #form;
  #parts;
  #index = 0;

  constructor(form) {
    this.#form = form;
    this.#parts = [...document.querySelectorAll(".part")];
    form.fields.addEventListener("input", () => this.#sayHowFar());
  }

  /** Begin: parts of which no question is asked leave the page. */
  begin() {
    for (const part of this.#parts.filter((each) => !each.querySelector("[data-question]"))) part.remove();
    this.#parts = this.#parts.filter((part) => part.isConnected);
    const all = this.#parts.length;
    for (const [index, part] of this.#parts.entries()) {
      const number = part.querySelector(".section .number");
      if (number) number.textContent = t("Part %(n)s of %(all)s", { n: index + 1, all });
    }
    find("progress").hidden = false;
    this.show(0);
  }

  get index() {
    return this.#index;
  }

  get current() {
    return this.#parts[this.#index];
  }

  /** Show a part, and how far one has come. What introduces the survey stands above the first alone. */
  show(index) {
    this.#index = Math.min(index, this.#parts.length - 1);
    const isLast = this.#index === this.#parts.length - 1;
    for (const [other, part] of this.#parts.entries()) part.hidden = other !== this.#index;
    for (const first of document.querySelectorAll("[data-first]")) first.hidden = this.#index > 0;
    find("back-button").hidden = this.#index === 0;
    find("next-button").hidden = isLast;
    find("review-button").hidden = !isLast;
    this.#sayHowFar();
  }

  /** Show the part that a field stands in, wherever that is. */
  showFieldOf(id) {
    const index = this.#parts.findIndex((part) => part.contains(find(id)));
    if (index >= 0 && index !== this.#index) this.show(index);
  }

  /** Lead a reader to the head of what is shown. */
  focus() {
    const title = this.#index > 0 ? this.current.querySelector(".section") : find("title");
    title.focus();
    if (this.#index > 0) title.scrollIntoView();
  }

  #sayHowFar() {
    const [n, all] = [this.#form.nAnswered, this.#form.questions.length];
    const bar = find("progress").querySelector("progress");
    bar.max = all;
    bar.value = n;
    find("progressed").textContent = t("%(n)s of %(all)s answered", { n, all });
  }
}
