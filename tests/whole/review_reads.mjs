// Prints how many texts of options are read to show a review of a survey, on the survey page and in the element.

import { readFileSync } from "node:fs";
import { reviewOf } from "../js/component/review-view.js";
import { makeWords } from "../js/form/words.js";
import { readSurvey } from "../js/src/survey.js";
import { Form } from "./page/form.js";
import { showReview } from "./page/review.js";

const survey = await readSurvey(new Uint8Array(readFileSync(process.argv[2])));
const answers = Object.fromEntries(
  survey.questions.map(({ id, type, options }) => [id, type === "any-of" ? options.slice(0, 5) : options[0]]),
);
const reported = Object.fromEntries(
  survey.questions.map(({ id, options }) => [id, options.filter((_, index) => index % 2 === 0)]),
);
const draft = { reported, epsilon: survey.epsilon, body: "" };
let nReads = 0;

/** What a page has of an element, as far as a review asks for it. */
class Part {
  classList = { add: () => undefined, contains: () => false };
  tBodies = [];
  dataset = {};
  append() {}
  appendChild = (part) => part;
  insertRow = () => new Part();
  setAttribute() {}
  getAttribute = () => null;
  addEventListener() {}
  querySelector = () => null;
  querySelectorAll = () => [];
}

globalThis.document = {
  createElement: () => new Part(),
  getElementById: () => Object.assign(new Part(), { querySelectorAll: () => survey.questions.map(shown) }),
  querySelector: () => new Part(),
};

/** A question as it is on the page: what its choices say is counted. */
function shown({ id, type, options }) {
  const read = (text) => (nReads++, text);
  const choices = options.map((option) => ({
    get value() {
      return read(JSON.stringify(option));
    },
    get label() {
      return read(type === "any-of" ? "" : option);
    },
    parentElement: {
      get textContent() {
        return read(option);
      },
    },
  }));
  const asked = Object.assign(new Part(), { textContent: id, lang: "en", dir: "ltr" });
  const querySelector = (selector) => (selector === ".asked" ? asked : null);
  return Object.assign(new Part(), { dataset: { question: id }, querySelector, querySelectorAll: () => choices });
}

/** A list of which the members that are read are counted. */
function counted(list) {
  const get = (_, name) => ((nReads += /^\d+$/.test(String(name))), Reflect.get(list, name));
  return new Proxy([], { get, has: (_, name) => name in list });
}

function onPage() {
  nReads = 0;
  showReview(survey, new Form(), answers, draft);
  return nReads;
}

function inElement() {
  nReads = 0;
  const questions = survey.questions.map(({ id, type, skip, mechanism, options }) => {
    return { id, type, skip, mechanism, options: counted(options), answerIn: (given) => given[id] };
  });
  const wordsOf = (asked) => {
    const { text, options } = survey.questions.find(({ id }) => id === asked);
    return { text, options: counted(options), section: "", unit: "", lang: "en" };
  };
  const { invited, epsilonForever, nDrawn, waves } = survey;
  const asked = { invited, epsilonForever, nDrawn, waves, questions };
  reviewOf(makeWords(), asked, wordsOf, { answers, draft }, String, String);
  return nReads;
}

console.log(JSON.stringify({ page: onPage(), element: inElement() }));
