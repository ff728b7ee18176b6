/** How chance protects a respondent: in a line that opens, for each question and for the whole survey. */

import { sayInShort, sayReadings } from "../form/noise.js";
import { sayLittle } from "../form/protection.js";
import { make, paragraph } from "./dom.js";

/** @typedef {import("../form/words.js").Translate} Translate */
/** @typedef {import("../src/survey.js").Survey} Survey */
/** @typedef {import("../src/survey.js").Question} Question */
/** @typedef {import("../src/words.js").SurveyWords} SurveyWords */

/** Return what a device does to an answer, and what anybody can learn of what it sends. @param {Translate} t @param {Question} question */
export function noiseOf(t, question) {
  const summary = make("summary", {}, sayInShort(t, question));
  const readings = sayReadings(t, question).map((sentence) => make("p", {}, sentence));
  return make("details", { class: "noise", part: "noise" }, summary, ...readings);
}

/**
 * Return what is said before the questions: that chance changes the answers, how it goes, which questions are drawn.
 * How long this device keeps what is sent, too.
 * @param {Translate} t @param {Survey} survey @param {string} collector its address @param {number} resendDays
 */
export function protectionOf(t, survey, collector, resendDays) {
  const lead = [paragraph("lead", t("Chance changes your answers on this device before anything is sent."))];
  const little = sayLittle(t, survey);
  if (little) lead.push(paragraph("notice little", little));
  const receipt =
    survey.keep === "reports"
      ? t("You get a receipt, with which your report can be erased.")
      : t("You get a receipt. The report itself is counted and not kept, so it cannot be taken out again.");
  const steps = [t("You answer."), t("You see what will be sent, and decide."), receipt];
  const { id, fingerprint } = survey;
  const href = `${collector}/s/${id}`;
  const whole = make("a", { href, target: "_blank", rel: "noopener noreferrer" }, t("All of it, in numbers"));
  const parts = [
    make("summary", {}, t("How this protects you")),
    make("ol", {}, ...steps.map((step) => make("li", {}, step))),
    make(
      "p",
      {},
      t(
        "Below each question you can read what chance does to its answer, and how much that hides. An answer can only be " +
          "left out where the page says so: a gap would tell something about you.",
      ),
    ),
    make("p", {}, whole),
    make(
      "p",
      { class: "small" },
      t("Survey %(id)s. Its fingerprint, which stands for every word and number of it: %(fingerprint)s", {
        id,
        fingerprint,
      }),
    ),
  ];
  const drawn = survey.draw > 0 ? [paragraph("notice", sayDrawing(t, survey))] : [];
  const kept = resendDays > 0 ? [paragraph("notice", sayKept(t, resendDays))] : [];
  return [...lead, make("details", { class: "protection", part: "protection" }, ...parts), ...drawn, ...kept];
}

/** Return who asks, until when, and which wave it is. @param {Translate} t @param {Survey} survey @param {SurveyWords} words @param {number} wave */
export function aboutOf(t, survey, { controller, contact }, wave) {
  const said = [
    survey.waves > 1 ? t("Wave %(n)s of %(all)s", { n: wave, all: survey.waves }) : "",
    controller ? t("Who asks: %(controller)s", { controller: isolated(controller) }) : "",
    survey.closes ? t("Open until %(day)s", { day: isolated(t.day(survey.closes)) }) : "",
    survey.eraseOn ? t("Reports are erased on %(day)s", { day: isolated(t.day(survey.eraseOn)) }) : "",
    contact ? t("Contact: %(contact)s", { contact: isolated(contact) }) : "",
  ];
  const items = said.filter(Boolean).map((sentence) => make("li", {}, sentence));
  return items.length > 0 ? [make("ul", { class: "about small", part: "about" }, ...items)] : [];
}

/** A text of a survey's author within a sentence: whichever way it runs, the sentence does not (Unicode's FSI and PDI). */
function isolated(/** @type {string} */ text) {
  return `\u2068${text}\u2069`;
}

function sayDrawing(/** @type {Translate} */ t, /** @type {Survey} */ { draw, questions }) {
  return t.n(
    "Your device asks you only %(n)s of these %(questions)s questions, picked at random. It picks once, for " +
      "good, before it knows any answer. It sends which one it picked. That tells nothing about your answers.",
    "Your device asks you only %(n)s of these %(questions)s questions, picked at random. It picks once, for " +
      "good, before it knows any answer. It sends which ones it picked. That tells nothing about your answers.",
    draw,
    { questions: questions.length },
  );
}

function sayKept(/** @type {Translate} */ t, /** @type {number} */ days) {
  return t.n(
    "What is sent, not what you answered, stays in this browser for %(n)s day, to be sent again if it is lost.",
    "What is sent, not what you answered, stays in this browser for %(n)s days, to be sent again if it is lost.",
    days,
  );
}
