// What is typed is the answer that the respondent meant, or is refused in the respondent's words.

import assert from "node:assert/strict";
import test from "node:test";

import { judge, numberIn, textIn } from "../form/judge.js";
import { makeWords } from "../form/words.js";
import { number } from "../src/questions/number.js";

const HALVES = { minimum: "0", maximum: "100", unit: "", low: 0, step: 5, scale: 10, span: 200 };
const DEGREES = { minimum: "-40", maximum: "40", unit: "", low: -40, step: 1, scale: 1, span: 80 };
const GRAMS = { minimum: "0", maximum: "16", unit: "", low: 0, step: 125, scale: 1000, span: 128 };
const POUNDS = { minimum: "0", maximum: "2000", unit: "", low: 0, step: 1, scale: 1000, span: 2_000_000 };
const NO_NUMBER = NaN;
const NOT_IN_RANGE = undefined;

function expectAll(range, expected) {
  for (const [typed, meant] of Object.entries(expected)) assert.deepEqual(numberIn(typed, range), meant, typed);
}

test("a point and a comma both stand before decimals", () => {
  expectAll(HALVES, { 7.5: 7.5, "7,5": 7.5, "07.50": 7.5, ",5": 0.5, "5.": 5, "0.500": 0.5, "7,0": 7, " 7.5\t": 7.5 });
  assert.equal(numberIn("", HALVES), null);
  assert.equal(numberIn(" \u200f", HALVES), null);
});

test("digits, points and commas of other scripts are read as those of Latin", () => {
  expectAll(HALVES, {
    "٧٫٥": 7.5,
    "٧،٥": 7.5,
    "۷٫۵": 7.5,
    "७.५": 7.5,
    "७": 7,
    "７．５": 7.5,
    "７，５": 7.5,
    "\u200f٧٫٥": 7.5,
  });
  for (const zero of [0x30, 0x660, 0x6f0, 0x966, 0xff10]) {
    const digits = Array.from({ length: 10 }, (_, digit) => String.fromCharCode(zero + digit));
    assert.deepEqual(
      digits.map((digit) => numberIn(digit, HALVES)),
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
    );
    for (const code of [zero - 1, zero + 10])
      assert.deepEqual(numberIn(`1${String.fromCharCode(code)}5`, DEGREES), NaN);
  }
});

test("one sign is read, whichever dash is typed", () => {
  expectAll(DEGREES, { "-3": -3, "−3": -3, "–3": -3, "－３": -3, "+3": 3, "-٣": -3, "-41": NOT_IN_RANGE });
  assert.ok(Object.is(numberIn("-0", DEGREES), 0));
});

test("what can be read in two ways, or in none, is refused and never guessed", () => {
  const refused = ["1,500", "1.500", "-1,500", "1.234,5", "1,234.5", "1,000,000", "1 500", "1 500", "1'500", "7,,5"];
  refused.push("--5", "5-", "- 5", "1e1", "0x5", "7 hours", "½", "7²", "Ⅶ", "NaN", "Infinity", ".", "-", "٧٬٥٠٠");
  for (const range of [HALVES, DEGREES]) {
    for (const typed of refused) assert.deepEqual(numberIn(typed, range), NO_NUMBER, typed);
  }
});

test("three decimals are decimals where the range has so many, and no thousands", () => {
  expectAll(GRAMS, { 1.125: 1.125, "1,125": 1.125, 1.126: NOT_IN_RANGE, "0,125": 0.125 });
  expectAll(POUNDS, { 1.125: NO_NUMBER, "1.1250": 1.125, 0.125: 0.125, 1125.125: 1125.125, 3.125: 3.125 });
});

test("a number beyond the range, or between its steps, is none of it", () => {
  const none = ["100.5", "-0.5", "7.3", "7.50000000000000000001", "9".repeat(400), `0.${"0".repeat(400)}1`];
  for (const typed of none) assert.deepEqual(numberIn(typed, HALVES), NOT_IN_RANGE, typed);
});

test("every number of a range is read exactly, with a point and with a comma, as the client takes it", () => {
  const range = {
    minimum: "-1",
    maximum: "9",
    unit: "",
    low: -(10 ** 12),
    step: 10 ** 9,
    scale: 10 ** 12,
    span: 10_000,
  };
  for (let step = 0; step <= range.span; step += 1) {
    const thousandths = String(Math.abs(step - 1000)).padStart(4, "0");
    const typed = `${step < 1000 ? "-" : ""}${thousandths.slice(0, -3)}.${thousandths.slice(-3)}`;
    for (const each of [typed, typed.replace(".", ",")]) {
      assert.equal(numberIn(each, range), Number(typed));
      assert.equal(number.encode(numberIn(each, range), { range }), step);
    }
  }
});

const SAYING = (message, values = {}) => `${message} ${Object.values(values)}`;
const t = makeWords({ messages: {} });
const LINE = { field: "line", most: 1, mayBeLeftOut: false, expected: "" };

test("a text is judged as the client does, in the words of the form", () => {
  const say = (typed) => judge(SAYING, LINE, textIn(typed));
  const isTooLong = /^This is too long: %\(n\)s of at most %\(most\)s characters. /;
  assert.match(say("x".repeat(201)), new RegExp(`${isTooLong.source}201,200$`));
  assert.match(say("🍜".repeat(1000)), new RegExp(`${isTooLong.source}1000,200$`));
  for (const typed of [
    "x".repeat(200),
    "🍜".repeat(200),
    "e\u0301".repeat(200),
    "\u200fx\tx",
    ` ${"x".repeat(200)} `,
  ]) {
    assert.equal(say(typed), "");
  }
  for (const mark of ["\u202e", "\u2066", "\u2028", "\u2029", "\u0000", "\u0085", "\ud800", "\u0898", "\u{1e4ec}"]) {
    assert.match(say(`x${mark}x`), /^This has a character that isn't allowed/);
  }
});

test("what was typed is in no message", () => {
  const asked = { field: "number", most: 1, mayBeLeftOut: true, expected: "A whole number from 0 to 9." };
  const how = "Use digits with at most one point or comma, and nothing between thousands.";
  assert.equal(judge(t, asked, numberIn("1,500", DEGREES)), `${asked.expected} ${how}`);
  assert.equal(judge(t, asked, numberIn("77", DEGREES)), asked.expected);
  assert.equal(judge(t, asked, numberIn("", DEGREES)), "");
  assert.equal(judge(t, asked, numberIn("7", DEGREES)), "");
});
