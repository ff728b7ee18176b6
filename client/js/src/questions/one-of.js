/** One-of: one option of several. An answer is its text. */

import { listed, takeOptions, textsOf } from "./members.js";

/** @satisfies {import("./types.js").QuestionType} */
export const oneOf = {
  options: (fields) => takeOptions(fields, 2),
  skip: (fields, { options }) => fields.oneOf("skip", options),
  encode: (given, { options }) => (options.includes(given) ? options.indexOf(given) : null),
  expected: (_, { options }) => `one of these texts: ${listed(options)}`,
  said: textsOf,
};
