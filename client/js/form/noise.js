/** What a device does to an answer, in one line, and what anybody can learn of what it sends: as `sotto explain` has it. */

import { insideOf, ofPeople, rest, simple, supportOf, widthOf } from "./chance.js";
import { sayRounding } from "./rounding.js";

/** @typedef {import("./words.js").Translate} Translate */
/** @typedef {import("./chance.js").Fraction} Fraction */
/** @typedef {import("../src/survey.js").Question} Question */

const STEPS = [1, 10, 100, 1000, 10_000]; // parts of one per cent: finer near 0 and 100
const IMMATERIAL = 1e-9;

/** @param {Translate} t @param {Question} question @returns {string} */
export function sayInShort(t, question) {
  const said = sayChange(t, question);
  if (question.type !== "joint") return said;
  const others = t.n(
    "This answer and that to %(n)s other question are changed together, as one.",
    "This answer and those to %(n)s other questions are changed together, as one.",
    question.items.length - 1,
  );
  return t.text([said, others]);
}

function sayChange(/** @type {Translate} */ t, /** @type {Question} */ { type, mechanism, range }) {
  const known = /** @type {any} */ (mechanism);
  const support = supportOf(known);
  const chances = { lost: timesBelow(t, rest(support.ifTrue)), gained: timesBelow(t, support.ifOther) };
  if (type === "yes-no") return sayCoin(t, chances);
  if (type === "number") {
    const shape = { levels: known.levels, width: widthOf(known) };
    return sayRounding(t, shape, range, timesBelow(t, rest(insideOf(known))));
  }
  const { weight = 0, asked = 1, nValues: n } = known;
  switch (known.name) {
    case "k-ary":
      return t("Your device may change your answer at random. It sends a different option %(lost)s.", chances);
    case "subset":
      if (type === "any-of") return sayPadded(t, { weight, ...chances });
      return t(
        "Your device picks %(weight)s of the %(n)s options at random and sends them. Your option is missing " +
          "%(lost)s.",
        {
          n,
          weight,
          ...chances,
        },
      );
    case "geometry":
      return t(
        "Your device sends a number that fits some of the options. It does not fit your option %(lost)s.",
        chances,
      );
    case "sketch":
      return t("Your device sends a number that fits many texts. It does not fit your text %(lost)s.", chances);
    case "asked-option":
      if (asked > 1) return saySomeAsked(t, { asked, ...chances });
      return t(
        "Your device picks one option at random. It sends yes or no for that option only. That is the opposite " +
          "of your answer %(lost)s.",
        chances,
      );
    case "rappor":
      return t(
        "Your device turns your text into marks that other texts share, and changes them at random. It leaves " +
          "out a mark of yours %(lost)s. It adds any other mark %(gained)s.",
        chances,
      );
    default:
      return t(
        "Your device sends yes or no for each option, and may change each at random. For an option you choose, " +
          "it sends no %(lost)s. For any other option, it sends yes %(gained)s.",
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
    "Suppose someone is %(prior)s sure of your answer. After seeing what you send, they can be at most " +
      "%(highest)s sure.",
    {
      prior: t.percent(0.5),
      highest: suspicionOf(t, epsilon),
    },
  );
  const highest = { highest: suspicionOf(t, epsilonForever) };
  const inAll =
    epsilon === epsilonForever
      ? []
      : [t("After seeing all that you ever send for the same answer, they can be at most %(highest)s sure.", highest)];
  if (mechanism.name === "rappor") return [once, ...inAll];
  return [once, ...inAll, sayOthers(t, type, ofPeople(supportOf(mechanism).ifOther))];
}

function sayPadded(/** @type {Translate} */ t, /** @type {any} */ chances) {
  return t(
    "Your device mixes blanks with the options. It sends %(weight)s of them, picked at random. An option you choose is " +
      "missing %(lost)s. Any other option is sent %(gained)s.",
    chances,
  );
}

function saySomeAsked(/** @type {Translate} */ t, /** @type {any} */ chances) {
  return t(
    "Your device picks %(asked)s options at random. It sends yes or no for these options only. Each is the opposite of " +
      "your answer %(lost)s.",
    chances,
  );
}

function sayCoin(/** @type {Translate} */ t, /** @type {{lost: string, gained: string}} */ chances) {
  if (chances.lost === chances.gained)
    return t("Your device may change your answer at random. It sends the opposite %(lost)s.", chances);
  return t(
    "Your device may change your answer at random. If you say yes, it sends no %(lost)s. If you say no, it sends " +
      "yes %(gained)s.",
    chances,
  );
}

function sayOthers(
  /** @type {Translate} */ t,
  /** @type {string} */ type,
  /** @type {{n: number, people: number}} */ { n, people },
) {
  if (type === "yes-no") {
    return t.n(
      "By chance, %(n)s of every %(people)s people who say no also sends yes.",
      "By chance, %(n)s of every %(people)s people who say no also send yes.",
      n,
      { people },
    );
  }
  if (type === "any-of") {
    return t.n(
      "By chance, %(n)s of every %(people)s people asked about an option they did not choose sends yes for it.",
      "By chance, %(n)s of every %(people)s people asked about an option they did not choose send yes for it.",
      n,
      { people },
    );
  }
  if (type === "number") {
    return t.n(
      "By chance, %(n)s of every %(people)s people with the number farthest from yours looks as if they had " +
        "given yours.",
      "By chance, %(n)s of every %(people)s people with the number farthest from yours look as if they had " +
        "given yours.",
      n,
      { people },
    );
  }
  return t.n(
    "By chance, %(n)s of every %(people)s people with a different answer looks as if they had given yours.",
    "By chance, %(n)s of every %(people)s people with a different answer look as if they had given yours.",
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

/**
 * What a suspicion becomes at most, in per cent, rounded up: e^epsilon / (e^epsilon + odds against it).
 * @param {Translate} t @param {string} epsilon @param {number} prior
 */
export function suspicionOf(t, epsilon, prior = 0.5) {
  const percent = 100 * (1 / (1 + ((1 - prior) / prior) * Math.exp(-Number(epsilon))) - IMMATERIAL);
  const rounded = STEPS.map((parts) => Math.ceil(percent * parts) / parts);
  return t.percent((rounded.find((each) => 0 < each && each < 100) ?? 100) / 100);
}
