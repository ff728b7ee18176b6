/**
 * Exact and statistical looks at a channel: whole distributions where they are small, and tests of rates that a right
 * client fails with a stated probability at most. Tails are bounded by Chernoff's theorem in its relative-entropy form
 * (Hoeffding 1963, theorem 1), which holds at every sample size.
 */

import { givenBytes } from "../src/coins.js";

const N_AT_ONCE = 500;

/**
 * Return how many of 256^width equally likely strings of bytes lead to every outcome.
 * @param {(take: import("../src/coins.js").Take) => Promise<unknown>} run what draws; the outcome is taken as JSON
 * @param {number} width the most bytes that it can draw; what would draw more counts as "more"
 * @returns {Promise<{[outcome: string]: number}>}
 */
export async function distribution(run, width) {
  /** @type {{[outcome: string]: number}} */
  const counts = {};
  const explore = async (/** @type {number[]} */ bytes) => {
    const outcome = await outcomeOf(run, bytes);
    if (outcome === undefined && bytes.length < width) {
      for (let next = 0; next < 256; next += 1) await explore([...bytes, next]);
      return;
    }
    const name = outcome ?? "more";
    counts[name] = (counts[name] ?? 0) + 256 ** (width - bytes.length);
  };
  await explore([]);
  return counts;
}

async function outcomeOf(
  /** @type {(take: import("../src/coins.js").Take) => Promise<unknown>} */ run,
  /** @type {number[]} */ bytes,
) {
  try {
    return JSON.stringify(await run(givenBytes(Uint8Array.from(bytes))));
  } catch (fault) {
    if (fault instanceof RangeError && fault.message.startsWith("given bytes")) return undefined;
    throw fault;
  }
}

/**
 * What is wrong: the cells whose rates are further off than a false alarm, shared by all cells, allows.
 * @param {{name: string, nOnes: number, n: number, prob: number}[]} cells ones among n looks, each 1 with a probability
 * @param {number} falseAlarm
 */
export function wrongCells(cells, falseAlarm) {
  const bound = (/** @type {typeof cells[0]} */ { nOnes, n, prob }) =>
    2 * Math.exp(-n * relativeEntropy(nOnes / n, prob));
  return cells.filter((cell) => bound(cell) < falseAlarm / cells.length).map(({ name }) => name);
}

function relativeEntropy(/** @type {number} */ seen, /** @type {number} */ expected) {
  const term = (/** @type {number} */ p, /** @type {number} */ q) => (p > 0 ? p * Math.log(p / q) : 0);
  return term(seen, expected) + term(1 - seen, 1 - expected);
}

/**
 * Have so many respondents report, some at once.
 * @template Report @param {number} n @param {(respondent: number) => Promise<Report>} report @returns {Promise<Report[]>}
 */
export async function collect(n, report) {
  const reports = [];
  for (let start = 0; start < n; start += N_AT_ONCE) {
    const respondents = Array.from({ length: Math.min(N_AT_ONCE, n - start) }, (_, index) => start + index);
    reports.push(...(await Promise.all(respondents.map(report))));
  }
  return reports;
}

/**
 * Count the bits that were reported: every position by itself, with a true 1 and with a true 0, and all together.
 * @param {Uint8Array[]} reported of 0 and 1, by respondent @param {Uint8Array[]} truth likewise
 * @param {{ifTrue: number, ifOther: number}} probs of a reported 1
 */
export function cellsOf(reported, truth, { ifTrue, ifOther }) {
  const nBits = truth[0].length;
  const [nOnes, n] = [new Uint32Array(2 * nBits), new Uint32Array(2 * nBits)];
  for (const [respondent, bits] of reported.entries()) {
    for (let bit = 0; bit < nBits; bit += 1) {
      const at = 2 * bit + truth[respondent][bit];
      nOnes[at] += bits[bit];
      n[at] += 1;
    }
  }
  const sum = (/** @type {Uint32Array} */ counts, /** @type {number} */ kind) =>
    counts.reduce((total, count, at) => total + (at % 2 === kind ? count : 0), 0);
  const cells = [];
  for (const [kind, word, prob] of /** @type {[number, string, number][]} */ ([
    [1, "true", ifTrue],
    [0, "other", ifOther],
  ])) {
    cells.push({ name: `all if ${word}`, nOnes: sum(nOnes, kind), n: sum(n, kind), prob });
    for (let bit = 0; bit < nBits; bit += 1) {
      cells.push({ name: `${bit} if ${word}`, nOnes: nOnes[2 * bit + kind], n: n[2 * bit + kind], prob });
    }
  }
  return cells;
}
