/** What will be sent, beside what was answered. It stands in the page while it is looked at, and no longer. */

import { sayLittle } from "../form/protection.js";
import { joined, sayAnswer, sayComfort, sayReported } from "../form/said.js";
import { keepToItself } from "../src/fields.js";
import { button, make, paragraph } from "./dom.js";

/** @typedef {import("../form/words.js").Translate} Translate */
/** @typedef {import("../src/words.js").QuestionWords & {lang: string}} QuestionWords */
/** @typedef {import("../src/survey.js").Question} Question */
/** @typedef {import("../src/survey.js").Survey} Survey */
/** @typedef {import("../src/draft.js").Draft} Draft */

/**
 * Return a draft beside the answers that it was made of, with the buttons that send it, and that lead back.
 * @param {Translate} t @param {Survey} survey @param {(id: string) => QuestionWords} wordsOf
 * @param {{answers: {[id: string]: any}, draft: Draft}} made @param {() => void} send @param {() => void} change
 */
export function reviewOf(t, survey, wordsOf, { answers, draft }, send, change) {
  const title = make("h3", { id: "review-title", tabindex: -1, part: "step-title" }, t("What will be sent"));
  const asked = survey.questions.filter(({ id }) => id in draft.reported);
  const rows = asked.map((question) =>
    rowsOf(t, question, wordsOf, question.answerIn(answers), draft.reported[question.id]),
  );
  const invited = survey.blind?.sayAll(t) ?? t("This is all that leaves this device, with your invitation.");
  const whole = survey.invited ? invited : t("This is all that leaves this device.");
  const text = make(
    "details",
    {},
    make("summary", {}, t("The exact text that is sent")),
    keepToItself(make("pre", { dir: "ltr" }, draft.body)),
    paragraph(
      "small",
      t(
        "The id is a random number that this device picked just now. It is your receipt. This device adds " +
          "spaces at the end until all reports of this survey have the same length. So the length reveals nothing.",
      ),
    ),
  );
  return make(
    "section",
    { "aria-labelledby": "review-title", part: "review" },
    title,
    leadOf(t, survey),
    keepToItself(make("div", { class: "rows" }, ...rows)),
    paragraph("notice", make("strong", {}, whole)),
    text,
    make(
      "div",
      { class: "actions" },
      button(t("Send"), "primary send", send),
      button(t("Change answers"), "change", change),
    ),
    paragraph(
      "small",
      t(
        "The random change to each answer is fixed. If you look again, or switch an answer and switch back, it stays the " +
          "same.",
      ),
    ),
  );
}

/** What chance may have done. Where it hides little, the page says so above, and not that nobody can be sure. */
function leadOf(/** @type {Translate} */ t, /** @type {Survey} */ survey) {
  const lead = sayLittle(t, survey)
    ? t("These are your answers after random changes. Some may be unchanged.")
    : t("These are your answers after random changes. Some may be unchanged; nobody can be sure which.");
  return paragraph("lead", lead);
}

function saidOf(/** @type {import("../src/survey.js").Item} */ { options }, /** @type {QuestionWords} */ words) {
  const labels = new Map(options.map((option, index) => [option, words.options[index]]));
  return { label: (/** @type {any} */ option) => /** @type {string} */ (labels.get(option)), unit: words.unit };
}

function rowsOf(
  /** @type {Translate} */ t,
  /** @type {Question} */ question,
  /** @type {(id: string) => QuestionWords} */ wordsOf,
  /** @type {any} */ answer,
  /** @type {any} */ reported,
) {
  const words = wordsOf(question.id);
  const said =
    question.type === "joint"
      ? joined(t, question, Object.fromEntries(question.items.map((item) => [item.id, saidOf(item, wordsOf(item.id))])))
      : saidOf(question, words);
  const { line, more } = sayReported(t, reported, question, said);
  const sent = make("dd", { class: "sent", part: "sent", dir: "auto" }, line);
  if (more.length > 0) {
    sent.append(make("details", {}, make("summary", {}, t("Which")), ...more.map((each) => make("div", {}, each))));
  }
  const comfort = sayComfort(t, answer, reported, question);
  return make(
    "div",
    { class: "row", part: "row" },
    make("h4", { dir: "auto", lang: words.lang }, words.text),
    make(
      "dl",
      {},
      make(
        "div",
        {},
        make("dt", {}, t("Your answer (stays here)")),
        make("dd", { dir: "auto", class: "answered" }, sayAnswer(t, answer, question, said)),
      ),
      make("div", {}, make("dt", {}, t("This will be sent")), sent),
    ),
    ...(comfort ? [paragraph("comfort", comfort)] : []),
  );
}
