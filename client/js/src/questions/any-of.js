/** Any-of: some options of several, or none. An answer is an array or set of their texts, none twice. */

import { onesOf } from "../bits.js";
import { listed, refuseSkip, takeOptions, textsOf } from "./members.js";

/** @satisfies {import("./types.js").QuestionType} */
export const anyOf = {
  options: (fields) => takeOptions(fields, 1),
  skip: refuseSkip,
  /** @returns {Uint8Array | null} */
  encode: (given, question) => {
    if (!Array.isArray(given) && !(given instanceof Set)) return null;
    const selected = [...given];
    const bits = Uint8Array.from(question.options, (option) => Number(selected.includes(option)));
    const isKnown = onesOf(bits).length === selected.length && selected.length <= mostOf(question);
    return isKnown ? bits : null;
  },
  expected: (_, question) =>
    `an array or set of at most ${mostOf(question)} of these texts, none twice: ${listed(question.options)}`,
  said: (said, question) => (Array.isArray(said) ? textsOf(said, question) : askedOf(said, question)),
};

/** Return what a report says of the options that it asks, in their texts. */
function askedOf(/** @type {any} */ { asked, yes }, /** @type {any} */ question) {
  if (!Array.isArray(asked)) return { asked: question.options[asked], yes };
  return { asked: textsOf(asked, question), yes: textsOf(yes, question) };
}

/** How many options one person may select. @param {any} question */
function mostOf({ mechanism }) {
  return mechanism.published.max_selected;
}
