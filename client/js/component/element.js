/** `<sotto-survey>`: a survey on anybody's page, asked by that page's own program. See docs/embedding.md. */

import { explain, misused, takenOff } from "../form/faults.js";
import { makeWords } from "../form/words.js";
import { keepToItself } from "../src/fields.js";
import { button, make } from "./dom.js";
import { chooseLanguage, directionOf, loadWords, nameOf } from "./languages.js";
import { aboutOf, protectionOf } from "./protection.js";
import { ATTRIBUTES, readSettings } from "./settings.js";
import { adoptStyle } from "./style.js";
import { Visit } from "./visit.js";

/** @typedef {import("../src/survey.js").Survey} Survey */
/** @typedef {import("../form/faults.js").Fault} Fault */
/** @typedef {import("../form/words.js").Translate} Translate */

let nOpen = 0; // elements on the page

/** Where there is no page, as on a server that renders one, the class can be imported all the same. */
const Base = /** @type {typeof HTMLElement} */ (globalThis.HTMLElement ?? class {});

export class SottoSurvey extends Base {
  static observedAttributes = [...ATTRIBUTES, "lang", "words"];
  /** Where its words are, unless the attribute `words` names a folder. @type {import("./languages.js").Words} */
  static words = "";

  #t = makeWords();
  #lang = "";
  #missing = ""; // in English, which words could not be loaded
  /** @type {Survey | null} */
  #survey = null;
  /** @type {Visit | null} */
  #visit = null;
  #isOpen = false;
  /** @type {[say?: (t: Translate) => Fault, again?: () => void]} what went wrong */
  #fault = [];
  #isWaiting = false;
  #wasAnswered = false; // when it was taken off the page
  #root = this.attachShadow({ mode: "open" });
  #head = make("header", { part: "header" });
  #alert = make("div", { role: "alert", class: "alert", part: "alert" });
  #place = make("div", { class: "stage" });
  #body = make("div", { class: "survey", part: "survey" }, this.#head, this.#alert, this.#place);
  #leave = () => this.#end();
  #comeBack = (/** @type {PageTransitionEvent} */ { persisted }) => persisted && this.#begin();

  /** The browser calls it when the element is put into a page: the survey is fetched and asked. */
  connectedCallback() {
    if (this.#isOpen) return; // it was moved, and keeps all that it has
    adoptStyle(this.#root);
    this.#root.replaceChildren(this.#body);
    addEventListener("pagehide", this.#leave);
    addEventListener("pageshow", this.#comeBack);
    this.#isOpen = true;
    nOpen++;
    this.#begin();
  }

  /** By `moveBefore`: it is where it was, and nothing ends. */
  connectedMoveCallback() {}

  /** What is put elsewhere at once was moved; what is not there by then has left the page. */
  disconnectedCallback() {
    queueMicrotask(() => this.isConnected || this.#leavePage());
  }

  #leavePage() {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#wasAnswered = this.#visit?.isAnswered ?? false;
    nOpen--;
    removeEventListener("pagehide", this.#leave);
    removeEventListener("pageshow", this.#comeBack);
    this.#end();
  }

  /**
   * The browser calls it when an attribute changes: what is shown follows.
   * @param {string} name @param {string | null} before @param {string | null} now
   */
  attributeChangedCallback(name, before, now) {
    if (before === now || !this.#isOpen || this.#isWaiting) return;
    if (name === "lang" && this.#survey) return void this.#speak(this.#choose(this.#survey.languages));
    this.#isWaiting = true; // several attributes may change at once
    queueMicrotask(() => {
      this.#isWaiting = false;
      if (this.#isOpen) this.#begin();
    });
  }

  #begin() {
    this.#end();
    const element = this;
    /** @type {import("./visit.js").Stage} */
    const stage = {
      get t() {
        return element.#t;
      },
      announce: (survey) => this.#announce(survey),
      wordsOf: (id) => ({ lang: this.#lang, ...this.#words.questions[id] }),
      show: (...elements) => this.#place.replaceChildren(...elements),
      alarm: (...fault) => this.#alarm(...fault),
      isAlone: () => nOpen === 1,
      emit: (name, detail) => this.#emit(name, detail),
    };
    try {
      this.#visit = new Visit(stage, readSettings(this));
    } catch (fault) {
      const { name, message } = /** @type {Error} */ (fault);
      const said = { survey: this.getAttribute("survey") ?? "", name, message };
      queueMicrotask(() => this.#emit("sotto-error", said)); // whoever puts the element into the page can listen first
      const isBrowsers = name === "StateError"; // it lacks what the client needs
      const say = (/** @type {Translate} */ t) =>
        isBrowsers ? { ...explain(t, fault), said: message, mayPass: false } : misused(t, message);
      return this.#alarm(say);
    }
    void this.#visit.open();
  }

  #end() {
    this.#visit?.end();
    this.#visit = null;
    this.#survey = null;
    this.#head.replaceChildren();
    this.#alarm();
  }

  get #words() {
    return /** @type {Survey} */ (this.#survey).words(this.#lang);
  }

  /** Take the survey's language and title onto the page. */
  async #announce(/** @type {Survey} */ survey) {
    this.#survey = survey;
    await this.#speak(this.#choose(survey.languages));
    if (this.#wasAnswered) this.#alarm(takenOff);
    this.#wasAnswered = false;
  }

  #choose(/** @type {readonly string[]} */ offered) {
    const around = this.closest("[lang]")?.getAttribute("lang");
    return chooseLanguage([...(around ? [around] : []), ...navigator.languages], offered);
  }

  /** Say everything in one of the survey's languages. */
  async #speak(/** @type {string} */ lang) {
    this.#lang = lang;
    const { t, missing } = await loadWords(lang, this.getAttribute("words") || SottoSurvey.words);
    if (this.#lang !== lang || this.#survey === null) return;
    this.#t = t;
    this.#missing = missing;
    if (missing) this.#emit("sotto-error", { survey: this.#survey.id, name: "WordsMissing", message: missing });
    this.#body.lang = t.lang;
    this.#body.dir = directionOf(t.lang);
    this.#head.replaceChildren(...this.#introduce(this.#survey));
    this.#alarm(...this.#fault);
    this.#visit?.translate();
  }

  #introduce(/** @type {Survey} */ survey) {
    const { lang, title, introduction } = this.#words;
    const { collector, wave, options } = readSettings(this);
    const said = introduction ? [make("p", { part: "introduction", dir: "auto", lang }, introduction)] : [];
    return [
      ...this.#chooser(survey.languages),
      ...this.#complaint(),
      make("h2", { class: "title", part: "title", dir: "auto", lang }, title),
      ...aboutOf(this.#t, survey, this.#words, wave),
      ...said,
      ...protectionOf(this.#t, survey, collector, options.resendDays),
    ];
  }

  /** That the words in the survey's language are missing, and a button that looks for them again. */
  #complaint() {
    if (!this.#missing) return [];
    const words = this.#t("Buttons and hints couldn't be loaded in this language: %(language)s.", {
      language: nameOf(this.#lang),
    });
    const again = button(this.#t("Try again"), "again", () => this.#speak(this.#lang));
    return [make("p", { class: "notice", part: "notice", role: "status" }, words, " ", again)];
  }

  #chooser(/** @type {readonly string[]} */ languages) {
    if (languages.length < 2) return [];
    const choices = languages.map((tag) =>
      make("option", { value: tag, lang: tag, selected: tag === this.#lang }, nameOf(tag)),
    );
    const list = keepToItself(make("select", { autocomplete: "off", part: "field" }, ...choices));
    list.addEventListener("change", () => this.#speak(list.value));
    return [make("label", { class: "chooser", part: "chooser" }, this.#t("Language"), " ", list)];
  }

  /** @param {[say?: (t: Translate) => Fault, again?: () => void]} given nothing: nothing went wrong */
  #alarm(...given) {
    this.#fault = given;
    const [say, again = () => undefined] = given;
    if (say === undefined) return this.#alert.replaceChildren();
    const fault = say(this.#t);
    const retry = fault.mayPass ? [button(this.#t("Try again"), "again", again)] : [];
    const said = fault.said ? [make("p", { class: "small", lang: "en", dir: "ltr" }, fault.said)] : [];
    this.#alert.replaceChildren(make("strong", {}, fault.title), make("p", {}, fault.text), ...retry, ...said);
  }

  #emit(/** @type {string} */ name, /** @type {object} */ detail) {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
  }
}
