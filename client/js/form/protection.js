/** Bands of protection, by what a suspicion of 10 % can become: as sotto_protocol/protection.py has them. */

import { parseEpsilon } from "../src/decimals.js";

/**
 * What says a message in a language, and a share: the words of a form, or `inEnglish`.
 * @typedef {((message: string, values: {[name: string]: string}) => string) & {percent: (share: number) => string}} Say
 */

const PRIOR = 0.1;
/** Of each band the epsilon, in units of 1e-12, above which a suspicion can become more than the share. @type {[bigint, number][]} */
const LIMITS = [
  [6_792344427471n, 0.99],
  [4_394449154673n, 0.9],
  [2_197224577337n, 0.5],
];

/** @param {string} epsilon exact, in nats @returns {number} the share that a suspicion of 10 % can exceed; 0 where it is none */
export function exceeded(epsilon) {
  const units = parseEpsilon(epsilon) ?? 0n;
  const [, limit] = LIMITS.find(([most]) => units > most) ?? [0n, 0];
  return limit;
}

/**
 * Return in a sentence that a survey's answers are protected little; nothing where they are not.
 * @param {Say} t @param {{epsilonForever: string, nDrawn: number, maxReports: number}} survey @returns {string}
 */
export function sayLittle(t, { epsilonForever, nDrawn, maxReports }) {
  const share = exceeded(epsilonForever);
  if (share === 0) return "";
  const shares = { prior: t.percent(PRIOR), limit: t.percent(share) };
  if (maxReports > 1) {
    return t(
      "Your reports of all waves together are protected little. Someone who was %(prior)s sure of your answers " +
        "can become more than %(limit)s sure.",
      shares,
    );
  }
  if (nDrawn === 1) {
    return t(
      "Your answer is protected little. Someone who was %(prior)s sure of it can become more than %(limit)s sure.",
      shares,
    );
  }
  return t(
    "Your answers together are protected little. Someone who was %(prior)s sure of them can become more than " +
      "%(limit)s sure.",
    shares,
  );
}

/** @type {Say} */
export const inEnglish = Object.assign(
  (/** @type {string} */ message, /** @type {{[name: string]: string}} */ values) =>
    message.replace(/%\((\w+)\)s/g, (_, name) => values[name]),
  { percent: (/** @type {number} */ share) => `${100 * share} %` },
);
