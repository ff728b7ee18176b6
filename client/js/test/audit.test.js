/**
 * A statistical audit of every output position, with a true 1 and with a true 0, and of its power to fail.
 *
 * All audits that must pass raise a false alarm with probability at most 1e-9 together. A channel that is off by 0.03 is
 * missed with probability at most 1e-9: at rates of 0.95 and 0.05 that takes 10,000 looks at a coin, at 0.905 and 0.095
 * 20,000.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { BinaryResponse, BitFlips, UnaryEncoding } from "../src/bits.js";
import { bloomBits } from "../src/bloom.js";
import { unpackBits, utf8 } from "../src/bytes.js";
import { COIN_SCALE, Coins, importSecret, osBytes } from "../src/coins.js";
import { KaryResponse } from "../src/kary.js";
import { draftCoins, reportAnswers } from "../src/permanent.js";
import { BloomResponse } from "../src/rappor.js";
import { cellsOf, collect, wrongCells } from "./audit.js";

const [HIGH, LOW] = [0.95, 0.05].map((prob) => Math.round(prob * COIN_SCALE));
const OFF = Math.round(0.03 * COIN_SCALE);
const WIDE = 128;
const FALSE_ALARM = 1e-9 / 10; // more audits than this file has

/** Thresholds of one stage or of two, of which the one that makes the report is off. */
const one = (off = 0) => ({ threshold_if_true: HIGH + off, threshold_if_other: LOW + off });
const two = (off = 0) => ({ ...one(), report_if_one: HIGH + off, report_if_zero: LOW + off });
/** A name whose thresholds need not add up. */
const nameOf = (/** @type {string} */ name, /** @type {number} */ off) => (off === 0 ? name : "x");

const row = (/** @type {number} */ n, /** @type {(bit: number) => boolean} */ isTrue) =>
  Uint8Array.from({ length: n }, (_, bit) => Number(isTrue(bit)));
/** Pairs of neighbouring options are alike, and pairs of respondents: each option is as often true as not. */
const halfOf = (/** @type {number} */ n) => (/** @type {number} */ respondent) =>
  row(n, (bit) => ((respondent >> 1) + (bit >> 1)) % 2 === 1);
const rateOf = (/** @type {any} */ { ifTrue, ifOther, ifOne, ifZero }) => {
  const rate = (/** @type {number} */ permanent) => permanent * ifOne + (COIN_SCALE - permanent) * ifZero;
  return { ifTrue: rate(ifTrue) / COIN_SCALE ** 2, ifOther: rate(ifOther) / COIN_SCALE ** 2 };
};

/** What one respondent reports, by coins of the operating system. */
async function reportOnce(/** @type {any} */ mechanism, /** @type {any} */ answer) {
  const coins = new Coins(osBytes);
  const group = await mechanism.drawGroup(coins);
  return mechanism.report(await mechanism.respond(answer, group, coins), coins);
}

/** What one device reports, by coins of its secret and of its draft's seed. */
async function reportAsDevice(/** @type {any} */ mechanism, /** @type {any} */ answer) {
  const survey = /** @type {any} */ ({ fingerprint: "f", waves: 1, questions: [{ id: "q", mechanism }] });
  const [key, seed] = [await importSecret(await osBytes(32)), await importSecret(await osBytes(32))];
  const [report] = await reportAnswers(survey, [answer], key, draftCoins(survey, seed));
  return report;
}

/**
 * Audits by name: so many respondents; the mechanism, `off` from what is stated; the answer of each; its true bits.
 * @type {{[name: string]: {n: number, nBits: number, make: (off?: number) => any,
 *   answer: (respondent: number) => any, report?: typeof reportOnce}}}
 */
const AUDITS = {
  "a yes-no coin": {
    n: 40_000,
    nBits: 1,
    make: (off = 0) => new BinaryResponse(nameOf("warner", off), 1, one(off)),
    answer: (respondent) => respondent % 2,
  },
  "a bit per option, one of them true": {
    n: 20_000,
    nBits: 5,
    make: (off = 0) => new UnaryEncoding(nameOf("sue", off), 5, one(off)),
    answer: (respondent) => respondent % 5,
  },
  "a bit per option, some of them true": {
    n: 5000,
    nBits: 9,
    make: (off = 0) => new BitFlips(nameOf("bit-flips", off), 9, { ...one(off), max_selected: 9 }),
    answer: halfOf(9),
  },
  "two stages": {
    n: 9000,
    nBits: 9,
    make: (off = 0) => new BitFlips(nameOf("basic-rappor", off), 9, { ...two(off), max_selected: 9 }),
    answer: halfOf(9),
  },
  "one stage of a device's secret": {
    n: 1400,
    nBits: WIDE,
    make: (off = 0) => new BitFlips(nameOf("bit-flips", off), WIDE, { ...one(off), max_selected: WIDE }),
    answer: halfOf(WIDE),
    report: reportAsDevice,
  },
  "two stages of a device's secret and a draft's seed": {
    n: 700,
    nBits: WIDE,
    make: (off = 0) => new BitFlips(nameOf("basic-rappor", off), WIDE, { ...two(off), max_selected: WIDE }),
    answer: halfOf(WIDE),
    report: reportAsDevice,
  },
};

// Strings: 32 bits of one cohort, two of them true.

const DESIGN = { nBits: 32, nHashes: 2 };
const bloom = (/** @type {object} */ stages, off = 0) =>
  new BloomResponse(nameOf("rappor", off), 32, { .../** @type {any} */ (stages), n_hashes: 2, n_cohorts: 1 });
/** A text for each pair of neighbouring bits, so that every bit is as often true. @type {Map<string, Uint8Array>} */
const BITS_OF = new Map();
for (let number = 0, paired = new Set(); paired.size < 16; number += 1) {
  const [first, second] = (await bloomBits(DESIGN, 0, utf8(String(number)))).sort((left, right) => left - right);
  if (first % 2 !== 0 || second !== first + 1 || paired.has(first)) continue;
  paired.add(first);
  BITS_OF.set(
    String(number),
    row(32, (bit) => bit === first || bit === second),
  );
}
const TEXTS = [...BITS_OF.keys()];
const STRINGS = {
  nBits: 32,
  answer: (/** @type {number} */ respondent) => TEXTS[respondent % TEXTS.length],
  report: async (/** @type {any} */ mechanism, /** @type {string} */ text) =>
    (await reportOnce(mechanism, text)).slice(2), // the cohort is 0
};
AUDITS["a string's bits"] = { ...STRINGS, n: 12_000, make: (off = 0) => bloom(one(off), off) };

/** The true bits of an answer: a number stands for one of them, or for a yes-no answer. */
function trueBitsOf(/** @type {any} */ answer, /** @type {number} */ nBits) {
  if (typeof answer === "string") return /** @type {Uint8Array} */ (BITS_OF.get(answer));
  return typeof answer === "number" ? row(nBits, (bit) => (nBits === 1 ? answer === 1 : bit === answer)) : answer;
}

/** What is reported, right and off, by the audit's name: before the first test, since node follows every promise in one. */
const REPORTS = new Map();
for (const [name, { n, nBits, make, answer, report = reportOnce }] of Object.entries(AUDITS)) {
  const reportsOf = (/** @type {any} */ mechanism) =>
    collect(n, async (respondent) => unpackBits(await report(mechanism, answer(respondent)), nBits));
  REPORTS.set(name, { right: await reportsOf(make()), off: await reportsOf(make(OFF)) });
}
const [N_TWO, TWO] = [3000, bloom(two())];
const TWO_STAGES = await collect(N_TWO, async (respondent) =>
  unpackBits(await STRINGS.report(TWO, STRINGS.answer(respondent)), 32),
);
const [N_KARY, N_OPTIONS] = [20_000, 4];
const KARY = await Promise.all(
  [0, OFF].map((off) => {
    const mechanism = new KaryResponse("k-ary", N_OPTIONS, { threshold_if_true: HIGH + off });
    return collect(N_KARY, async (respondent) => mechanism.toWire(await reportOnce(mechanism, respondent % N_OPTIONS)));
  }),
);

for (const [name, { n, nBits, make, answer }] of Object.entries(AUDITS)) {
  const truth = Array.from({ length: n }, (_, respondent) => trueBitsOf(answer(respondent), nBits));
  const wrongIn = (/** @type {Uint8Array[]} */ bits) => wrongCells(cellsOf(bits, truth, rateOf(make())), FALSE_ALARM);
  const { right, off } = REPORTS.get(name);

  test(`${name}: every position passes at the published rates, with a true 1 and with a true 0`, () => {
    assert.deepEqual(wrongIn(right), []);
  });

  test(`${name}: rates that are off by 0.03 are rejected`, () => {
    const wrong = wrongIn(off);
    for (const pool of ["all if true", "all if other"]) assert.ok(wrong.includes(pool), String(wrong));
  });

  test(`${name}: a position that is never randomised is rejected, the first and the last included`, () => {
    for (const position of [0, nBits - 1]) {
      const kept = right.map((bits, respondent) => bits.with(position, truth[respondent][position]));
      const single = wrongIn(kept).filter((cell) => !cell.startsWith("all"));
      assert.deepEqual(single, [`${position} if true`, `${position} if other`]);
    }
  });
}

test("a string's bits pass at the published rates through both stages", () => {
  const truth = Array.from({ length: N_TWO }, (_, respondent) => trueBitsOf(STRINGS.answer(respondent), 32));
  assert.deepEqual(wrongCells(cellsOf(TWO_STAGES, truth, rateOf(TWO)), FALSE_ALARM), []);
});

test("k-ary tells the truth, and every other option, at the published rates, and is rejected where it is off", () => {
  const truth = Array.from({ length: N_KARY }, (_, respondent) => trueBitsOf(respondent % N_OPTIONS, N_OPTIONS));
  const ifTrue = HIGH / COIN_SCALE;
  const rates = { ifTrue, ifOther: (1 - ifTrue) / (N_OPTIONS - 1) };
  const [right, off] = KARY.map((reports) => {
    const bits = reports.map((value) => trueBitsOf(value, N_OPTIONS));
    return wrongCells(cellsOf(bits, truth, rates), FALSE_ALARM);
  });
  assert.deepEqual(right, []);
  assert.ok(off.includes("all if true"), String(off));
});

test("cohorts and pairs of devices are uniform, and the same whatever is answered", async () => {
  const shape = { n_hashes: 2, n_cohorts: 5, max_length: 6, gram_length: 2 };
  const mechanism = new BloomResponse("rappor", 32, { ...two(), ...shape });
  const survey = /** @type {any} */ ({ fingerprint: "f", waves: 1, questions: [{ id: "q", mechanism }] });
  const groups = await collect(1000, async (device) => {
    const [key, seed] = [await importSecret(await osBytes(32)), await importSecret(await osBytes(32))];
    const groupOf = async (/** @type {string} */ text) =>
      (await reportAnswers(survey, [text], key, draftCoins(survey, seed)))[0].slice(0, 3);
    const group = await groupOf("a");
    if (device < 50) assert.deepEqual(await groupOf("b"), group);
    return group;
  });
  const cells = [[0], [0, 1, 2, 3, 4], [0, 1, 2]].flatMap((values, at) =>
    values.map((value) => ({
      name: `byte ${at} is ${value}`,
      nOnes: groups.filter((group) => group[at] === value).length,
      n: groups.length,
      prob: at === 0 ? 1 - 1e-12 : 1 / values.length,
    })),
  );
  assert.deepEqual(wrongCells(cells, FALSE_ALARM), []);
});
