/** A survey: what the collector publishes, checked from end to end. The collector is not trusted. */

import { hex, sha256 } from "./bytes.js";
import { parseEpsilon, writeEpsilon } from "./decimals.js";
import { Fields, isText, parseJson } from "./documents.js";
import { AnswerError, SurveyError } from "./errors.js";
import { readMechanism } from "./mechanisms.js";
import { EXPECTED, expectedOf, isAnswer, normalise } from "./text.js";

export const MAX_SURVEY_BYTES = 2 ** 20;
const FORMAT = "sottovoce-survey-1";
const ID = /^[a-z0-9][a-z0-9_-]{0,63}$/;
const ID_EXPECTED = "1 to 64 lower-case letters, digits, - or _, the first a letter or digit";
const TYPES = ["yes-no", "one-of", "any-of", "text"];
const MAX_TEXT = 2000;
const MAX_OPTIONS = 4096;
const MAX_OPTION_TEXT = 200;
const MAX_DECLARED = 10n ** 18n; // a million nats, in units of 1e-12

/** @typedef {"yes-no" | "one-of" | "any-of" | "text"} QuestionType */

/** One question; epsilons are exact decimals, in nats: of one report, and of all reports of one answer. */
export class Question {
  /** @param {Fields} fields */
  constructor(fields) {
    this.id = fields.take("id", ID_EXPECTED, isId);
    this.type = /** @type {QuestionType} */ (fields.oneOf("type", TYPES));
    this.text = fields.text("text", MAX_TEXT);
    this.options = readOptions(fields, this.type);
    /** @type {string | null} what no answer stands for */
    this.skip = readSkip(fields, this.type, this.options);
    const epsilon = fields.epsilon("epsilon", MAX_DECLARED);
    const isSplit = fields.has("epsilon_forever");
    const forever = isSplit ? fields.epsilon("epsilon_forever", MAX_DECLARED) : epsilon;
    const stated = fields.take("mechanism", "an object", (value) => typeof value === "object");
    fields.finish();
    this.mechanism = readMechanism(new Fields(stated, `${fields.where}.mechanism`), this.type, this.options.length);
    checkEpsilon(fields, "epsilon", epsilon, this.mechanism.epsilon);
    checkEpsilon(fields, "epsilon_forever", forever, this.mechanism.epsilonForever);
    if (isSplit && forever === epsilon) throw notCanonical();
    this.epsilon = writeEpsilon(epsilon);
    this.epsilonForever = writeEpsilon(forever);
    Object.freeze(this);
  }

  /**
   * Return what so many reports of one answer take together, in units of 1e-12 nats: never more than `epsilonForever`.
   * @param {number} nReports
   */
  epsilonOf(nReports) {
    const [once, forever] = [this.epsilon, this.epsilonForever].map((text) => parseEpsilon(text) ?? 0n);
    const together = BigInt(nReports) * once;
    return together < forever ? together : forever;
  }

  /**
   * Return one person's answer as the mechanism takes it. Throws AnswerError, which never holds the answer.
   * @param {unknown} answer @returns {import("./mechanisms.js").Encoded}
   */
  encode(answer) {
    const given = answer ?? this.skip;
    const index = this.options.indexOf(/** @type {string} */ (given));
    if (this.type === "yes-no" && typeof given === "boolean") return given ? 1 : 0;
    if (this.type === "one-of" && index >= 0) return index;
    if (this.type === "text" && isAnswer(given)) return normalise(given);
    if (this.type === "any-of" && (Array.isArray(given) || given instanceof Set)) {
      const selected = new Set(given);
      const known = this.options.map((option) => (selected.has(option) ? 1 : 0));
      const nGiven = Array.isArray(given) ? given.length : given.size;
      const nSelected = known.filter((bit) => bit === 1).length;
      if (nSelected === nGiven && nSelected <= this.maxSelected) return Uint8Array.from(known);
    }
    throw new AnswerError(this.id, `the answer must be ${this.type === "text" ? expectedOf(given) : this.expected}.`);
  }

  /** How many options one person may select. */
  get maxSelected() {
    const most = { "yes-no": 0, "one-of": 1, "any-of": this.options.length, text: 0 }[this.type];
    return "published" in this.mechanism ? (this.mechanism.published.max_selected ?? most) : most;
  }

  /** In words, what an answer must be. */
  get expected() {
    if (this.type === "yes-no") return "true or false";
    if (this.type === "text") return EXPECTED;
    const listed = this.options.slice(0, 12).join(" | ") + (this.options.length > 12 ? " | .." : "");
    if (this.type === "one-of") return `one of these texts: ${listed}`;
    return `an array or set of at most ${this.maxSelected} of these texts, none twice: ${listed}`;
  }

  /** @param {Uint8Array} report @returns {any} what it says in the survey's words: see `Draft.reported` */
  reported(report) {
    const said = this.mechanism.said(report);
    if (this.type === "text") return said;
    return this.type === "yes-no" ? said.length > 0 : said.map((/** @type {number} */ value) => this.options[value]);
  }
}

/** A survey, checked; epsilons are exact decimals, in nats: of one report, and of all waves if the answers stay. */
export class Survey {
  /** @param {Fields} fields @param {string} canonical its text @param {string} fingerprint the text's SHA-256 */
  constructor(fields, canonical, fingerprint) {
    fields.oneOf("format", [FORMAT]);
    /** @type {string} */
    this.id = fields.take("id", ID_EXPECTED, isId);
    this.title = fields.text("title", MAX_TEXT);
    const epsilon = fields.epsilon("epsilon", MAX_DECLARED * 200n);
    const listed = fields.take("questions", "a list of 1 to 200 questions", (value) => isList(value, 1, 200));
    this.waves = fields.has("waves") ? fields.integer("waves", 2, 1000) : 1;
    this.invited = fields.flag("invited");
    this.minReports = readMinimum(fields);
    this.publicResults = fields.flag("public_results");
    this.keep = readKeep(fields);
    fields.finish();
    this.questions = readQuestions(fields, listed);
    if (epsilon !== sumOf(this.questions, (question) => parseEpsilon(question.epsilon) ?? 0n)) throw notCanonical();
    this.epsilon = writeEpsilon(epsilon);
    this.epsilonForever = writeEpsilon(sumOf(this.questions, (question) => question.epsilonOf(this.waves)));
    this.canonical = canonical;
    this.fingerprint = fingerprint;
    Object.freeze(this);
  }

  /** Throw RangeError for a wave that this survey has not. @param {number} wave */
  checkWave(wave) {
    if (!Number.isInteger(wave) || wave < 1 || wave > this.waves) {
      throw new RangeError(`wave must be an integer in [1, ${this.waves}].`);
    }
  }

  /**
   * Return every question's encoded answer. Throws AnswerError, which never quotes what was given.
   *
   * Every question must be answered: a report without one would tell that it was skipped. Where a question has `skip`,
   * an answer that is null, undefined or left out stands for that.
   * @param {{[id: string]: unknown}} answers @returns {import("./mechanisms.js").Encoded[]}
   */
  encode(answers) {
    if (!isPlain(answers)) throw new AnswerError("$", "answers must be a plain object, from question ids to answers.");
    const ids = this.questions.map((question) => question.id);
    const given = Object.keys(answers);
    const missing = this.questions.filter(({ id, skip }) => skip === null && !given.includes(id)).map(({ id }) => id);
    if (missing.length > 0) {
      const why = "every question must be answered, since skipping one would leak";
      throw new AnswerError("$", `${why}; missing: ${missing.join(", ")}.`);
    }
    const nUnknown = given.filter((id) => !ids.includes(id)).length; // it may be an answer by mistake: not quoted
    if (nUnknown > 0)
      throw new AnswerError("$", `${nUnknown} unknown question id(s); the survey has ${ids.join(", ")}.`);
    return this.questions.map(({ id }, index) => this.questions[index].encode(given.includes(id) ? answers[id] : null));
  }
}

/**
 * Return a published survey, trusting nothing: thresholds, epsilons and the text's form are checked. Throws SurveyError,
 * also where a question takes more epsilon than it declares.
 * @param {Uint8Array} bytes @returns {Promise<Survey>}
 */
export async function readSurvey(bytes) {
  if (bytes.length > MAX_SURVEY_BYTES) throw new SurveyError("$", `must have at most ${MAX_SURVEY_BYTES} bytes.`);
  const { document, isCanonical } = parseJson(bytes);
  const canonical = new TextDecoder().decode(bytes);
  const survey = new Survey(new Fields(document, "$"), canonical, hex(await sha256(bytes)));
  if (!isCanonical) throw notCanonical();
  return survey;
}

/** @param {unknown} value @returns {value is string} whether a survey or a question can have it as its id */
export function isId(value) {
  return typeof value === "string" && ID.test(value);
}

/** A map, a form's data or a promise has no members of its own: every answer would count as skipped. */
function isPlain(/** @type {unknown} */ value) {
  if (value === null || typeof value !== "object") return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function readMinimum(/** @type {Fields} */ fields) {
  if (!fields.has("min_reports")) return 1;
  const minimum = fields.integer("min_reports", 1, 1_000_000);
  if (minimum === 1) throw notCanonical(); // it is left out then
  return minimum;
}

/** What the collector keeps. @returns {"reports" | "counts"} */
function readKeep(/** @type {Fields} */ fields) {
  if (!fields.has("keep")) return "reports";
  if (fields.oneOf("keep", ["reports", "counts"]) === "reports") throw notCanonical(); // it is left out then
  return "counts";
}

/** @returns {readonly Question[]} */
function readQuestions(/** @type {Fields} */ fields, /** @type {unknown[]} */ listed) {
  const questions = listed.map((stated, index) => new Question(new Fields(stated, `$.questions[${index}]`)));
  const ids = new Set(questions.map((question) => question.id));
  if (ids.size < questions.length) throw fields.fail("questions", "must not have two questions of the same id.");
  return Object.freeze(questions);
}

function sumOf(/** @type {readonly Question[]} */ questions, /** @type {(question: Question) => bigint} */ epsilonOf) {
  return questions.reduce((sum, question) => sum + epsilonOf(question), 0n);
}

function notCanonical() {
  return new SurveyError("$", "must be in canonical form, its epsilon the sum of its questions'.");
}

function isList(/** @type {unknown} */ value, /** @type {number} */ fewest, /** @type {number} */ most) {
  return Array.isArray(value) && fewest <= value.length && value.length <= most;
}

/** @returns {readonly string[]} */
function readOptions(/** @type {Fields} */ fields, /** @type {QuestionType} */ type) {
  if (type === "yes-no" || type === "text") return Object.freeze([]);
  const fewest = type === "one-of" ? 2 : 1;
  const expected = `a list of ${fewest} to ${MAX_OPTIONS} different texts of 1 to ${MAX_OPTION_TEXT} characters`;
  const areOptions = (/** @type {any} */ value) =>
    isList(value, fewest, MAX_OPTIONS) &&
    value.every((/** @type {unknown} */ option) => isText(option, MAX_OPTION_TEXT)) &&
    new Set(value).size === value.length;
  return Object.freeze(fields.take("options", expected, areOptions));
}

function readSkip(
  /** @type {Fields} */ fields,
  /** @type {QuestionType} */ type,
  /** @type {readonly string[]} */ options,
) {
  if (!fields.has("skip")) return null;
  if (type === "one-of") return fields.oneOf("skip", options);
  const isGood = (/** @type {unknown} */ value) => type === "text" && isAnswer(value) && value === normalise(value);
  return fields.take("skip", "a text, and of a one-of or text question", isGood);
}

function checkEpsilon(
  /** @type {Fields} */ fields,
  /** @type {string} */ key,
  /** @type {bigint} */ declared,
  /** @type {bigint} */ taken,
) {
  if (taken <= declared) return;
  throw fields.fail(key, `declares ${writeEpsilon(declared)} but the thresholds take ${writeEpsilon(taken)}.`);
}
