/** The client: answer a survey, and let only noise leave the device. */

import { areEqual } from "./bytes.js";
import { importSecret, osBytes } from "./coins.js";
import { MAX_DELAY_MS, Delivery } from "./delivery.js";
import { Draft, drawAnew, endDraft, ended, keepDrawn, makeEntry } from "./draft.js";
import { drawnOf, keepSeed, wavesOf } from "./draws.js";
import { AlreadyAnswered, DeliveryError, InvitationError, NotAsked, StateError, SurveyRefused } from "./errors.js";
import { checkUrl, readJson } from "./exchange.js";
import { parseInvitation } from "./invitation.js";
import { endVersion, entriesOf, entryOf, receiptOf, today } from "./ledger.js";
import { checkNumber, readOptions } from "./options.js";
import { putReport, readmit, rejectedReports, sendAgain, waitingReports } from "./outbox.js";
import { SECRET_BYTES, draftCoins, markAnswers, noiseKey, reportAnswers } from "./permanent.js";
import { longestBody, wireReport } from "./report.js";
import { dropSent } from "./sent.js";
import { SurveySource } from "./source.js";
import { openState } from "./state.js";
import { ID_EXPECTED, isId } from "./survey.js";
import { post } from "./way.js";

const OLDEST_NODE = 20;

/** @typedef {import("./ledger.js").Receipt} Receipt */
/** @typedef {import("./outbox.js").Rejected} Rejected */
/** @typedef {import("./outbox.js").Waiting} Waiting */
/** @typedef {import("./survey.js").Survey} Survey */
/** @typedef {import("./state.js").Transaction} Transaction */
/** @typedef {boolean | number | string | readonly string[] | ReadonlySet<string> | null | undefined} Answer an option is its text; null and undefined mean no answer */
/** @typedef {{[id: string]: Answer}} Answers by question id */
/** @typedef {import("./options.js").Options} Options */

/**
 * Answers one survey of one collector for the person at this device. Only noise leaves the device.
 *
 * @template {object} [Given=Answers] the type of the answers: `sotto survey types` writes it from a survey file
 */
export class SurveyClient {
  #state;
  #delivery;
  #source;
  #limits;
  #posting;
  #isClosed = false;
  /** @type {string | null} */
  #invitation;
  /** @type {Promise<Survey> | null} */
  #survey = null;
  /** The oblivious way of what is sent, or null: known with the survey. @type {import("./way.js").Via | null} */
  #via = null;
  /** @type {Map<string, {key: CryptoKey, marks: Uint8Array, receipt: Receipt}>} what this object made, by receipt */
  #made = new Map();

  /**
   * Answers one survey of one collector for the device's respondent. No true answer is sent, stored, logged or put into
   * an error. Throws TypeError or RangeError for an argument outside its domain.
   * @param {string} url the collector's @param {string} surveyId @param {Options} [options]
   */
  constructor(url, surveyId, options = {}) {
    const collector = checkUrl(url);
    if (!isId(surveyId)) throw new RangeError(`surveyId must be ${ID_EXPECTED}.`);
    const { state, timeoutMs, callbacks, fingerprint, ...chosen } = readOptions(collector, options);
    this.#posting = chosen.posting;
    this.#limits = chosen.limits;
    this.#invitation = chosen.invitation;
    checkBrowser();
    this.#state = openState(state);
    this.#state.catch(() => undefined); // its user gets the fault
    this.#source = new SurveySource(
      this.#state,
      collector,
      surveyId,
      this.#limits,
      fingerprint,
      timeoutMs,
      chosen.posting,
    );
    this.#delivery = new Delivery(this.#state, timeoutMs, callbacks);
    void this.#delivery.wake();
  }

  /**
   * The survey, checked. It is fetched once. If the collector cannot be reached, it is the copy that the device kept.
   *
   * Throws SurveyRefused if this device must not answer the survey, SurveyUnavailable if there is no survey.
   * @returns {Promise<Survey>}
   */
  async survey() {
    this.#checkOpen();
    this.#survey ??= this.#fetch();
    try {
      return await this.#survey;
    } catch (fault) {
      this.#survey = null; // to be asked for again
      throw fault;
    }
  }

  /**
   * The questions that this device asks its respondent: all of the survey's, or in a survey with `draw` the ones that the
   * device drew. It draws them when they are first asked for, and keeps them: on every page, in every wave, whatever the
   * answers are.
   *
   * Throws what `survey` throws, and StateError.
   * Questions that are asked together stand one by one.
   * @returns {Promise<readonly import("./survey.js").Item[]>}
   */
  async questions() {
    const survey = await this.survey();
    const drawn = await this.#draw(survey);
    return survey.questions.filter((_, index) => drawn[index]).flatMap((question) => question.items);
  }

  /**
   * The waves in which this device asks its respondent, ascending: all, or in a survey with `asked_in` the ones that the
   * device drew. It draws and keeps them as `questions` does, and throws the same.
   * @returns {Promise<readonly number[]>}
   */
  async waves() {
    const survey = await this.survey();
    if (survey.askedIn === 0) return Array.from({ length: survey.waves }, (_, index) => index + 1);
    return wavesOf(survey, await this.#seed(survey));
  }

  /**
   * Perturb the answers to all questions, and show what would be sent; nothing is charged or sent before `Draft.send`.
   *
   * In a survey with `draw` only `questions()` need answers. An app may pass answers to the others too: they are checked
   * and dropped.
   * The same answers give the same draft until it is sent, `forget` is called or the survey is over. So nobody can draw
   * again until they like the noise.
   * Throws AnswerError, SurveyRefused, SurveyUnavailable, BudgetExceeded, AlreadyAnswered, NotAsked, ParticipationEnded,
   * InvitationError, StateError; RangeError for a wave that the survey does not have; DeliveryError in a survey with
   * blind invitations, whose token must be fetched first.
   * @param {Given} answers @param {number} [wave] in [1, survey.waves] @returns {Promise<Draft>}
   */
  async prepare(answers, wave = 1) {
    const survey = await this.survey();
    survey.checkWave(wave);
    const waves = await this.waves();
    if (!waves.includes(wave)) throw new NotAsked(survey.id, wave, waves);
    const asked = await this.#draw(survey);
    const encoded = survey.encode(/** @type {Answers} */ (answers), asked);
    const { id, admission } = (await this.#trade(wave, true)) ?? {};
    const fresh = await drawAnew(id);
    const drawn = await this.#transact((transaction) => keepDrawn(transaction, survey, wave, fresh));
    const key = await noiseKey(survey, drawn.key, wave);
    const marks = await markAnswers(survey, encoded, key);
    const columns = await reportAnswers(survey, encoded, key, draftCoins(survey, drawn.seed));
    const report = wireReport(survey, drawn.id, columns, wave, admission); // not the draft's, which the page can change
    const price = (/** @type {Transaction} */ transaction) =>
      makeEntry(
        transaction,
        survey,
        wave,
        marks,
        drawn.id,
        this.#invitation,
        this.#limits,
        asked,
        waves[waves.length - 1],
      );
    const send = () =>
      this.#send(key, async (transaction) => {
        survey.blind?.check(SurveyRefused);
        const via = this.#via;
        const entry = await price(transaction);
        entry.via = via;
        await endDraft(transaction, survey, wave, drawn);
        await transaction.put("ledger", entry);
        const { url, maxDelayMs, resendDays } = this.#posting;
        const restored = await this.#source.restored(transaction);
        await putReport(transaction, url, survey, report, maxDelayMs, resendDays, restored, via);
        return { entry, waiting: await waitingReports(transaction) };
      });
    return new Draft(survey, columns, drawn.id, await this.#transact(price), send, admission);
  }

  /**
   * Fetch the token of a wave, in a survey with blind invitations: long before the report, so that nobody who watches the
   * collector joins the two by their times. `prepare` fetches it if this was not called. Returns "unused" if it is there, or
   * else what the collector says of the invitation: "used", "invalid"; "none" if none was given.
   * Throws DeliveryError if no good reply comes, and what `survey` throws. Asks for nothing and throws ParticipationEnded
   * once the device's part has ended, also while this was called.
   * @param {number} [wave] @returns {Promise<string>}
   */
  async fetchToken(wave = 1) {
    return (await this.#trade(wave))?.state ?? "unused";
  }

  /**
   * Perturb the answers to all questions, charge the budget, and deliver the noisy report in the background.
   *
   * Waits for the network only if the survey was not read yet. Answering a wave again never charges or sends anything.
   * The same answers return the first receipt, as long as the device knows that they are the same.
   * Throws what `prepare` throws.
   * @param {Given} answers @param {number} [wave] @returns {Promise<Receipt>}
   */
  async answer(answers, wave = 1) {
    try {
      return await (await this.prepare(answers, wave)).send();
    } catch (fault) {
      if (!(fault instanceof AlreadyAnswered) || !(await this.#isRepeat(fault.receipt, answers))) throw fault;
      return this.#made.get(fault.receipt.id)?.receipt ?? fault.receipt;
    }
  }

  /** Whether this device has a draft of a wave that is not sent. @param {number} [wave] @returns {Promise<boolean>} */
  async isPrepared(wave = 1) {
    const { fingerprint } = await this.survey();
    const kept = await this.#transact((transaction) => transaction.get("secrets", fingerprint));
    return wave in (kept?.drafts ?? {});
  }

  /** The receipts of the reports that this device made of this version of the survey. @returns {Promise<Receipt[]>} */
  async answered() {
    const { fingerprint } = await this.survey();
    return (await this.#transact((transaction) => entriesOf(transaction, fingerprint))).map(receiptOf);
  }

  /** The receipts of the reports in this state that wait to be delivered, to any collector. @returns {Promise<string[]>} */
  async pending() {
    return (await this.#transact(waitingReports)).map((report) => report.receipt);
  }

  /** The reports in this state that a collector refused for good. @returns {Promise<Rejected[]>} */
  rejected() {
    return this.#transact(rejectedReports);
  }

  /** Try now to deliver all that waits, for at most `timeoutMs`. Returns true when nothing waits any more. */
  async flush(timeoutMs = 5000) {
    checkNumber("timeoutMs", timeoutMs, 0, MAX_DELAY_MS);
    this.#checkOpen();
    return this.#delivery.flush(timeoutMs);
  }

  /**
   * Send reports of this survey again, as the same bytes, and return their receipts. These are: delivered reports that
   * are kept (`resendDays`), reports whose collector did not know the survey for a week, and, with `invitation`, reports
   * that were refused for their invitation. Throws RangeError if `invitation` is none.
   * @param {string} [invitation] @returns {Promise<string[]>}
   */
  async resend(invitation) {
    const code = invitation === undefined ? null : parseInvitation(invitation);
    const isHere = (/** @type {{url: string, surveyId: string}} */ { url, surveyId }) =>
      url === this.#posting.url && surveyId === this.#source.surveyId;
    const [mended, kept] = await this.#transact(async (transaction) => {
      const refused = (await rejectedReports(transaction)).filter(
        (report) => isHere(report) && (report.needsInvitation ? code !== null : report.isUnknown),
      );
      const entries = [];
      for (const { receipt } of refused) entries.push((await readmit(transaction, receipt, code)) ?? []);
      return [entries.flat(), await sendAgain(transaction, isHere)];
    });
    if (mended.some((entry) => entry.invitation !== null)) this.#invitation = code ?? this.#invitation;
    void this.#delivery.wake();
    return [...mended.map((entry) => entry.receipt), ...kept];
  }

  /**
   * Ask the collector to take a report of this survey out of the counts, for good. Returns whether it did. This device
   * first forgets what it keeps of the report. Throws DeliveryError if no reply comes.
   * @param {string} receipt @returns {Promise<boolean>}
   */
  async erase(receipt) {
    const entry = await this.#transact(async (transaction) => {
      await dropSent(transaction, (report) => report.receipt === receipt);
      return entryOf(transaction, receipt);
    });
    const via = entry ? entry.via : await this.#way();
    return (await this.#post(via, "erase", { receipt })).status === 200;
  }

  /**
   * Ask the collector about an invitation to this survey, which spends nothing. Returns what it says: `state` is "unused",
   * "used" or "invalid"; undefined if it says nothing. Throws DeliveryError if no reply comes, and what `survey` throws.
   * @param {string} invitation @param {number} [wave] @returns {Promise<{state?: string} | undefined>}
   */
  async checkInvitation(invitation, wave = 1) {
    return readJson((await this.#post(await this.#way(), "invitations/check", { invitation, wave })).body);
  }

  /**
   * End taking part in this survey: wipe the secret of its noise now, and the marks that recognize its answers. Reports
   * that wait are still delivered. A device that has made a report answers no more waves.
   */
  async forget() {
    await this.#transact(async (transaction) => {
      await dropSent(transaction, ({ surveyId }) => surveyId === this.#source.surveyId);
      const known = await transaction.all("secrets");
      for (const { fingerprint, surveyId } of known) {
        if (surveyId === this.#source.surveyId) await endVersion(transaction, fingerprint);
      }
    });
    this.#made.clear();
  }

  /**
   * Whether the collector still accepts reports of the survey, as it said when the survey was fetched. If it said nothing,
   * the survey's last day and this device's clock decide. Throws what `survey` throws.
   * @returns {Promise<boolean>}
   */
  async isOpen() {
    const { closes } = await this.survey();
    return this.#source.isOpen ?? (closes === "" || today() <= closes);
  }

  /** Whether what is kept outlives the page; false if the browser stores nothing. @returns {Promise<boolean>} */
  async isDurable() {
    return (await this.#state).isDurable;
  }

  /** Stop delivering. What is undelivered waits in the state for the next client. */
  close() {
    this.#isClosed = true;
    this.#delivery.close();
    void this.#state.then((state) => state.close()).catch(() => undefined); // it was never open
  }

  /** Return the token of a wave in a blind survey, fetched if it is not there: see `trade` of blind/index.js. */
  async #trade(/** @type {number} */ wave, isNeeded = false) {
    const survey = await this.survey();
    const post = (/** @type {string} */ last, /** @type {object} */ sent) =>
      this.#post(this.#via, last, sent, this.#posting.url);
    return survey.blind?.trade(this, wave, isNeeded, this.#invitation, {
      transact: (work) => this.#transact(work),
      post,
      ended,
      DeliveryError,
      InvitationError,
    });
  }

  /** @template Result @param {(transaction: Transaction) => Promise<Result>} work @returns {Promise<Result>} */
  async #transact(work) {
    this.#checkOpen();
    return (await this.#state).transact(work);
  }

  #checkOpen() {
    if (this.#isClosed) throw new StateError("this client is closed.");
  }

  /** @returns {Promise<Receipt>} */
  async #send(
    /** @type {CryptoKey} */ key,
    /** @type {(transaction: Transaction) => Promise<{entry: import("./ledger.js").Entry, waiting: Waiting[]}>} */ charge,
  ) {
    const { entry, waiting } = await this.#transact(charge);
    const receipt = receiptOf(entry);
    if (entry.marks !== null) this.#made.set(receipt.id, { key, marks: entry.marks, receipt });
    this.#delivery.hold(waiting); // it is sent even if the page closes now
    void this.#delivery.wake();
    return receipt;
  }

  /** Of each question whether this device answers it; kept before anything can be refused. @returns {Promise<boolean[]>} */
  async #draw(/** @type {Survey} */ survey) {
    if (survey.draw === 0) return survey.questions.map(() => true);
    return drawnOf(survey, await this.#seed(survey));
  }

  async #seed(/** @type {Survey} */ survey) {
    const fresh = await importSecret(await osBytes(SECRET_BYTES));
    return this.#transact((transaction) => keepSeed(transaction, survey, fresh));
  }

  /** Whether a wave that is answered was answered with these answers, as far as this device knows. */
  async #isRepeat(/** @type {Receipt} */ { id, fingerprint, wave }, /** @type {Given} */ answers) {
    const survey = await this.survey();
    const known = this.#made.get(id) ?? (await this.#recall(survey, wave));
    const encoded = survey.encode(/** @type {Answers} */ (answers), await this.#draw(survey));
    return known !== null && areEqual(await markAnswers(survey, encoded, known.key), known.marks);
  }

  async #recall(/** @type {Survey} */ survey, /** @type {number} */ wave) {
    const { fingerprint } = survey;
    const found = await this.#transact(async (transaction) => {
      const [kept, entry] = [
        await transaction.get("secrets", fingerprint),
        await transaction.get("ledger", fingerprint, wave),
      ];
      return kept === undefined || !entry?.marks ? null : { key: kept.key, marks: entry.marks };
    });
    return found && { ...found, key: await noiseKey(survey, found.key, wave) };
  }

  async #way() {
    await this.survey();
    return this.#via;
  }

  #post(
    /** @type {import("./way.js").Via | null | undefined} */ via,
    last = "",
    /** @type {object | undefined} */ sent = undefined,
    url = this.#source.url,
  ) {
    const { surveyId, timeoutMs } = this.#source;
    return post(this.#state, timeoutMs, { url, surveyId, via }, last, sent && JSON.stringify(sent));
  }

  async #fetch() {
    const survey = await this.#source.survey();
    const { relay, gatewayKey } = survey;
    const { url } = this.#source;
    const posted = this.#posting.url; // another's than the collector's, if the app named one
    this.#via = relay
      ? { relay: posted === url ? relay : posted, key: gatewayKey, url, nBytes: longestBody(survey) }
      : null;
    // The gateway's keys are seen to before anything is answered. If they cannot be had now, what is sent waits.
    if (relay) {
      await this.#post(this.#via).catch((fault) => {
        if (fault instanceof SurveyRefused) throw fault;
      });
    }
    void this.#delivery.wake(); // what its collector may have lost
    return survey;
  }
}

/** Throw StateError if there is no WebCrypto: later it would look like a fault of the network. */
function checkBrowser() {
  if (globalThis.crypto?.subtle) return;
  throw new StateError(
    `sottovoce needs WebCrypto: a page at https:// or localhost, or Node.js ${OLDEST_NODE} or newer.`,
  );
}
