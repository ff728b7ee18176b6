/** An option that a device is asked: what the review is told of it, and what is refused. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { readFileSync } from "node:fs";

import { utf8 } from "../src/bytes.js";
import { readSurvey } from "../src/survey.js";

const VECTORS = new URL("../../../tests/vectors/surveys.json", import.meta.url);
const { surveys } = JSON.parse(readFileSync(VECTORS, "utf8"));

test("a report says which option was asked, and a yes or a no to it", async () => {
  const { text } = surveys.find(({ about }) => about === "an option that is asked");
  const [few, , many] = (await readSurvey(utf8(text))).questions;
  assert.deepEqual(few.reported(Uint8Array.of(8, 1)), { asked: "option 8", yes: true });
  assert.deepEqual(many.reported(Uint8Array.of(1, 0, 0)), { asked: "option 256", yes: false });
  assert.deepEqual(many.mechanism.toWire(many.mechanism.longest), [256, false]);
});

test("no more options may be selected than the survey says, though one alone is asked", async () => {
  const { text } = surveys.find(({ about }) => about === "an option that is asked");
  const [few] = (await readSurvey(utf8(text))).questions;
  assert.equal(
    few.encode(["option 0", "option 4", "option 8"]).reduce((sum, bit) => sum + bit),
    3,
  );
  assert.throws(() => few.encode(["option 0", "option 1", "option 2", "option 3"]), /at most 3 of these texts/);
});
