/** A survey: what the collector publishes, checked from end to end. The collector is not trusted. */

import { inEnglish, sayLittle } from "../form/protection.js";
import { hex, sha256 } from "./bytes.js";
import { parseEpsilon, writeEpsilon } from "./decimals.js";
import { Fields, isText, notCanonical, parseJson } from "./documents.js";
import { AnswerError, SurveyError } from "./errors.js";
import { readMechanism } from "./mechanisms.js";
import { optionsOf, takeItems } from "./questions/joint.js";
import { CLOSED, PUBLISHED } from "./questions/types.js";
import { loadLate } from "./way.js";
import { LENGTHS, TAG_EXPECTED, isTag, readWords, takeText } from "./words.js";

export const MAX_SURVEY_BYTES = 2 ** 20;
const FORMAT = "sottovoce-survey-1";
const ID = /^[a-z0-9][a-z0-9_-]{0,63}$/;
export const HASH_EXPECTED = "64 hexadecimal digits";
export const ID_EXPECTED = "1 to 64 lower-case letters, digits, - or _, the first a letter or digit";
const STRATA_EXPECTED = "a list of 2 to 64 different names of 1 to 40 characters";
const DAY = /^(?!0000)\d{4}-\d{2}-\d{2}$/;
const WHY_INVITED = "go with invited = true alone.";
const MAX_ERASE_AFTER = 3653; // days: ten years
const WHY_CLOSES = "goes with closes alone.";
const WHY_KEPT = 'does not go with keep = "counts".';
const MAX_DECLARED = 10n ** 18n; // a million nats, in units of 1e-12
const SHARES = 10n ** 12n; // one, in units of 1e-12

/** What stands on a form for one answer: what is asked, and what may be answered. */
export class Item {
  /** @type {readonly Item[]} of a joint question what is asked together */
  #together;

  /** @param {Fields} fields @param {{[name: string]: import("./questions/types.js").QuestionType}} [types] */
  constructor(fields, types = CLOSED) {
    this.id = fields.take("id", ID_EXPECTED, isId);
    this.type = /** @type {keyof PUBLISHED} */ (fields.oneOf("type", Object.keys(types)));
    this.#together = this.type === "joint" ? takeItems(fields, readItem) : [];
    const texts = this.#together.map((/** @type {any} */ item) => item.text);
    /** @type {string} */
    this.text = this.type === "joint" ? texts.join(" ") : fields.text("text", LENGTHS.text);
    /** Whether its options have scores, and so an order. */
    this.scale = fields.has("scores"); // which its options take
    /** @type {readonly string[]} */
    this.options = this.type === "joint" ? optionsOf(this.#together) : Object.freeze([...this.kind.options(fields)]);
    /** @type {any} of a number question: minimum, maximum, step and unit */
    this.range = this.kind.range?.(fields) ?? null;
    /** @type {string | number | boolean | null} the answer that a skipped question counts as */
    this.skip = fields.has("skip") ? this.kind.skip(fields, this) : null;
    /** The margin of error that its author wants, as a plain decimal, or null. */
    this.want = fields.optional("want", null, () => takeWant(fields, this.range));
    /** The title of the section that begins with it, or "". */
    this.section = takeText(fields, "section");
  }

  /** What stands on a form for it: itself, or the items that are asked together. @returns {readonly Item[]} */
  get items() {
    return this.type === "joint" ? this.#together : [this];
  }

  /**
   * Return one person's answer as the mechanism takes it. Throws AnswerError, which never holds the answer.
   * @param {unknown} answer @returns {any} number, or as `Encoded`
   */
  encode(answer) {
    const given = answer ?? this.skip;
    const encoded = this.kind.encode(given, this);
    if (encoded === null) throw new AnswerError(this.id, `the answer must be ${this.kind.expected(given, this)}.`);
    return encoded;
  }

  /** What an answer must be, in words. */
  get expected() {
    return this.kind.expected(null, this);
  }

  /** @returns {import("./questions/types.js").QuestionType} */
  get kind() {
    return PUBLISHED[this.type];
  }
}

/** @returns {Item} */
function readItem(/** @type {Fields} */ fields) {
  const item = new Item(fields);
  fields.finish();
  Object.freeze(item);
  return item;
}

/** One question; epsilons are exact decimals, in nats: of one report, and of all reports of one answer. */
export class Question extends Item {
  /** @param {Fields} fields */
  constructor(fields) {
    super(fields, PUBLISHED);
    const epsilon = fields.epsilon("epsilon", MAX_DECLARED);
    const forever = fields.optional("epsilon_forever", epsilon, () => fields.epsilon("epsilon_forever", MAX_DECLARED));
    const stated = fields.take("mechanism", "an object", (value) => typeof value === "object");
    fields.finish();
    const nOptions = this.range === null ? this.options.length : this.range.span + 1;
    this.mechanism = readMechanism(new Fields(stated, `${fields.where}.mechanism`), this.type, nOptions);
    checkEpsilon(fields, "epsilon", epsilon, this.mechanism.epsilon);
    checkEpsilon(fields, "epsilon_forever", forever, this.mechanism.epsilonForever);
    this.epsilon = writeEpsilon(epsilon);
    this.epsilonForever = writeEpsilon(forever);
    Object.freeze(this);
  }

  /**
   * Return the epsilon that `nReports` reports of one answer take together, in units of 1e-12 nats: at most
   * `epsilonForever`.
   * @param {number} nReports
   */
  epsilonOf(nReports) {
    const [once, forever] = [this.epsilon, this.epsilonForever].map((text) => parseEpsilon(text) ?? 0n);
    const { mechanism } = this; // one without a word on it has reports of which the epsilons add up
    const together = "epsilonOf" in mechanism ? mechanism.epsilonOf(nReports, once) : BigInt(nReports) * once;
    return together < forever ? together : forever;
  }

  /**
   * Return what `encode` takes, of answers by item.
   * @param {{[id: string]: unknown}} answers
   */
  answerIn(answers) {
    const given = (/** @type {Item} */ { id }) => (Object.keys(answers).includes(id) ? answers[id] : null);
    return this.type === "joint" ? Object.fromEntries(this.items.map((item) => [item.id, given(item)])) : given(this);
  }

  /** @param {Uint8Array} report @returns {any} what it says in the survey's words: see `Draft.reported` */
  reported(report) {
    return this.kind.said(this.mechanism.said(report), this);
  }
}

/** A survey, checked; epsilons are exact decimals, in nats: of one report, and of all waves if the answers stay. */
export class Survey {
  /** @type {readonly import("./words.js").SurveyWords[]} */
  #words;

  /**
   * @param {Fields} fields @param {string} canonical its text @param {string} fingerprint the text's SHA-256
   * @param {import("./way.js").Blind | null} blind
   */
  constructor(fields, canonical, fingerprint, blind) {
    fields.oneOf("format", [FORMAT]);
    /** @type {string} */
    this.id = fields.take("id", ID_EXPECTED, isId);
    this.title = fields.text("title", LENGTHS.title);
    const epsilon = fields.epsilon("epsilon", MAX_DECLARED * 200n);
    const listed = fields.take("questions", "a list of 1 to 200 questions", (value) => isList(value, 1, 200));
    this.waves = fields.count("waves", 1, 2, 1000);
    this.invited = fields.flag("invited");
    this.minReports = fields.count("min_reports", 1, 1, 1_000_000);
    this.publicResults = fields.flag("public_results");
    const keep = fields.word("keep", ["reports", "counts"]);
    this.keep = /** @type {"reports" | "counts"} what the collector keeps */ (keep);
    /** How many questions each device draws; 0: it asks all. */
    this.draw = fields.count("draw", 0, 1, 199);
    /** In how many of its waves each device is asked; 0: in all. */
    this.askedIn = fields.count("asked_in", 0, 1, 999);
    if (this.askedIn >= this.waves) throw fields.fail("asked_in", whyNot(this.waves));
    /** The most reports of one device. */
    this.maxReports = this.askedIn || this.waves;
    /** @type {readonly string[]} the groups in which people are invited */
    this.strata = Object.freeze(fields.optional("strata", [], () => fields.take("strata", STRATA_EXPECTED, areStrata)));
    /**
     * What trades an invitation for a token that nobody can join to it; undefined where invitations are sent.
     * @type {import("../blind/index.js").OfSurvey | undefined}
     */
    this.blind = blind?.of(fields, this);
    const about = fields.word("about", ["population", "respondents"]);
    this.about = /** @type {"population" | "respondents"} whom its results are about */ (about);
    /** The language of its texts, a tag. */
    this.lang = fields.optional("lang", "en", () => fields.take("lang", TAG_EXPECTED, isTag));
    this.introduction = takeText(fields, "introduction");
    this.controller = takeText(fields, "controller");
    this.contact = takeText(fields, "contact");
    /** The last day on which a collector takes reports, in UTC, such as 2026-12-31; or "". */
    this.closes = fields.optional("closes", "", () => fields.take("closes", "a day such as 2026-12-31", isDay));
    /** How many days after the last one the collector erases the reports and keeps counts; 0: it never does. */
    this.eraseAfter = fields.count("erase_after", 0, 1, MAX_ERASE_AFTER);
    /** The first day, in UTC, on which the reports must be gone, or "". */
    this.eraseOn = eraseDay(fields, this);
    /** How devices reach the collector: `oblivious`, only by encrypted requests through a relay. @type {"direct" | "oblivious"} */
    this.delivery = fields.word("delivery", ["direct", "oblivious"]);
    const isOblivious = this.delivery === "oblivious";
    /** The address of the relay, or ""; `oblivious.min.js` checks it. */
    this.relay = isOblivious ? fields.text("relay", 300) : "";
    /** The key that signs those of the collector's gateway, Ed25519 in 64 hexadecimal digits; or "". @type {string} */
    this.gatewayKey = isOblivious ? fields.take("gateway_key", HASH_EXPECTED, isHash) : "";
    if (this.strata.length > 0 && !this.invited) throw fields.fail("strata", WHY_INVITED);
    this.questions = readQuestions(fields, listed);
    this.#words = readWords(fields, this);
    fields.finish();
    /** The tags of the languages in which it can be read, its own first. */
    this.languages = Object.freeze(this.#words.map((words) => words.lang));
    if (this.draw >= this.questions.length) throw fields.fail("draw", whyNot(this.questions.length));
    /** How many questions a device answers. */
    this.nDrawn = this.draw || this.questions.length;
    const ids = this.questions.flatMap(({ items }) => items.map(({ id }) => id));
    if (this.nDrawn > 1 && new Set(ids).size < ids.length) {
      throw fields.fail("draw", "must be 1.");
    }
    const nLasting = this.questions.filter(
      ({ mechanism }) => "hasTwoStages" in mechanism && mechanism.hasTwoStages,
    ).length;
    if (this.askedIn > 0 && nLasting > 0 && (this.askedIn === 1 || nLasting < this.questions.length)) {
      throw fields.fail("asked_in", "goes with epsilon_forever above 1, in every question or in none.");
    }
    /** Whether a device's reports of an answer share their permanent noise, over the waves. */
    this.keepsNoise = this.maxReports > 1 && (this.askedIn === 0 || nLasting > 0);
    if (epsilon !== this.#sumOf((question) => parseEpsilon(question.epsilon) ?? 0n)) throw notCanonical();
    this.epsilon = writeEpsilon(epsilon);
    this.epsilonForever = writeEpsilon(
      this.keepsNoise
        ? this.#sumOf((question) => question.epsilonOf(this.maxReports))
        : this.#sumOf((question) => question.epsilonOf(1)) * BigInt(this.maxReports),
    );
    this.canonical = canonical;
    this.fingerprint = fingerprint;
    Object.freeze(this);
  }

  /**
   * Return the words that respondents read in one of its languages. Answers are always options of its own language.
   * Throws RangeError for another language.
   * @param {string} [lang] the survey's own by default
   */
  words(lang = this.lang) {
    const found = this.#words.find((words) => words.lang === lang);
    if (found === undefined) throw new RangeError(`lang must be one of ${this.languages.join(", ")}.`);
    return found;
  }

  /**
   * An English sentence for respondents if their answers are protected little, or else "". Show it above the questions,
   * and where respondents look at what will be sent.
   */
  get protectedLittle() {
    return sayLittle(inEnglish, this);
  }

  /** The largest of what questions take, of as many as a device answers. */
  #sumOf(/** @type {(question: Question) => bigint} */ epsilonOf) {
    const taken = this.questions.map(epsilonOf).sort((left, right) => Number(right > left) - Number(right < left));
    return taken.slice(0, this.nDrawn).reduce((sum, epsilon) => sum + epsilon, 0n);
  }

  /** Throw RangeError for a wave that this survey does not have. @param {number} wave */
  checkWave(wave) {
    if (!Number.isInteger(wave) || wave < 1 || wave > this.waves) {
      throw new RangeError(`wave must be an integer in [1, ${this.waves}].`);
    }
  }

  /**
   * Return every question's encoded answer. Throws AnswerError, which never quotes what was given.
   *
   * Every question must be answered: a gap in a report would show that it was skipped. If a question has `skip`, an
   * answer that is null, undefined or left out counts as that. In a survey with `draw` only the drawn questions need an
   * answer. Answers to the others are checked and dropped, and are null here.
   * @param {{[id: string]: unknown}} answers @param {readonly boolean[]} [drawn]
   * @returns {(import("./mechanisms.js").Encoded | null)[]}
   */
  encode(answers, drawn = this.questions.map(() => true)) {
    if (!isPlain(answers)) throw new AnswerError("$", "answers must be a plain object, from question ids to answers.");
    const given = Object.keys(answers);
    const needed = this.questions.flatMap((question, index) => (drawn[index] ? question.items : []));
    const missing = needed.filter(({ id, skip }) => skip === null && !given.includes(id)).map(({ id }) => id);
    if (missing.length > 0) {
      const why = "every question must be answered, because a skipped one would leak";
      throw new AnswerError("$", `${why}. Missing: ${[...new Set(missing)].join(", ")}.`);
    }
    const ids = this.items.map((item) => item.id);
    const nUnknown = given.filter((id) => !ids.includes(id)).length; // it may be an answer by mistake: not quoted
    if (nUnknown > 0)
      throw new AnswerError("$", `${nUnknown} unknown question id(s); the survey has ${ids.join(", ")}.`);
    return this.questions.map((question, index) => {
      if (drawn[index]) return question.encode(question.answerIn(answers));
      for (const item of question.items) {
        const answer = given.includes(item.id) ? answers[item.id] : null;
        if ((answer ?? null) !== null) item.encode(answer);
      }
      return null;
    });
  }

  /**
   * How many questions a respondent is asked, and of how many, where each drawn question has as many items.
   * @returns {[number, number]}
   */
  get nAsked() {
    const sizes = new Set(this.questions.map(({ items }) => items.length));
    const nItems = sizes.size === 1 ? this.questions[0].items.length : 1;
    return [nItems * this.nDrawn, nItems > 1 ? this.items.length : this.questions.length];
  }

  /**
   * The question that an item is asked in: itself, or of those asked together the one whose items are all `asked`.
   * @param {Item} item @param {readonly Item[]} asked @returns {Question}
   */
  questionOf({ id }, asked) {
    const isAsked = (/** @type {Item} */ each) => asked.some((one) => one.id === each.id);
    const found = this.questions.filter(({ items }) => items.some((each) => each.id === id));
    return found.find(({ items }) => items.every(isAsked)) ?? found[0];
  }

  /** What stands on a form, each item once, in order: those of questions that are asked together, too. */
  get items() {
    const byId = new Map(this.questions.flatMap(({ items }) => items.map((item) => [item.id, item])));
    return [...byId.values()];
  }
}

/**
 * Return a published survey, trusting nothing: thresholds, epsilons and the text's form are checked. Throws SurveyError,
 * also where a question takes more epsilon than it declares, and DeliveryError where what trades blind invitations cannot
 * be loaded.
 * @param {Uint8Array} bytes @returns {Promise<Survey>}
 */
export async function readSurvey(bytes) {
  if (bytes.length > MAX_SURVEY_BYTES) throw new SurveyError("$", `must have at most ${MAX_SURVEY_BYTES} bytes.`);
  const { document, isCanonical } = parseJson(bytes);
  const canonical = new TextDecoder().decode(bytes);
  const isBlind = /** @type {any} */ (document)?.invitations === "blind";
  const blind = isBlind ? await loadLate("blind") : null;
  const survey = new Survey(new Fields(document, "$"), canonical, hex(await sha256(bytes)), blind);
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

/** @returns {string} a half-width above 0, of shares at most 0.5, of numbers at most half of their range */
function takeWant(/** @type {Fields} */ fields, /** @type {Question["range"]} */ range) {
  const most =
    range === null ? SHARES / 2n : (SHARES * BigInt(range.span) * BigInt(range.step)) / BigInt(2 * range.scale);
  const want = fields.epsilon("want", most);
  if (want === 0n) throw fields.fail("want", "must be above 0.");
  return writeEpsilon(want);
}

/** @param {unknown} value whether it can be a SHA-256, or an Ed25519 key, in hexadecimal digits */
export function isHash(value) {
  return typeof value === "string" && /^[0-9a-f]{64}$/.test(value);
}

function isDay(/** @type {unknown} */ value) {
  if (typeof value !== "string" || !DAY.test(value)) return false;
  const day = new Date(`${value}T00:00Z`); // some browsers take February 30 for another day
  return !Number.isNaN(+day) && day.toISOString().startsWith(value);
}

/** @returns {string} */
function eraseDay(
  /** @type {Fields} */ fields,
  /** @type {{closes: string, eraseAfter: number, keep: string}} */ said,
) {
  if (said.eraseAfter === 0) return "";
  if (said.closes === "") throw fields.fail("erase_after", WHY_CLOSES);
  if (said.keep === "counts") throw fields.fail("erase_after", WHY_KEPT);
  const day = new Date(`${said.closes}T00:00Z`);
  day.setUTCDate(day.getUTCDate() + said.eraseAfter);
  if (day.getUTCFullYear() > 9999) throw fields.fail("erase_after", "must end before 10000.");
  return day.toISOString().slice(0, 10);
}

/** @returns {readonly Question[]} */
function readQuestions(/** @type {Fields} */ fields, /** @type {unknown[]} */ listed) {
  const questions = listed.map((stated, index) => new Question(new Fields(stated, `$.questions[${index}]`)));
  const ids = new Set(questions.map((question) => question.id));
  const items = questions.flatMap((question) => question.items);
  const textOf = (/** @type {Item} */ { type, text, options, skip, want, section }) =>
    JSON.stringify([type, text, options, skip, want, section]);
  const known = new Map(items.map((item) => [item.id, textOf(item)]));
  const isOther = (/** @type {Item} */ item) => known.get(item.id) !== textOf(item);
  const joint = questions.filter(({ type }) => type === "joint");
  const together = new Set(joint.flatMap((question) => question.items.map(({ id }) => id)));
  const isTaken = (/** @type {Question} */ { id }) => together.has(id);
  if (ids.size < questions.length || items.some(isOther) || questions.some(isTaken)) {
    throw fields.fail("questions", "must not have two questions of the same id.");
  }
  return Object.freeze(questions);
}

function areStrata(/** @type {unknown} */ value) {
  const isName = (/** @type {unknown} */ name) => isText(name, 40) && !/^ | $/.test(String(name));
  return isList(value, 2, 64) && value.every(isName) && new Set(value).size === value.length;
}

function whyNot(/** @type {number} */ n) {
  return n === 1 ? "must be left out." : `must be in [1, ${n - 1}].`;
}

/** @returns {value is unknown[]} */
function isList(/** @type {unknown} */ value, /** @type {number} */ fewest, /** @type {number} */ most) {
  return Array.isArray(value) && fewest <= value.length && value.length <= most;
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
