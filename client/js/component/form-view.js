/** The questions, part by part: what was answered stands in their fields, and nowhere else. */

import { keepToItself } from "../src/fields.js";
import { button, make, paragraph } from "./dom.js";
import { QuestionView } from "./question-view.js";

/** @typedef {import("../form/words.js").Translate} Translate */
/** @typedef {import("../src/survey.js").Item} Item */
/** @typedef {import("../src/words.js").QuestionWords & {lang: string}} QuestionWords */
/** @typedef {{[id: string]: (string | boolean)[]}} State what stands in the fields, by question id */
/** @typedef {{title: HTMLElement | null, views: QuestionView[], element: HTMLElement}} Part what is shown at once */

export class FormView {
  #t;
  #onReview;
  #parts;
  #at = 0;
  #problems = keepToItself(
    make("div", { class: "problems", part: "problems", role: "group", tabindex: -1, hidden: true }),
  );
  #actions = make("div", { class: "actions" });

  /**
   * @param {Translate} t @param {import("../src/survey.js").Survey} survey @param {readonly Item[]} items that are asked
   * @param {(id: string) => QuestionWords} wordsOf @param {() => void} onReview what follows the last part
   */
  constructor(t, survey, items, wordsOf, onReview) {
    this.#t = t;
    this.#onReview = onReview;
    this.#parts = makeParts(t, survey, items, wordsOf);
    const elements = this.#parts.map(({ element }) => element);
    const form = make("form", { method: "dialog", autocomplete: "off", novalidate: true }, ...elements, this.#actions);
    form.addEventListener("submit", (event) => {
      event.preventDefault(); // by Enter, too
      this.#next();
    });
    this.element = make("div", {}, this.#problems, form);
    this.#show(0);
  }

  get #views() {
    return this.#parts.flatMap(({ views }) => views);
  }

  /** By question id what was answered, as the client takes it; null where it was left out. */
  get answers() {
    return Object.fromEntries(this.#views.map((view) => [view.question.id, view.answer]));
  }

  /** Whether anything stands in the fields. */
  get isAnswered() {
    return this.#views.some(({ state }) => state.some(Boolean));
  }

  /** What stands in the fields, and which part is shown: for the same questions in another language. */
  get state() {
    return { at: this.#at, fields: Object.fromEntries(this.#views.map((view) => [view.question.id, view.state])) };
  }

  set state({ at, fields }) {
    for (const view of this.#views) view.state = fields[view.question.id];
    this.#show(at);
  }

  /** Lead the reader to the questions that are shown. */
  focus() {
    const { title, views } = this.#parts[this.#at];
    if (title) title.focus();
    else views[0].focus();
  }

  /** Show what the client says of one question, in English. @param {string} id @param {string} words */
  refuse(id, words) {
    const found = /** @type {QuestionView} */ (this.#views.find(({ question }) => question.id === id));
    this.#show(this.#parts.findIndex(({ views }) => views.includes(found)));
    this.#tell([[found, words]], { lang: "en", dir: "ltr" });
  }

  /** Nothing that was answered stays in the page. */
  clear() {
    for (const view of this.#views) view.clear();
    this.#tell([]);
  }

  #next() {
    const wrong = this.#parts[this.#at].views.filter(({ problem }) => problem !== "");
    this.#tell(wrong.map((view) => [view, view.problem]));
    if (wrong.length > 0) return;
    if (this.#at === this.#parts.length - 1) this.#onReview();
    else this.#turn(this.#at + 1);
  }

  #turn(/** @type {number} */ at) {
    this.#tell([]);
    this.#show(at);
    this.focus();
  }

  #show(/** @type {number} */ at) {
    const t = this.#t;
    this.#at = at;
    this.#parts.forEach(({ element }, index) => element.toggleAttribute("hidden", index !== at));
    const isLast = at === this.#parts.length - 1;
    const words = isLast ? t("Review what will be sent") : t("Next");
    const next = make("button", { type: "submit", part: "button primary", class: "primary" }, words);
    const back = at > 0 ? [button(t("Back"), "back", () => this.#turn(at - 1))] : [];
    this.#actions.replaceChildren(next, ...back, paragraph("small", t("None of your answers has been sent yet.")));
  }

  /** Show these problems at their questions, and as a list of links that takes the focus; or that there is none. */
  #tell(/** @type {[QuestionView, string][]} */ wrong, tongue = {}) {
    for (const view of this.#views) view.tell("");
    for (const [view, words] of wrong) view.tell(words, tongue);
    const words = this.#t("There is a problem");
    const links = wrong.map(([view, problem]) => make("li", {}, this.#linkTo(view, problem, tongue)));
    this.#problems.replaceChildren(make("p", { class: "problems-title" }, words), make("ul", {}, ...links));
    this.#problems.setAttribute("aria-label", words);
    this.#problems.hidden = wrong.length === 0;
    if (wrong.length > 0) this.#problems.focus();
  }

  #linkTo(/** @type {QuestionView} */ view, /** @type {string} */ problem, tongue = {}) {
    const isOwn = Object.keys(tongue).length === 0;
    const words = isOwn ? this.#t("Question %(n)s: %(problem)s", { n: view.number, problem }) : problem;
    const link = make("a", { href: "#", ...tongue }, words);
    link.addEventListener("click", (event) => {
      event.preventDefault();
      view.focus();
    });
    return link;
  }
}

/** Each section that begins is a part of its own. @returns {Part[]} */
function makeParts(
  /** @type {Translate} */ t,
  /** @type {import("../src/survey.js").Survey} */ survey,
  /** @type {readonly Item[]} */ questions,
  /** @type {(id: string) => QuestionWords} */ wordsOf,
) {
  const starts = questions.map((_, index) => index).filter((index) => index === 0 || questions[index].section !== "");
  const all = starts.length;
  return starts.map((start, index) => {
    const asked = questions.slice(start, starts[index + 1]);
    const heading = all > 1 ? "h4" : "h3";
    const views = asked.map((each, place) => {
      const noisy = survey.questionOf(each, questions);
      return new QuestionView(t, each, noisy, wordsOf(each.id), start + place + 1, heading);
    });
    const counted = make("span", { class: "number" }, t("Part %(n)s of %(all)s", { n: index + 1, all }));
    const { section, lang } = wordsOf(asked[0].id);
    const about = { class: "section", part: "section-title", tabindex: -1 };
    const title = all > 1 ? make("h3", about, counted, " ", make("span", { dir: "auto", lang }, section)) : null;
    const element = make("div", { part: "part" }, ...(title ? [title] : []), ...views.map((view) => view.element));
    return { title, views, element };
  });
}
