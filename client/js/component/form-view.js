/** The questions, page by page: what was answered stands in their fields, and nowhere else. */

import { button, make, paragraph } from "./dom.js";
import { QuestionView } from "./question-view.js";

/** @typedef {import("../form/words.js").Translate} Translate */
/** @typedef {import("../src/survey.js").Question} Question */
/** @typedef {import("../form/controls.js").QuestionWords} QuestionWords */
/** @typedef {{[id: string]: (string | boolean)[]}} State what stands in the fields, by question id */

export class FormView {
  #t;
  /** @type {QuestionView[][]} */
  #pages;
  #page = 0;
  #progress;
  #problems;
  #onReview;
  #form;
  #actions;

  /**
   * @param {Translate} t @param {readonly Question[]} questions that are asked @param {(id: string) => QuestionWords} wordsOf
   * @param {() => void} onReview what follows the last page
   */
  constructor(t, questions, wordsOf, onReview) {
    this.#t = t;
    this.#onReview = onReview;
    const views = questions.map(
      (question, index) => new QuestionView(t, question, wordsOf(question.id), index + 1, questions.length),
    );
    this.#pages = pagesOf(views, ({ question }) => wordsOf(question.id).section);
    this.#progress = make("p", { class: "progress", part: "progress", tabindex: -1 });
    this.#problems = make("div", { class: "problems", part: "problems", role: "group", tabindex: -1, hidden: true });
    this.#actions = make("div", { class: "actions" });
    const pages = this.#pages.map((page) => this.#makePage(page, wordsOf));
    this.#form = make("form", { method: "dialog", autocomplete: "off", novalidate: true }, ...pages, this.#actions);
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault(); // by Enter: to what the button does
      this.#next();
    });
    this.element = make("div", {}, this.#progress, this.#problems, this.#form);
    this.#show(0);
  }

  get #views() {
    return this.#pages.flat();
  }

  /** By question id what was answered, as the client takes it; null where it was left out. */
  get answers() {
    return Object.fromEntries(this.#views.map((view) => [view.question.id, view.answer]));
  }

  /** What stands in the fields: for the same questions in another language. @returns {State} */
  get state() {
    return Object.fromEntries(this.#views.map((view) => [view.question.id, view.state]));
  }

  set state(kept) {
    for (const view of this.#views) view.state = kept[view.question.id] ?? view.state;
  }

  get page() {
    return this.#page;
  }

  set page(page) {
    this.#show(Math.min(page, this.#pages.length - 1));
  }

  /** Lead the reader to the first of the questions that are shown. */
  focus() {
    this.#pages[this.#page][0].focus();
  }

  /** Show what the client says of one question. @param {string} id @param {string} words */
  refuse(id, words) {
    const page = this.#pages.findIndex((views) => views.some(({ question }) => question.id === id));
    this.#show(Math.max(page, 0));
    this.#tell([[/** @type {QuestionView} */ (this.#views.find(({ question }) => question.id === id)), words]]);
  }

  /** Nothing that was answered stays in the page. */
  clear() {
    for (const view of this.#views) view.clear();
    this.#tell([]);
    this.#show(0);
  }

  #next() {
    const wrong = this.#pages[this.#page].filter(({ problem }) => problem !== "");
    this.#tell(wrong.map((view) => [view, view.problem]));
    if (wrong.length > 0) return;
    if (this.#page === this.#pages.length - 1) return this.#onReview();
    this.#turn(this.#page + 1);
  }

  #turn(/** @type {number} */ page) {
    this.#tell([]);
    this.#show(page);
    this.#progress.focus(); // the reader begins at the top of the page
  }

  #show(/** @type {number} */ page) {
    const t = this.#t;
    this.#page = page;
    [...this.#form.querySelectorAll(".page")].forEach((each, index) => each.toggleAttribute("hidden", index !== page));
    const [n, all] = [page + 1, this.#pages.length];
    this.#progress.textContent = all > 1 ? t("Page %(n)s of %(all)s", { n, all }) : "";
    this.#progress.hidden = all === 1;
    const isLast = n === all;
    const words = isLast ? t("Review what will be sent") : t("Next");
    const next = make("button", { type: "submit", part: "button primary", class: "primary" }, words);
    const back = page > 0 ? [button(t("Back"), "back", () => this.#turn(page - 1))] : [];
    this.#actions.replaceChildren(next, ...back, ...(isLast ? [paragraph("small", t("Nothing is sent yet."))] : []));
  }

  /** Show these problems at their questions, and as a list of links that takes the focus; or that there is none. */
  #tell(/** @type {[QuestionView, string][]} */ wrong) {
    for (const view of this.#views) view.tell("");
    for (const [view, words] of wrong) view.tell(words);
    const title = make("p", { class: "problems-title" }, this.#t("There is a problem"));
    const links = wrong.map(([view, words]) => make("li", {}, this.#linkTo(view, words)));
    this.#problems.replaceChildren(title, make("ul", {}, ...links));
    this.#problems.setAttribute("aria-label", title.textContent ?? "");
    this.#problems.hidden = wrong.length === 0;
    if (wrong.length > 0) this.#problems.focus();
  }

  #linkTo(/** @type {QuestionView} */ view, /** @type {string} */ problem) {
    const words = this.#t("Question %(n)s: %(problem)s", { n: view.number, problem });
    const link = make("a", { href: "#" }, words);
    link.addEventListener("click", (event) => {
      event.preventDefault();
      view.focus();
    });
    return link;
  }

  #makePage(/** @type {QuestionView[]} */ views, /** @type {(id: string) => QuestionWords} */ wordsOf) {
    const { section } = wordsOf(views[0].question.id);
    const title = section ? [make("h3", { class: "section", part: "section-title", dir: "auto" }, section)] : [];
    return make("div", { class: "page", part: "page" }, ...title, ...views.map(({ element }) => element));
  }
}

/** Return the views page by page: each section that begins is a page of its own. @returns {QuestionView[][]} */
function pagesOf(
  /** @type {QuestionView[]} */ views,
  /** @type {(view: QuestionView) => string | undefined} */ sectionOf,
) {
  /** @type {QuestionView[][]} */
  const pages = [];
  for (const view of views) {
    if (pages.length === 0 || sectionOf(view)) pages.push([]);
    pages[pages.length - 1].push(view);
  }
  return pages;
}
