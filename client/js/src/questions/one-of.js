/** One-of: one option of several. An answer is its text. */

import { listed, takeOptions, textsOf } from "./members.js";

/** @satisfies {import("./types.js").QuestionType} */
export const oneOf = {
  options: (fields) => {
    const options = takeOptions(fields, 2);
    const isScore = (/** @type {any} */ one) => one === "none" || +one?.text % 1 === 0;
    const areScores = (/** @type {any} */ value) => value?.length === options.length && value.every?.(isScore);
    if (fields.has("scores")) fields.take("scores", "integers", areScores); // of the options; no report depends on them
    return options;
  },
  skip: (fields, { options }) => fields.oneOf("skip", options),
  encode: (given, { options }) => (options.includes(given) ? options.indexOf(given) : null),
  expected: (_, { options }) => `one of these texts: ${listed(options)}`,
  said: textsOf,
};
