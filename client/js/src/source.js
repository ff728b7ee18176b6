/** Where a survey comes from: the collector, which is not trusted, or the checked copy that the device keeps. */

import { hex, sha256 } from "./bytes.js";
import { parseEpsilon, writeEpsilon } from "./decimals.js";
import { DeliveryError, SurveyError, SurveyRefused, SurveyUnavailable } from "./errors.js";
import { exchange, problemOf, readJson } from "./exchange.js";
import { endVersion } from "./ledger.js";
import { sendAgain } from "./outbox.js";
import { dropSent } from "./sent.js";
import { MAX_SURVEY_BYTES, readSurvey } from "./survey.js";
import { isBelieved, isSurveyOver, isUnknown, lengthen } from "./verdict.js";

/** @typedef {import("./survey.js").Survey} Survey */
/** @typedef {import("./state.js").State} State */
/** @typedef {import("./state.js").Transaction} Transaction */
/**
 * What is kept of a survey; `doubts`: versions that the collector has no more, as far as it says, by fingerprint; `restored`:
 * the number of its store.
 */
/** @typedef {{canonical: Uint8Array, restored?: string, doubts?: {[fingerprint: string]: Partial<import("./verdict.js").Doubt>}}} Record */

export class SurveySource {
  /**
   * @param {Promise<State>} state @param {string} url @param {string} surveyId
   * @param {import("./ledger.js").Limits} limits @param {string | undefined} fingerprint @param {number} timeoutMs
   * @param {import("./outbox.js").Posting} posting
   */
  constructor(state, url, surveyId, limits, fingerprint, timeoutMs, posting) {
    this.state = state;
    this.url = url;
    this.surveyId = surveyId;
    this.limits = limits;
    this.fingerprint = fingerprint;
    this.timeoutMs = timeoutMs;
    this.posting = posting;
    /** Whether the collector takes reports of it, where it has said so. @type {boolean | undefined} */
    this.isOpen = undefined;
  }

  /**
   * Return the collector's survey and keep it, or the copy that was kept when the collector does not serve one.
   *
   * The version that was kept is over where the collector says that it is closed, or, for a week, that it has another one,
   * or none: the device forgets what could undo its noise, and does not use the copy. What a restored store may have lost
   * waits again, where it is kept. Throws SurveyRefused, SurveyUnavailable.
   * @returns {Promise<Survey>}
   */
  async survey() {
    let reply;
    try {
      reply = await this.#fetch();
    } catch (fault) {
      if (!(fault instanceof SurveyUnavailable)) throw fault;
      const isOver = fault.problem !== null && (await this.#hear(fault.problem));
      const kept = await this.#record();
      if (kept === undefined || isOver) throw fault;
      return this.#check(await this.#read(kept.canonical));
    }
    const survey = await this.#read(reply.body);
    await this.#doubt(survey.fingerprint);
    this.#check(survey);
    await this.#keep(survey.fingerprint, reply);
    const said = reply.headers.get("Sottovoce-State");
    this.isOpen = said === "open" || (said === "closed" ? false : undefined);
    return survey;
  }

  /** The number of the collector's store, as this device heard it last. @param {Transaction} transaction @returns {Promise<string>} */
  async restored(transaction) {
    return (await transaction.get("surveys", this.url, this.surveyId))?.restored ?? "0";
  }

  /** Keep a copy, and the number of its collector's store; where that is another, lost reports wait again. */
  async #keep(/** @type {string} */ fingerprint, /** @type {import("./exchange.js").Reply} */ reply) {
    const { url, maxDelayMs } = this.posting;
    await this.#change(async (kept, transaction) => {
      const restored = reply.headers.get("Sottovoce-Restored") ?? kept?.restored ?? "0";
      const isLost = (/** @type {import("./outbox.js").Kept} */ sent) =>
        sent.url === url && sent.fingerprint === fingerprint && sent.restored !== restored;
      await sendAgain(transaction, isLost, restored, maxDelayMs);
      return { canonical: reply.body, doubts: kept?.doubts ?? {}, restored };
    });
  }

  async #fetch() {
    let reply;
    try {
      reply = await exchange(`${this.url}/v1/surveys/${this.surveyId}`, this.timeoutMs, MAX_SURVEY_BYTES);
    } catch (fault) {
      if (!(fault instanceof DeliveryError)) throw fault;
      throw new SurveyUnavailable(`survey ${this.surveyId}: ${fault.message}`, null, { cause: fault });
    }
    if (reply.status !== 200) {
      const problem = problemOf(reply);
      const said = `survey ${this.surveyId}: the collector says HTTP ${reply.status} (${problem.code}).`;
      throw new SurveyUnavailable(said, problem);
    }
    if (readJson(reply.body) === undefined) {
      // the login page of a network in between
      throw new SurveyUnavailable(`survey ${this.surveyId}: the reply is not a collector's.`, problemOf(reply));
    }
    return reply;
  }

  async #read(/** @type {Uint8Array} */ bytes) {
    try {
      const survey = await readSurvey(bytes);
      if (survey.id === this.surveyId) return survey;
    } catch (fault) {
      if (!(fault instanceof SurveyError)) throw fault;
      throw new SurveyRefused(`survey ${this.surveyId} is refused: ${fault.message}`, { cause: fault });
    }
    throw new SurveyRefused(`survey ${this.surveyId} was asked for, but the collector sent another.`);
  }

  /** Hold a survey against what this device demands. */
  #check(/** @type {Survey} */ survey) {
    if (![undefined, survey.fingerprint].includes(this.fingerprint)) {
      throw new SurveyRefused(`survey ${survey.id} has fingerprint ${survey.fingerprint}, not the pinned one.`);
    }
    const { maxEpsilon } = this.limits;
    // Of all its waves, so that a device that begins can finish, if its answers stay the same.
    if ((parseEpsilon(survey.epsilonForever) ?? 0n) > maxEpsilon) {
      const waves = survey.maxReports > 1 ? ` in ${survey.maxReports} waves` : "";
      const limit = `above maxEpsilon (${writeEpsilon(maxEpsilon)})`;
      throw new SurveyRefused(`survey ${survey.id} takes epsilon ${survey.epsilonForever}${waves}, ${limit}.`);
    }
    return survey;
  }

  /** @returns {Promise<Record | undefined>} */
  async #record() {
    const state = await this.state;
    return state.transact((transaction) => transaction.get("surveys", this.url, this.surveyId));
  }

  /** Change what is kept of the survey, in one transaction. */
  async #change(
    /** @type {(record: Record | undefined, transaction: Transaction) => Record | undefined | Promise<Record | undefined>} */
    change,
  ) {
    const state = await this.state;
    await state.transact(async (transaction) => {
      const record = await change(await transaction.get("surveys", this.url, this.surveyId), transaction);
      if (record !== undefined) {
        await transaction.put("surveys", { url: this.url, surveyId: this.surveyId, ...record });
      }
    });
  }

  /** Take in what was answered in the survey's place; return whether the kept version is over. */
  async #hear(/** @type {import("./exchange.js").Problem} */ problem) {
    if (isSurveyOver(problem)) return this.#doubt("", !isUnknown(problem));
    await this.#change((record) => record && { ...record, doubts: begunAnew(record.doubts) });
    return false;
  }

  /**
   * Note that the collector has neither the kept version nor others that were doubted before, but for the one that it
   * serves. What it has not had for a week, or says is closed, is over: the device forgets what could undo its noise. Of
   * the versions that it knows nothing of, the doubt of the kept one alone is worth keeping. Return whether that is over.
   */
  async #doubt(/** @type {string} */ served, isClosed = false) {
    const record = await this.#record();
    if (record === undefined) return false;
    const current = hex(await sha256(record.canonical));
    let isOver = isClosed;
    await this.#change(async (kept, transaction) => {
      const before = kept?.doubts ?? {};
      /** @type {Record["doubts"]} */
      const doubts = {};
      for (const each of new Set([current, ...Object.keys(before)])) {
        if (each === served) continue;
        const doubt = lengthen(before[each] ?? {}, Date.now());
        const isEnded = isClosed || isBelieved(doubt);
        if (isEnded) {
          await dropSent(transaction, ({ fingerprint }) => fingerprint === each);
          await endVersion(transaction, each);
        }
        if (each === current) isOver = isEnded;
        const isKept = each === current && !isClosed;
        if (isKept || (await transaction.get("secrets", each))) doubts[each] = doubt;
      }
      return kept && { ...kept, doubts };
    });
    return isOver;
  }
}

/** Doubts of the same versions, from now on: something else was answered. */
function begunAnew(/** @type {Record["doubts"]} */ doubts = {}) {
  return Object.fromEntries(Object.keys(doubts).map((fingerprint) => [fingerprint, {}]));
}
