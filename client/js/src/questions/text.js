/** Text: an open answer, a string, which counts as one in its normal form. */

import { EXPECTED, expectedOf, isAnswer, normalise } from "../text.js";

/** @satisfies {import("./types.js").QuestionType} */
export const text = {
  options: () => [],
  skip: (fields) => fields.take("skip", EXPECTED, (value) => isAnswer(value) && value === normalise(value)),
  encode: (given) => (isAnswer(given) ? normalise(given) : null),
  expected: expectedOf,
  said: (said) => said,
};
