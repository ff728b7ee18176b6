/**
 * A program that asks itself: it declares its measures once, and answers a survey on its own, at most once a wave.
 *
 * Before the user has agreed, nothing is drawn, written or sent. What works in the background never throws into the
 * program, prints, or keeps it from ending.
 */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { sayFirst } from "../form/first.js";
import { sayInShort } from "../form/noise.js";
import { sayEpsilon } from "../form/said.js";
import { makeWords } from "../form/words.js";
import { KeptState } from "../kept/storage.js";
import { drawUpTo } from "../src/coins.js";
import { DAY_MS, endVersion, entriesOf } from "../src/ledger.js";
import { Delivery, MAX_DELAY_MS } from "../src/delivery.js";
import { BudgetExceeded, NotAsked, ParticipationEnded, StateError, SurveyRefused } from "../src/errors.js";
import { checkNumber } from "../src/options.js";
import { rejectedReports, waitingReports } from "../src/outbox.js";
import { dropSent } from "../src/sent.js";
import { readSurvey } from "../src/survey.js";
import { SurveyClient } from "./client.js";
import { SWITCHES, isSwitchedOff, readNote, writeNote } from "./consent.js";
import { sayChanges, wrapped } from "./consent-text.js";
import { Folder, homeOfStates } from "./folder.js";

/** The longest that a command line waits for its measures, by default. */
const ATTEMPT_MS = 2000;
/** Between two attempts to answer, and between two looks of a program that runs for long; on average. */
const RETRY_MS = 3_600_000;
const PROGRAM = /^[a-z0-9][a-z0-9._-]{0,63}$/;
const MOST_DAYS = 366;
const NO_REPORT =
  "This device makes no report. It is not asked, its budget is used up, or measures were switched off after a report.";
const SENT = "A report was made and sent. Its receipt, which can erase it, is";
const WAITS = "A report was made, and waits. Its receipt, which can erase it, is";
const REFUSED = "A report was made, and the collector refused it. Its receipt is";
const DELETED =
  "A report was made. It was deleted, as measures were switched off before the collector had confirmed it. If it " +
  "arrived all the same, its receipt can erase it:";
const OPTIONS = ["maxEpsilon", "maxPeriodEpsilon", "periodDays", "relayUrl", "resendDays"];

/** @typedef {import("../src/survey.js").Item} Item */
/** @typedef {import("../src/survey.js").Survey} Survey */
/**
 * Wave 1 of a survey with waves begins on the day `starts` (an ISO date, UTC), and each wave lasts `days` days. A report is made at the first
 * attempt in a wave, and waits for a random time of at most `maxDelayMs` before it is sent: by default half a wave, and a
 * week at most. `folder` keeps the state, by default `$XDG_STATE_HOME/sottovoce/PROGRAM-node`, or below ~/.local/state.
 * @typedef {{program: string, starts?: string, days?: number, maxDelayMs?: number, folder?: string}
 *   & Pick<import("../src/options.js").Options, "maxEpsilon" | "maxPeriodEpsilon" | "periodDays" | "relayUrl"
 *   | "resendDays">} MeasureOptions
 */

/** The measures of a program: what it answers, when, and whether its user has agreed. */
export class Measures {
  #measures;
  #options;
  /** @type {Promise<unknown> | null} the pass that runs */
  #passing = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /**
   * `survey` is the published survey, as the collector gives it out: a file, or its bytes. It comes with the program, so
   * nothing is asked of the collector before the user has agreed. `measures` has a function for each question's id, that
   * returns the answer or its promise. Throws TypeError or RangeError for what is outside its domain, and for measures
   * that are not those of the survey.
   * @param {string} url @param {string | URL | Uint8Array} survey @param {{[id: string]: () => unknown}} measures
   * @param {MeasureOptions} options
   */
  constructor(url, survey, measures, { program, starts, days, maxDelayMs, folder, ...options }) {
    if (!PROGRAM.test(program)) throw new RangeError('program must be 1 to 64 of a-z, 0-9, ".", "_" and "-".');
    for (const name of Object.keys(options)) {
      if (!OPTIONS.includes(name)) throw new TypeError(`options has no member '${name}'.`);
    }
    this.url = url;
    this.program = program;
    /** @type {Uint8Array} */
    this.canonical = survey instanceof Uint8Array ? survey : readFileSync(survey);
    const { id, waves } = checkMeasures(this.canonical, measures);
    this.surveyId = id;
    this.waves = waves;
    if (waves > 1 && (starts === undefined || days === undefined)) {
      throw new TypeError(`starts and days must be given: the survey has ${waves} waves.`);
    }
    this.days = checkNumber("days", days ?? MOST_DAYS, 1, MOST_DAYS, true);
    /** @type {number | null} milliseconds since 1970 */
    this.startsAt = starts === undefined ? null : Date.parse(`${starts}T00:00:00Z`);
    if (Number.isNaN(this.startsAt)) throw new RangeError("starts must be a day such as 2026-12-01.");
    this.#measures = measures;
    this.#options = { ...options, maxDelayMs: maxDelayMs ?? Math.min((this.days * DAY_MS) / 2, MAX_DELAY_MS) };
    this.folder = folder ?? join(homeOfStates(), `${program}-node`);
    /** @type {Promise<Survey>} */
    this.survey = readSurvey(this.canonical);
    this.survey.catch(() => undefined); // its user gets the fault
  }

  /** What the user said of this version of the survey; null if nothing yet. A new version is asked for anew. */
  async agreed() {
    const { agreed } = readNote(join(this.folder, "consent.json"), (await this.survey).fingerprint);
    return typeof agreed === "boolean" ? agreed : null;
  }

  /** Whether the program may answer now: the user has agreed, and no variable switches measures off. */
  async isOn() {
    return !isSwitchedOff() && (await this.agreed()) === true;
  }

  /** Note that the user agrees. Throws StateError if that cannot be kept. */
  async allow() {
    const said = await this.agreed();
    if (said === false) await this.#wipe(); // what `off` did not delete, as it was cut short
    if (said !== true) await this.#noteConsent(true);
  }

  /**
   * Note that the user does not agree: nothing more is sent, not even what waits.
   *
   * What waits is deleted, and with it the secret of the noise. After a report, the device answers again from the next
   * version of the survey on, even if the user agrees once more. Throws StateError.
   */
  async off() {
    await this.#noteConsent(false);
    await this.#wipe();
  }

  async #wipe() {
    if (!existsSync(this.#device)) return;
    const deleted = await this.#open().transact(async (transaction) => {
      const waiting = (await this.#waiting(transaction)).map(({ receipt }) => receipt);
      for (const receipt of waiting) await transaction.delete("outbox", receipt);
      await dropSent(transaction, ({ surveyId }) => surveyId === this.surveyId);
      for (const { fingerprint, surveyId } of await transaction.all("secrets")) {
        if (surveyId === this.surveyId) await endVersion(transaction, fingerprint);
      }
      return waiting;
    });
    await this.#noteDeleted(deleted);
  }

  /** Note what was deleted, for `show`; without this note it is told as sent. */
  async #noteDeleted(/** @type {string[]} */ receipts) {
    if (receipts.length === 0) return;
    const { fingerprint } = await this.survey;
    try {
      writeNote(join(this.folder, "deleted.json"), {
        fingerprint,
        receipts: [...this.#deleted(fingerprint), ...receipts],
      });
    } catch (fault) {
      if (!(fault instanceof StateError)) throw fault;
    }
  }

  /** @param {string} fingerprint @returns {string[]} */
  #deleted(fingerprint) {
    const { receipts } = /** @type {any} */ (readNote(join(this.folder, "deleted.json"), fingerprint));
    return Array.isArray(receipts) ? receipts.map(String) : [];
  }

  /** The wave of a moment, in milliseconds since 1970; null before the first and after the last. @param {number} moment */
  waveAt(moment) {
    if (this.startsAt === null) return 1;
    const wave = Math.floor((moment - this.startsAt) / (this.days * DAY_MS)) + 1;
    return wave >= 1 && wave <= this.waves ? wave : null;
  }

  /**
   * Answer if the wave has no report yet, and send what is due. For a command line, at its end. Never rejects.
   *
   * Resolves after `timeoutMs` at the latest. What is not done by then is left to the next run.
   */
  async attempt(timeoutMs = ATTEMPT_MS) {
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    const isLate = new Promise((resolve) => (timer = setTimeout(resolve, timeoutMs)));
    await Promise.race([this.#passOnce(timeoutMs), isLate]);
    clearTimeout(timer);
  }

  #passOnce(/** @type {number} */ timeoutMs) {
    this.#passing ??= this.#pass(timeoutMs)
      .catch(() => undefined) // its message may quote what a measure found
      .then(() => (this.#passing = null));
    return this.#passing;
  }

  /**
   * Do the same now and then, in the background, until `stop`. For a program that runs for long. It may end meanwhile; an
   * exchange that is under way holds it for `timeoutMs` at most.
   */
  start(timeoutMs = 30_000) {
    if (this.#timer !== undefined) return;
    const look = () => {
      void this.#passOnce(timeoutMs);
      this.#timer = setTimeout(look, RETRY_MS / 2 + drawUpTo(RETRY_MS));
      this.#timer.unref();
    };
    look();
  }

  /** End what `start` began, after the attempt that runs. */
  stop() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** What a user should read before they agree. It asks nobody, and draws nothing. */
  async optInText() {
    return [await this.#intent(), await this.#questions(false), await this.#end()].join("\n\n");
  }

  /**
   * What would be sent, and the report of this wave if there is one. It sends nothing, and draws nothing: two reports of
   * the same values would tell more than one. So this one is shown only once it is made, as it is sent.
   */
  async show() {
    return [await this.#status(), await this.#questions(true), await this.#reports()].join("\n\n");
  }

  /** Do what a user types, one of "on", "off", "show", "about"; return what to print. @param {string} word */
  async command(word) {
    if (word === "show") return this.show();
    if (word === "about") return this.optInText();
    if (word !== "on" && word !== "off") throw new RangeError("the word must be one of on, off, show, about.");
    await (word === "on" ? this.allow() : this.off());
    return this.#status();
  }

  get #device() {
    return join(this.folder, "device");
  }

  #open() {
    return new KeptState(new Folder(this.#device));
  }

  async #noteConsent(/** @type {boolean} */ agreed) {
    writeNote(join(this.folder, "consent.json"), { fingerprint: (await this.survey).fingerprint, agreed });
  }

  async #waiting(/** @type {import("../src/state.js").Transaction} */ transaction) {
    return (await waitingReports(transaction)).filter(({ surveyId }) => surveyId === this.surveyId);
  }

  async #pass(/** @type {number} */ timeoutMs) {
    if (!(await this.isOn())) return;
    const { fingerprint } = await this.survey;
    const noted = join(this.folder, "progress.json");
    const { wave: done = 0, triedAt = 0 } = /** @type {any} */ (readNote(noted, fingerprint));
    const [now, wave] = [Date.now(), this.waveAt(Date.now())];
    const isTried = now >= triedAt && now - triedAt < RETRY_MS / 2;
    if (wave === null || wave <= done || isTried) return this.#deliver(timeoutMs);
    writeNote(noted, { fingerprint, wave: done, triedAt: now });
    await this.#answer(wave, fingerprint, timeoutMs);
    writeNote(noted, { fingerprint, wave, triedAt: 0 });
  }

  async #answer(/** @type {number} */ wave, /** @type {string} */ fingerprint, /** @type {number} */ timeoutMs) {
    const options = { ...this.#options, fingerprint, timeoutMs, state: this.#device };
    const client = new SurveyClient(this.url, this.surveyId, options);
    try {
      if (!(await client.waves()).includes(wave)) return;
      /** @type {import("../src/client.js").Answers} */
      const answers = {};
      for (const item of await client.questions()) answers[item.id] = await this.#value(item);
      if (!(await this.isOn())) throw new StateError("measures are off."); // the user switched them off meanwhile
      await client.answer(answers, wave);
      if ((await this.agreed()) !== true) await this.#wipe(); // or while the report was made
      await client.flush(timeoutMs);
    } catch (fault) {
      const isOver = [BudgetExceeded, NotAsked, ParticipationEnded, SurveyRefused].some(
        (kind) => fault instanceof kind,
      );
      if (!isOver) throw fault; // else this wave gets no other report
    } finally {
      client.close();
    }
  }

  /** What a measure found, as an answer; no answer where it failed and the question can be skipped. */
  async #value(/** @type {Item} */ item) {
    try {
      return await this.#fitted(item);
    } catch (fault) {
      if (item.skip === null) throw fault;
      return null;
    }
  }

  async #fitted(/** @type {Item} */ item) {
    const value = await this.#measures[item.id]();
    const asked = (await this.survey).questions.find(({ id }) => id === item.id);
    return fit(item, value, /** @type {any} */ (asked?.mechanism)?.published?.max_selected);
  }

  async #deliver(/** @type {number} */ timeoutMs) {
    if (!existsSync(this.#device)) return;
    const delivery = new Delivery(Promise.resolve(this.#open()), timeoutMs);
    await delivery.wake();
    delivery.close();
  }

  async #intent() {
    const { title, relay } = await this.survey;
    const through = this.#options.relayUrl ?? relay;
    const { askedIn } = await this.survey;
    const often = askedIn
      ? `in ${askedIn} of ${this.waves} periods of ${this.days} days, drawn at random`
      : this.waves > 1
        ? `at most once in ${this.days} days, ${this.waves} times in all`
        : "once";
    return [
      `${this.program} asks you to take part in a survey: ${title}`,
      `If you agree, it answers the questions below on its own, ${often}.`,
      `Your device may change each answer at random, before anything goes to ${this.url}${through ? `, through ${through}` : ""}.`,
    ].join("\n");
  }

  async #end() {
    const survey = await this.survey;
    const t = makeWords();
    const warned = [survey.protectedLittle, sayChanges(t, survey)].filter(Boolean);
    const first = sayFirst(t, survey).slice(1); // what happens to answers stands at each question
    return [
      ...warned.map((text) => wrapped(text)),
      ...first.flatMap(([asked, said]) => [asked, wrapped(said, "  ")]),
      `Nothing is sent before you agree. To switch it off, set ${SWITCHES.join(" or ")} to 1.`,
    ].join("\n");
  }

  async #questions(/** @type {boolean} */ hasValues) {
    const [t, survey] = [makeWords(), await this.survey];
    const lines = [];
    for (const question of survey.questions) {
      lines.push(...question.items.map(({ id, text }) => `${id}: ${text}`));
      for (const item of hasValues ? question.items : []) {
        lines.push(`  now: ${await this.#found(item)}  (stays on this device)`);
      }
      lines.push(wrapped(sayInShort(t, question), "  "));
    }
    lines.push(`A report takes epsilon ${sayEpsilon(t, survey.epsilon)}.`);
    if (this.waves > 1) {
      const forever = sayEpsilon(t, survey.epsilonForever);
      lines.push(`All reports together take at most ${forever}, if your answers stay the same.`);
    }
    return lines.join("\n");
  }

  async #found(/** @type {Item} */ item) {
    try {
      const value = await this.#fitted(item);
      return Array.isArray(value) ? value.join(", ") || "none" : String(value);
    } catch (fault) {
      return `cannot be found out (${fault instanceof Error ? fault.name : typeof fault})`;
    }
  }

  async #status() {
    if (isSwitchedOff()) return `${this.program}: measures are off (${SWITCHES.join(" or ")} is set).`;
    const agreed = await this.agreed();
    const said = agreed === null ? "off, as nobody has agreed yet" : agreed ? "on" : "off";
    const first = new Date(this.startsAt ?? 0);
    const begins = Date.now() < first.getTime() ? ` Wave 1 begins on ${first.toISOString().slice(0, 10)}.` : "";
    return `${this.program}: measures are ${said}.${begins}`;
  }

  async #reports() {
    const none = "No report was made.";
    if (!existsSync(this.#device)) return none;
    const { fingerprint } = await this.survey;
    const [made, waiting, refused] = await this.#open().transact(async (transaction) => [
      await entriesOf(transaction, fingerprint),
      await this.#waiting(transaction),
      await rejectedReports(transaction),
    ]);
    const became = new Map([
      ...this.#deleted(fingerprint).map((receipt) => /** @type {const} */ ([receipt, DELETED])),
      ...refused.map(({ receipt }) => /** @type {const} */ ([receipt, REFUSED])),
      ...waiting.map(({ receipt }) => /** @type {const} */ ([receipt, WAITS])),
    ]);
    const of = (/** @type {number} */ wave) => (this.waves > 1 ? `Wave ${wave}: ` : "");
    const lines = made.map(({ wave, receipt }) => `${of(wave)}${became.get(receipt) ?? SENT} ${receipt}.`);
    const { wave: done = 0 } = /** @type {any} */ (readNote(join(this.folder, "progress.json"), fingerprint));
    if (done && made.every(({ wave }) => wave !== done)) lines.push(`${of(done)}${NO_REPORT}`);
    lines.push(...waiting.map(({ body }) => `It waits, and is sent as it is:\n${body.trimEnd()}`));
    return lines.join("\n") || none;
  }
}

/**
 * Return a value as an answer. Options that the survey does not have are left out, and so is what goes beyond the most
 * that may be selected, in the survey's order. A number becomes the nearest one of the range.
 * @param {Item} item @param {any} value @param {number} [maxSelected]
 */
export function fit({ type, options, range }, value, maxSelected = options.length) {
  if (type === "any-of" && (Array.isArray(value) || value instanceof Set)) {
    const chosen = new Set(value);
    return options.filter((option) => chosen.has(option)).slice(0, maxSelected);
  }
  if (type === "number" && Number.isFinite(value)) {
    const { low, step, scale, span } = range;
    const steps = Math.min(Math.max(Math.round((value * scale - low) / step), 0), span);
    return (low + steps * step) / scale;
  }
  return value;
}

/** @param {Uint8Array} canonical @param {{[id: string]: () => unknown}} measures @returns {{id: string, waves: number}} */
function checkMeasures(canonical, measures) {
  let document;
  try {
    document = JSON.parse(new TextDecoder().decode(canonical));
  } catch {
    document = null;
  }
  if (typeof document?.id !== "string" || !Array.isArray(document.questions)) {
    throw new TypeError("survey must be a published survey: what the collector has at /v1/surveys/ID.");
  }
  if (document.invited) throw new TypeError("survey must not be for invited people: a program has no invitation.");
  const items = document.questions.flatMap((/** @type {any} */ question) => question.questions ?? [question]);
  const ids = [...new Set(items.map((/** @type {any} */ { id }) => id))];
  const given = Object.keys(measures);
  if (String([...ids].sort()) !== String([...given].sort())) {
    throw new TypeError(`measures (${given.join(", ")}) must be those of the survey: ${ids.join(", ")}.`);
  }
  if (!Object.values(measures).every((measure) => typeof measure === "function")) {
    throw new TypeError("each measure must be a function.");
  }
  return { id: document.id, waves: document.waves ?? 1 };
}
