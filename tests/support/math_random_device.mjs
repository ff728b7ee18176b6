/** A program of somebody else's whose ids are drawn by Math.random, and whose noise is not: see faulty_device.py. */

import { randomInt } from "node:crypto";
import { readFileSync } from "node:fs";

const [survey, ...asked] = readFileSync(0, "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line));
const { threshold_if_true: ifTrue, threshold_if_other: ifOther } = survey.questions[0].mechanism;
for (const { answers } of asked) {
  const id = "x".repeat(32).replace(/x/g, () => Math.floor(16 * Math.random()).toString(16));
  console.log(JSON.stringify({ id, answers: { paid: randomInt(2 ** 32) < (answers.paid ? ifTrue : ifOther) } }));
}
