/** Yes-no: a statement that is true of a person, or not. An answer is a boolean. */

/** @satisfies {import("./types.js").QuestionType} */
export const yesNo = {
  options: () => [],
  skip: (fields) => fields.oneOf("skip", ["yes", "no"]) === "yes",
  encode: (given) => (typeof given === "boolean" ? Number(given) : null),
  expected: () => "true or false",
  said: (values) => values.length > 0,
};
