/** Every question type by its name: what a new one is added to, beside a file of its own. */

import { anyOf } from "./any-of.js";
import { joint } from "./joint.js";
import { number } from "./number.js";
import { oneOf } from "./one-of.js";
import { text } from "./text.js";
import { yesNo } from "./yes-no.js";

/** @typedef {import("../documents.js").Fields} Fields */
/** @typedef {import("../mechanisms.js").Encoded} Encoded */
/** @typedef {import("../survey.js").Item} Item */
/**
 * A type: `options` takes a question's, where it has any, `range` that of its numbers, `skip` what no answer stands for.
 * `encode` returns an answer as mechanisms take it, null if it is none; `expected` what it must be, in words (of an
 * answer that is none: it is not quoted); `said` what a mechanism says of a report, in the question's words.
 * @typedef {{
 *   options: (fields: Fields) => readonly string[],
 *   range?: (fields: Fields) => import("./number.js").Range,
 *   skip: (fields: Fields, question: Item) => string | number | boolean,
 *   encode: (given: any, question: Item) => Encoded | null,
 *   expected: (given: unknown, question: Item) => string,
 *   said: (said: any, question: Item) => any,
 * }} QuestionType
 */

/** @satisfies {{[name: string]: QuestionType}} */
export const TYPES = { "yes-no": yesNo, "one-of": oneOf, "any-of": anyOf, number, text };
/** @satisfies {{[name: string]: QuestionType}} those that a survey can ask together */
export const CLOSED = { "yes-no": yesNo, "one-of": oneOf };
/** @satisfies {{[name: string]: QuestionType}} those that a survey can have: questions asked together are one */
export const PUBLISHED = { ...TYPES, joint };
