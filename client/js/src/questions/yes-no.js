/** Yes-no: a statement that is true of a person, or not. An answer is a boolean. */

import { refuseSkip } from "./members.js";

/** @satisfies {import("./types.js").QuestionType} */
export const yesNo = {
  options: () => [],
  skip: refuseSkip,
  encode: (given) => (typeof given === "boolean" ? Number(given) : null),
  expected: () => "true or false",
  said: (values) => values.length > 0,
};
