/** Asks for an invitation, where none came, or one that cannot be used. */

import { keepToItself } from "../src/fields.js";
import { make } from "./dom.js";

/** @typedef {import("../form/words.js").Translate} Translate */
/** @typedef {import("../src/survey.js").Survey["blind"]} Blind */

export class InvitationView {
  #field = keepToItself(
    make("input", {
      id: "invitation",
      maxlength: 200,
      type: "text",
      part: "field",
      autocomplete: "off",
      "aria-describedby": "invitation-hint invitation-error",
    }),
  );
  #given;
  #state;
  #blind;

  /**
   * @param {Translate} t @param {string} given what came @param {string} state what the collector says of it
   * @param {(typed: string) => void} take @param {Blind} [blind]
   */
  constructor(t, given, state, take, blind) {
    this.#blind = blind;
    this.#given = given;
    this.#state = state;
    if (given !== "") this.#field.setAttribute("aria-invalid", "true");
    const form = { method: "dialog", autocomplete: "off", novalidate: true, class: "question", part: "question" };
    this.element = make("form", form);
    this.element.addEventListener("submit", (event) => {
      event.preventDefault();
      take(this.#field.value.trim());
    });
    this.translate(t);
  }

  /** Say all of it in these words; what is typed stays. */
  translate(/** @type {Translate} */ t) {
    const error = { id: "invitation-error", class: "error", part: "error", hidden: this.#given === "" };
    const hint =
      this.#blind?.sayTraded(t) ??
      t(
        "It has 26 letters and digits, and lets you answer. This page sends it now for a check, and later with your " +
          "report.",
      );
    const go = make("button", { type: "submit", part: "button primary", class: "primary" }, t("Next"));
    this.element.replaceChildren(
      make("h3", { part: "question-title" }, make("label", { for: "invitation" }, t("Your invitation"))),
      make("p", { id: "invitation-hint", class: "hint", part: "hint" }, hint),
      make("p", error, sayState(t, this.#state)),
      this.#field,
      make("div", { class: "actions" }, go),
    );
  }

  /** The focus goes there only where somebody has typed one before. */
  open() {
    if (this.#given !== "") this.#field.focus();
  }
}

function sayState(/** @type {Translate} */ t, /** @type {string} */ state) {
  if (state === "used")
    return t("It has already been used. If that wasn't you, please ask the people who invited you.");
  if (state === "none") return t("Type your invitation. It has 26 letters a to z and digits 2 to 7.");
  return t(
    "It has already been used, or is for a different survey. Please check it, or ask the people who invited you.",
  );
}
