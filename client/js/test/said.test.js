// What is sent in place of an answer, and what went wrong, in the respondent's words.

import assert from "node:assert/strict";
import test from "node:test";

import { describe } from "../form/faults.js";
import { sayComfort, sayReported } from "../form/said.js";
import { makeWords } from "../form/words.js";
import { SurveyUnavailable } from "../src/errors.js";
import { WindowResponse } from "../src/window.js";

const t = makeWords();
const HOURS = { label: String, unit: "hours" };

/** A number from 0 to 16 that is sent as one of so many levels, three times in four as the nearest. */
function sleep(levels) {
  const mechanism = new WindowResponse("window", 17, { levels, width: 1, threshold_if_true: 3 * 2 ** 30 });
  return { type: "number", range: { minimum: "0", maximum: "16" }, mechanism };
}

test("a number of two levels is reviewed as high or low, and one of more as the numbers it speaks for", () => {
  const say = (levels, reported) => sayReported(t, reported, sleep(levels), HOURS).line;
  assert.equal(say(2, { output: 0, from: 0, to: 0 }), "“Low”: your device sends only “low” or “high”");
  assert.equal(say(2, { output: 1, from: 16, to: 16 }), "“High”: your device sends only “low” or “high”");
  assert.equal(say(3, { output: 1, from: 8, to: 8 }), "“Near 8 hours”, which may be wrong");
  assert.equal(say(3, { output: 1, from: 4, to: 12 }), "“Near 4 to 12 hours”, which may be wrong");
});

test("how many others send the same is said of the nearer of two levels, and not of the farther one", () => {
  const [low, high] = [0, 16].map((end, output) => ({ output, from: end, to: end }));
  const said = (answer, reported) => sayComfort(t, answer, reported, sleep(2));
  for (const [answer, near, far] of [
    [3, low, high],
    [16, high, low],
  ]) {
    assert.match(said(answer, near), /^25 of every 100 people with a very different number also send/);
    assert.equal(said(answer, far), "");
  }
  assert.notEqual(said(8, low), ""); // as near as the other
  assert.notEqual(said(8, high), "");
});

test("what goes wrong before anything was answered does not speak of answers", () => {
  for (const fault of [new SurveyUnavailable("nobody is there"), new Error("unknown")]) {
    const [before, after] = [false, true].map((isAnswered) => describe(t, fault, isAnswered).text);
    assert.match(before, /No answer was sent\./);
    assert.doesNotMatch(before, /you answered/);
    assert.match(after, /Your answers are still on this page\. No answer was sent\./);
  }
});
