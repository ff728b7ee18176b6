/** What a form shows for a question, whatever its type: as the survey page shows it (sotto_protocol/questions/control.py). */

import { sayAnswer } from "./said.js";

/** @typedef {import("../src/survey.js").Item} Question */
/** @typedef {import("./words.js").Translate} Translate */
/** @typedef {import("../src/words.js").QuestionWords} QuestionWords */
/** @typedef {{answer: unknown, label: string}} Choice what can be picked, as the client takes it, and the words for it */
/**
 * `field`: radios, list, boxes, line or number; `most`: how many boxes may be chosen; `hint` and `expected` in words;
 * `skip`: in words, what leaving it out stands for, null where it cannot be left out.
 * @typedef {{field: string, choices: Choice[], most: number, hint: string, expected: string,
 *   skip: string | null, unit: string}} Control
 */

/** With more options than this, one is chosen from a list. */
const MAX_RADIOS = 12;

/** @param {Translate} t @param {Question} question @param {QuestionWords} words @returns {Control} */
export function controlOf(t, question, words) {
  const field = fieldOf(question);
  const most = Math.min(mostOf(question), question.options.length);
  const choices =
    question.type === "yes-no"
      ? [
          { answer: true, label: t("Yes") },
          { answer: false, label: t("No") },
        ]
      : question.options.map((option, index) => ({ answer: option, label: words.options[index] }));
  const expected = field === "number" ? expectedOf(t, question.range) : "";
  const skip = question.skip === null ? null : saySkip(t, question, words);
  const control = { field, choices, most, expected, skip, unit: words.unit };
  return { ...control, hint: hintOf(t, control) };
}

/** How many options may be chosen: any-of publishes it. */
function mostOf(/** @type {any} */ { mechanism }) {
  return mechanism?.published?.max_selected ?? 1;
}

function fieldOf(/** @type {Question} */ { type, options }) {
  if (type === "text") return "line";
  if (type === "any-of") return "boxes";
  if (type === "number") return "number";
  return options.length > MAX_RADIOS ? "list" : "radios";
}

function saySkip(/** @type {Translate} */ t, /** @type {Question} */ question, /** @type {QuestionWords} */ words) {
  const label = (/** @type {any} */ option) => words.options[question.options.indexOf(option)];
  return sayAnswer(t, question.skip, question, { label, unit: words.unit });
}

function expectedOf(/** @type {Translate} */ t, /** @type {any} */ { low, step, scale, span }) {
  const isWhole = scale === 1;
  const given = { minimum: low / scale, maximum: (low + span * step) / scale, step: step / scale };
  if (isWhole && step === 1) return t("A whole number from %(minimum)s to %(maximum)s.", given);
  if (isWhole) return t("A whole number from %(minimum)s to %(maximum)s, in steps of %(step)s.", given);
  return t("A number from %(minimum)s to %(maximum)s, in steps of %(step)s.", given);
}

/** What stands below a question: how it is answered, and whether it may be left out. */
function hintOf(
  /** @type {Translate} */ t,
  /** @type {Omit<Control, "hint">} */ { field, choices, most, skip, expected },
) {
  if (field === "boxes" && most === choices.length) return t("Choose all that apply. None is an answer too.");
  if (field === "boxes") return t("Choose at most %(most)s. None is an answer too.", { most });
  const left =
    skip === null
      ? []
      : [t("Optional. Skipping counts as “%(skip)s”, and your device may change that at random as well.", { skip })];
  if (field === "number") return [expected, ...left].join(" ");
  if (field === "line")
    return [
      t(
        "One or a few words. Nobody reads what you write. People can only find out whether it is a common, short answer.",
      ),
      ...left,
    ].join(" ");
  return left[0] ?? t("Please choose one.");
}
