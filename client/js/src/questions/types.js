/** Every question type by its name: what a new one is added to, beside a file of its own. */

import { anyOf } from "./any-of.js";
import { number } from "./number.js";
import { oneOf } from "./one-of.js";
import { text } from "./text.js";
import { yesNo } from "./yes-no.js";

/** @typedef {import("../documents.js").Fields} Fields */
/** @typedef {import("../mechanisms.js").Encoded} Encoded */
/** @typedef {import("../survey.js").Question} Question */
/**
 * A type: `options` takes a question's, where it has any, `range` that of its numbers, `skip` what no answer stands for.
 * `encode` returns an answer as mechanisms take it, null if it is none; `expected` what it must be, in words (of an
 * answer that is none: it is not quoted); `said` what a mechanism says of a report, in the question's words.
 * @typedef {{
 *   options: (fields: Fields) => readonly string[],
 *   range?: (fields: Fields) => import("./number.js").Range,
 *   skip: (fields: Fields, question: Question) => string | number | boolean,
 *   encode: (given: any, question: Question) => Encoded | null,
 *   expected: (given: unknown, question: Question) => string,
 *   said: (said: any, question: Question) => any,
 * }} QuestionType
 */

/** @satisfies {{[name: string]: QuestionType}} */
export const TYPES = { "yes-no": yesNo, "one-of": oneOf, "any-of": anyOf, number, text };
