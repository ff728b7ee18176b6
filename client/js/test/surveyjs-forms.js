/** Forms and a client for the tests of the SurveyJS adapter. */

import { readFileSync } from "node:fs";
import { Model } from "survey-core";
import { readSurvey } from "../src/survey.js";

const TESTS = new URL("../../../tests/", import.meta.url);
export const VECTORS = JSON.parse(readFileSync(new URL("vectors/surveyjs.json", TESTS), "utf8"));
export const CANARY = "c4n4ry";

/** Return a form as its author wrote it. */
export const readForm = (file) => JSON.parse(readFileSync(new URL(`data/surveyjs/${file}`, TESTS), "utf8"));

/** Return the survey that the import made of a form. */
export const surveyOf = (file) =>
  readSurvey(new TextEncoder().encode(VECTORS.forms.find((form) => form.file === file).canonical));

export const LUNCH = await surveyOf("lunch.json");
/** What the filled lunch form answers. */
export const SENT = { expensed: true, cuisine: "leftovers", habits: ["skipped lunch"], place: CANARY };

/** A client that keeps what it is asked to answer, once it has encoded it as the real one does. */
export function recorder(survey = LUNCH, fault = null) {
  const asked = [];
  const answer = async (answers, wave) => {
    asked.push({ answers, wave });
    survey.encode(answers);
    if (fault) throw fault;
    return { id: "receipt", wave };
  };
  const prepare = async (answers, wave) => ({ receipt: "draft", send: () => answer(answers, wave) });
  return { asked, answer, prepare, survey: async () => survey };
}

/** A lunch form, with other members of its elements where `change` gives them, filled in. */
export function lunch(change = {}, form = {}, extra = []) {
  const { elements, ...rest } = readForm("lunch.json");
  const changed = elements.map((each) => ({ ...each, ...change[each.name] }));
  const model = new Model({ ...rest, ...form, elements: [...changed, ...extra] });
  model.data = { expensed: true, cuisine: "left", habits: ["skipped lunch"], place: CANARY };
  return model;
}

/** Complete a form as its button does, and wait until it is settled. */
export async function complete(model) {
  model.tryComplete();
  while (model.isNavigationBlocked) await new Promise((resolve) => setImmediate(resolve));
}

/** Return what a form says in its notification, as soon as it does: survey-core shows it a moment later. */
export async function notified(model, type = "error") {
  while (!(model.notifier.active && model.notifier.css.includes(type)))
    await new Promise((resolve) => setImmediate(resolve));
  return model.notifier;
}

/** Return where a text is, in anything that can be reached from an object. */
export function findText(root, text) {
  const [found, seen, waiting] = [[], new Set(), [["", root]]];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [path, value] = next;
    if (typeof value === "string" && value.includes(text)) found.push(path);
    if (value === null || !["object", "function"].includes(typeof value) || seen.has(value)) continue;
    seen.add(value);
    const members = value instanceof Map ? [...value] : value instanceof Set ? [...value].entries() : ownMembers(value);
    for (const [name, member] of members) waiting.push([path ? `${path}.${String(name)}` : String(name), member]);
  }
  return found;
}

function ownMembers(value) {
  const described = Object.entries(Object.getOwnPropertyDescriptors(value));
  return described.filter(([, one]) => "value" in one).map(([name, one]) => [name, one.value]);
}
