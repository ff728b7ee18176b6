/** Where a survey comes from: the collector, which is not trusted, or the checked copy that the device keeps. */

import { hex, sha256 } from "./bytes.js";
import { parseEpsilon, writeEpsilon } from "./decimals.js";
import { DeliveryError, SurveyError, SurveyRefused, SurveyUnavailable } from "./errors.js";
import { getSurvey, problemOf, readJson } from "./exchange.js";
import { endVersion } from "./ledger.js";
import { MAX_SURVEY_BYTES, readSurvey } from "./survey.js";
import { isSurveyOver } from "./verdict.js";

/** @typedef {import("./survey.js").Survey} Survey */
/** @typedef {import("./state.js").State} State */

export class SurveySource {
  /**
   * @param {Promise<State>} state @param {string} url @param {string} surveyId
   * @param {import("./ledger.js").Limits} limits @param {string | undefined} fingerprint @param {number} timeoutMs
   */
  constructor(state, url, surveyId, limits, fingerprint, timeoutMs) {
    this.state = state;
    this.url = url;
    this.surveyId = surveyId;
    this.limits = limits;
    this.fingerprint = fingerprint;
    this.timeoutMs = timeoutMs;
  }

  /**
   * Return the collector's survey and keep it, or the copy that was kept when the collector cannot be reached.
   *
   * The version that was kept is over where the collector has another one now, or none: the device forgets what could
   * undo its noise. Throws SurveyRefused, SurveyUnavailable.
   * @returns {Promise<Survey>}
   */
  async survey() {
    let bytes;
    try {
      bytes = await this.#fetch();
    } catch (fault) {
      if (!(fault instanceof SurveyUnavailable)) throw fault;
      if (fault.isOver) await this.#endKept("");
      const kept = await this.#kept();
      if (kept === undefined || fault.isFinal) throw fault;
      return this.#check(await this.#read(kept));
    }
    const survey = await this.#read(bytes);
    await this.#endKept(survey.fingerprint);
    this.#check(survey);
    const kept = { url: this.url, surveyId: this.surveyId, canonical: bytes };
    await (await this.state).transact((transaction) => transaction.put("surveys", kept));
    return survey;
  }

  async #fetch() {
    let reply;
    try {
      reply = await getSurvey(this.url, this.surveyId, this.timeoutMs, MAX_SURVEY_BYTES);
    } catch (fault) {
      if (!(fault instanceof DeliveryError)) throw fault;
      throw new SurveyUnavailable(`survey ${this.surveyId}: ${fault.message}`);
    }
    if (reply.status !== 200) {
      const problem = problemOf(reply);
      const isFinal = reply.status >= 400 && reply.status < 500 && problem.code !== "unexpected"; // it says no itself
      const said = `survey ${this.surveyId}: the collector says HTTP ${reply.status} (${problem.code}).`;
      throw new SurveyUnavailable(said, { isFinal, isOver: isFinal && isSurveyOver(problem) });
    }
    if (readJson(reply.body) === undefined) {
      // the login page of a network in between
      throw new SurveyUnavailable(`survey ${this.surveyId}: the answer is not the collector's.`);
    }
    return reply.body;
  }

  async #read(/** @type {Uint8Array} */ bytes) {
    try {
      const survey = await readSurvey(bytes);
      if (survey.id === this.surveyId) return survey;
    } catch (fault) {
      if (!(fault instanceof SurveyError)) throw fault;
      throw new SurveyRefused(`survey ${this.surveyId} is refused: ${fault.message}`, { cause: fault });
    }
    throw new SurveyRefused(`survey ${this.surveyId} was asked for, and another was served.`);
  }

  /** Hold a survey against what this device demands. */
  #check(/** @type {Survey} */ survey) {
    if (![undefined, survey.fingerprint].includes(this.fingerprint)) {
      throw new SurveyRefused(`survey ${survey.id} has fingerprint ${survey.fingerprint}, not the pinned one.`);
    }
    const { maxEpsilon } = this.limits;
    // Of all its waves, so that a device that begins can finish, if its answers stay the same.
    if ((parseEpsilon(survey.epsilonForever) ?? 0n) > maxEpsilon) {
      const waves = survey.waves > 1 ? ` in ${survey.waves} waves` : "";
      const limit = `above what this page allows (maxEpsilon, ${writeEpsilon(maxEpsilon)})`;
      throw new SurveyRefused(`survey ${survey.id} takes epsilon ${survey.epsilonForever}${waves}, ${limit}.`);
    }
    return survey;
  }

  /** @returns {Promise<Uint8Array | undefined>} */
  async #kept() {
    const record = await (
      await this.state
    ).transact((transaction) => transaction.get("surveys", this.url, this.surveyId));
    return record?.canonical;
  }

  /** Forget what could undo the noise of the version that is kept, where it is another one. */
  async #endKept(/** @type {string} */ fingerprint) {
    const kept = await this.#kept();
    const over = kept === undefined ? fingerprint : hex(await sha256(kept));
    if (over !== fingerprint) await (await this.state).transact((transaction) => endVersion(transaction, over));
  }
}
