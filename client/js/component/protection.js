/** How chance protects a respondent: in a line that opens, for each question and for the whole survey. */

import { supportOf } from "../form/chance.js";
import { sayFirst } from "../form/first.js";
import { sayInShort, sayReadings } from "../form/noise.js";
import { sayLittle } from "../form/protection.js";
import { make, paragraph } from "./dom.js";
import { pictureOf } from "./marks.js";

/** @typedef {import("../form/words.js").Translate} Translate */
/** @typedef {import("../src/survey.js").Survey} Survey */
/** @typedef {import("../src/survey.js").Question} Question */
/** @typedef {import("../src/words.js").SurveyWords} SurveyWords */

/** Return what a device does to an answer, and what anybody can learn of what it sends. @param {Translate} t @param {Question} question */
export function noiseOf(t, question) {
  const summary = make("summary", {}, sayInShort(t, question));
  const said = sayReadings(t, question);
  const last = question.mechanism.name === "rappor" ? "" : said.pop();
  /** @type {HTMLElement[]} */
  const parts = said.map((sentence) => make("p", {}, sentence));
  if (last) parts.push(pictureOf(t, supportOf(question.mechanism).ifOther, last));
  return make("details", { class: "noise", part: "noise" }, summary, ...parts);
}

/**
 * Return what is said before the questions: the short version, and in a part that opens what happens to answers, what
 * anybody can find out, what is sent, what can be done later. Also which questions are drawn, and what this device keeps.
 * @param {Translate} t @param {Survey} survey @param {string} collector its address @param {number} resendDays
 */
export function protectionOf(t, survey, collector, resendDays) {
  const lead = [paragraph("lead", t("Your device changes your answers at random before it sends anything."))];
  const little = sayLittle(t, survey);
  if (little) lead.push(paragraph("notice little", little));
  const drawn = survey.draw > 0 ? [paragraph("notice", sayDrawing(t, survey))] : [];
  if (survey.askedIn > 0) drawn.push(paragraph("notice", sayWaves(t, survey)));
  if (survey.relay) drawn.push(paragraph("notice", sayRelay(t, survey.relay)));
  const kept = resendDays > 0 ? [paragraph("notice", sayKept(t, resendDays))] : [];
  const { id, fingerprint } = survey;
  const href = `${collector}/s/${id}`;
  const parts = [
    make("summary", {}, t("How this protects you")),
    ...sayFirst(t, survey).map(([asked, said]) => make("p", {}, make("strong", {}, asked), make("br"), said)),
    make(
      "p",
      {},
      t("You can skip a question only where the page says so. Otherwise the gap would show something about you."),
    ),
    make("p", {}, make("a", { href, target: "_blank", rel: "noopener noreferrer" }, t("All details, with numbers"))),
    paragraph(
      "small",
      t("Survey %(id)s. Its fingerprint, made from every word and number in it: %(fingerprint)s", { id, fingerprint }),
    ),
  ];
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

function sayDrawing(/** @type {Translate} */ t, /** @type {Survey} */ { nAsked: [n, all] }) {
  return t.n(
    "Your device asks you only %(n)s of these %(questions)s questions, picked at random. It picks once, for " +
      "good, before it knows any answer. It sends which one it picked. That tells nothing about your answers.",
    "Your device asks you only %(n)s of these %(questions)s questions, picked at random. It picks once, for " +
      "good, before it knows any answer. It sends which ones it picked. That tells nothing about your answers.",
    n,
    { questions: all },
  );
}

function sayWaves(/** @type {Translate} */ t, /** @type {Survey} */ { askedIn, waves }) {
  return t(
    "Your device asks you in only %(n)s of the %(waves)s waves, picked at random. It picks once, for good, before it " +
      "knows any answer. In the other waves it sends nothing. When it asks you tells nothing about your answers.",
    { n: askedIn, waves },
  );
}

/** @param {Translate} t @param {string} relay its address */
function sayRelay(t, relay) {
  const { host } = new URL(relay);
  return t(
    "Your report goes encrypted through %(relay)s. That server sees your device, not your report. The people who run " +
      "the survey see your report without your address. They can see your address as this page loads.",
    { relay: isolated(host) },
  );
}

function sayKept(/** @type {Translate} */ t, /** @type {number} */ days) {
  return t.n(
    "This browser keeps your report for %(n)s day, to send it again if it is lost. It doesn't keep your answers.",
    "This browser keeps your report for %(n)s days, to send it again if it is lost. It doesn't keep your answers.",
    days,
  );
}
