/** What a device does to an answer, in one line, and what anybody can learn of what it sends: as `sotto explain` has it. */

import { insideOf, ofPeople, rest, simple, supportOf } from "./chance.js";

/** @typedef {import("./words.js").Translate} Translate */
/** @typedef {import("./chance.js").Fraction} Fraction */
/** @typedef {import("../src/survey.js").Question} Question */

const STEPS = [10, 100, 1000, 10_000]; // parts of one per cent: finer near 0 and 100
const IMMATERIAL = 1e-9;

/** @param {Translate} t @param {Question} question @returns {string} */
export function sayInShort(t, { type, mechanism }) {
  const known = /** @type {any} */ (mechanism);
  const support = supportOf(known);
  const chances = { lost: timesBelow(t, rest(support.ifTrue)), gained: timesBelow(t, support.ifOther) };
  if (type === "yes-no") return sayCoin(t, chances);
  if (type === "number") return sayRounding(t, known);
  const { weight = 0, nValues: n } = known;
  switch (known.name) {
    case "k-ary":
      return t("Your device rolls a die: %(lost)s it sends another option, drawn at random.", chances);
    case "subset":
      return t("Your device draws %(weight)s of the %(n)s options and sends these: %(lost)s yours is not among them.", {
        n,
        weight,
        ...chances,
      });
    case "geometry":
      return t("Your device sends a number that speaks for some options: %(lost)s yours is not among them.", chances);
    case "sketch":
      return t("Your device sends a number that speaks for many texts: %(lost)s yours is not among them.", chances);
    case "asked-option":
      return t(
        "Your device draws one of the options and sends a yes or a no to it alone: %(lost)s the opposite.",
        chances,
      );
    case "rappor":
      return t(
        "Your device turns your text into a pattern that other texts share, and chance changes it: what is yours is left " +
          "out %(lost)s, what is not is put in %(gained)s.",
        chances,
      );
    default:
      return t(
        "Your device sends a yes or a no for each option, and flips a coin for each: a yes is sent as a no %(lost)s, a no " +
          "as a yes %(gained)s.",
        chances,
      );
  }
}

/**
 * Return what a report tells at most, a sentence each: to who suspects an answer, and of others who send as much by chance.
 * @param {Translate} t @param {Question} question @returns {string[]}
 */
export function sayReadings(t, question) {
  const { epsilon, epsilonForever, type, mechanism } = question;
  const once = t(
    "Whoever is %(prior)s sure of your answer is at most %(highest)s sure of it after seeing what you send.",
    {
      prior: t.percent(0.5),
      highest: suspicionOf(t, epsilon),
    },
  );
  const highest = { highest: suspicionOf(t, epsilonForever) };
  const inAll =
    epsilon === epsilonForever
      ? []
      : [t("After all that you send of the same answer, however often, at most %(highest)s.", highest)];
  if (mechanism.name === "rappor") return [once, ...inAll];
  return [once, ...inAll, sayOthers(t, type, ofPeople(supportOf(mechanism).ifOther))];
}

function sayCoin(/** @type {Translate} */ t, /** @type {{lost: string, gained: string}} */ chances) {
  if (chances.lost === chances.gained) return t("Your device flips a coin: %(lost)s it sends the opposite.", chances);
  return t("Your device flips a coin: a yes is sent as a no %(lost)s, a no as a yes %(gained)s.", chances);
}

function sayRounding(/** @type {Translate} */ t, /** @type {any} */ mechanism) {
  const { levels, width } = mechanism;
  const lost = timesBelow(t, rest(insideOf(mechanism)));
  if (levels + width === 3) {
    return t("Your device rounds your number to the least or the greatest by chance: %(lost)s it sends the other.", {
      lost,
    });
  }
  return t(
    "Your device rounds your number to one of %(levels)s, by chance: %(lost)s it sends a sign, drawn at random, that " +
      "stands for another.",
    { levels, lost },
  );
}

function sayOthers(
  /** @type {Translate} */ t,
  /** @type {string} */ type,
  /** @type {{n: number, people: number}} */ { n, people },
) {
  if (type === "yes-no") {
    return t.n(
      "Of %(people)s people whose answer is no, %(n)s says yes by chance too.",
      "Of %(people)s people whose answer is no, %(n)s say yes by chance too.",
      n,
      { people },
    );
  }
  if (type === "any-of") {
    return t.n(
      "Of %(people)s people who are asked about an option and did not choose it, %(n)s says by chance that they did.",
      "Of %(people)s people who are asked about an option and did not choose it, %(n)s say by chance that they did.",
      n,
      { people },
    );
  }
  if (type === "number") {
    return t.n(
      "Of %(people)s people whose number is as far from yours as can be, %(n)s sends by chance what speaks for yours.",
      "Of %(people)s people whose number is as far from yours as can be, %(n)s send by chance what speaks for yours.",
      n,
      { people },
    );
  }
  return t.n(
    "Of %(people)s people with another answer, %(n)s sends by chance what speaks for yours.",
    "Of %(people)s people with another answer, %(n)s send by chance what speaks for yours.",
    n,
    { people },
  );
}

/** A probability as a frequency: exactly where it is simple, else rounded down. */
function timesBelow(/** @type {Translate} */ t, /** @type {Fraction} */ fraction) {
  const exact = simple(fraction);
  if (exact !== null) return t.n("%(n)s time in %(of)s", "%(n)s times in %(of)s", exact.n, { of: exact.of });
  const { n, people: of } = ofPeople(fraction);
  if (n === 0) return t("hardly ever");
  return t.n("at least %(n)s time in %(of)s", "at least %(n)s times in %(of)s", n, { of });
}

/** What a suspicion of one half becomes at most, in per cent, rounded up: e^epsilon / (e^epsilon + 1). */
function suspicionOf(/** @type {Translate} */ t, /** @type {string} */ epsilon) {
  const percent = 100 * (1 / (1 + Math.exp(-Number(epsilon))) - IMMATERIAL);
  const rounded = STEPS.map((parts) => Math.ceil(percent * parts) / parts);
  return t.percent((rounded.find((each) => 0 < each && each < 100) ?? 100) / 100);
}
