/**
 * One visit to a survey: asks, lets the client perturb, shows what will be sent, sends it, shows the receipt. What was
 * answered goes into the client and nowhere else; it stands in the form's fields until it was sent, or the page is left.
 */

import { explain, forgotten, misused, notAsked, over, sentence, unread, unsent } from "../form/faults.js";
import { isInvitation, stateOf, takeFromAddress } from "../form/invitation.js";
import { holdPage } from "../form/leaving.js";
import { SurveyClient } from "../src/client.js";
import { FormView } from "./form-view.js";
import { InvitationView } from "./invitation-view.js";
import { ReceiptView } from "./receipt-view.js";
import { reviewOf } from "./review-view.js";

/** @typedef {import("../form/words.js").Translate} Translate */
/** @typedef {import("../form/faults.js").Fault} Fault */
/** @typedef {import("../src/draft.js").Draft} Draft */
/** @typedef {import("../src/survey.js").Survey} Survey */
/** @typedef {import("../src/survey.js").Question} Question */
/** @typedef {import("./settings.js").Settings} Settings */
/** @typedef {import("../src/words.js").QuestionWords & {lang: string}} QuestionWords */
/**
 * What a visit is shown in: `t` its words, `wordsOf` a question's, `show` puts an element onto the stage, `alarm` says
 * what went wrong, in whatever words there are, `emit` tells the page.
 * @typedef {object} Stage
 * @property {Translate} t
 * @property {(survey: Survey) => Promise<void>} announce the survey, checked
 * @property {(id: string) => QuestionWords} wordsOf
 * @property {(...elements: HTMLElement[]) => void} show
 * @property {(say?: (t: Translate) => Fault, again?: () => void) => void} alarm
 * @property {() => boolean} isAlone whether no other survey is asked on the page
 * @property {(name: string, detail: object) => void} emit
 */

export class Visit {
  #stage;
  #settings;
  #client;
  /** @type {Survey | null} */
  #survey = null;
  /** @type {readonly import("../src/survey.js").Item[]} */
  #asked = [];
  /** @type {FormView | null} */
  #form = null;
  /** @type {{answers: {[id: string]: any}, draft: Draft} | null} */
  #made = null;
  /** @type {ReceiptView | null} */
  #receipt = null;
  /** @type {InvitationView | null} */
  #prompt = null;
  #invitation = "";
  #isBusy = false;
  #isSent = false;
  #isOver = false;

  /** Throws TypeError or RangeError for settings that no survey can have. @param {Stage} stage @param {Settings} settings */
  constructor(stage, settings) {
    this.#stage = stage;
    this.#settings = settings;
    this.#client = this.#makeClient();
  }

  /** Check the survey; show the questions, or the receipt where this device has answered them. @returns {Promise<void>} */
  open() {
    return this.#run(
      async () => {
        const survey = await this.#client.survey();
        const { wave } = this.#settings;
        survey.checkWave(wave);
        const before = (await this.#client.answered()).find((receipt) => receipt.wave === wave);
        const waves = await this.#client.waves();
        this.#asked = await this.#client.questions();
        const isOpen = await this.#client.isOpen();
        const isPrepared = await this.#client.isPrepared(wave);
        if (this.#isOver) return;
        await this.#stage.announce(survey);
        if (this.#isOver) return;
        this.#survey = survey;
        this.#tell("ready", { isAnswered: Boolean(before) });
        if (before) return this.#finish(before.id, sayAnswered);
        if (!isOpen) return this.#stage.alarm(over);
        if (!waves.includes(wave)) return this.#stage.alarm((t) => notAsked(t, waves, wave));
        if (isPrepared) this.#stage.alarm(unsent);
        return survey.invited ? this.#invite(this.#given()) : this.#ask();
      },
      () => this.open(),
    );
  }

  /** Whether anything was answered that was not sent. */
  get isAnswered() {
    return this.#form?.isAnswered ?? false;
  }

  /** Say all of it again, in the stage's words: nothing that was answered is lost. */
  translate() {
    if (this.#receipt) return this.#receipt.translate(this.#stage.t);
    if (!this.#form) return this.#prompt?.translate(this.#stage.t);
    const { state } = this.#form;
    this.#form = this.#makeForm();
    this.#form.state = state;
    if (this.#made) this.#review(this.#made);
    else this.#stage.show(this.#form.element);
  }

  /** Forget what was answered, as nobody looks any more; a report that was sent is delivered all the same. */
  end() {
    this.#forget();
    this.#isOver = true;
    this.#receipt?.close();
    const client = this.#client;
    const close = () => {
      client.close();
      holdPage(client, false);
    };
    client.flush().then(close, close); // a report that was sent is tried once more
  }

  #makeClient() {
    const { collector, survey, options } = this.#settings;
    return new SurveyClient(collector, survey, { ...options, invitation: this.#invitation || undefined });
  }

  /** The invitation that came: `#` stands for the address, which an element that is alone on its page looks at unasked. */
  #given() {
    const { invitation } = this.#settings;
    const isInAddress = invitation === "#" || (invitation === "" && this.#stage.isAlone());
    return isInAddress ? takeFromAddress(this.#url) : invitation;
  }

  /** Go on with an invitation, or ask for one: for the first, or for another. */
  async #invite(/** @type {string} */ given) {
    const blind = this.#survey?.blind;
    let state = "none";
    if (isInvitation(given)) {
      this.#invitation = given;
      this.#client.close();
      this.#client = this.#makeClient();
      state = await (blind?.tokenOf ?? stateOf)(this.#client, given, this.#settings.wave);
    }
    if (this.#isOver) return;
    if (state === "unused") return this.#ask();
    const take = (/** @type {string} */ typed) => this.#run(() => this.#invite(typed));
    this.#prompt = new InvitationView(this.#stage.t, given, state, take, blind);
    this.#stage.show(this.#prompt.element);
    return this.#prompt.open();
  }

  #ask() {
    this.#form = this.#makeForm();
    this.#stage.show(this.#form.element);
  }

  #makeForm() {
    const review = () => this.#run(() => this.#prepare());
    const survey = /** @type {Survey} */ (this.#survey);
    return new FormView(this.#stage.t, survey, this.#asked, this.#stage.wordsOf, review);
  }

  async #prepare() {
    const { answers } = /** @type {FormView} */ (this.#form);
    const draft = await this.#client.prepare(answers, this.#settings.wave);
    if (this.#isOver) return;
    this.#made = { answers, draft };
    this.#review(this.#made);
    this.#tell("prepared");
  }

  #review(/** @type {{answers: {[id: string]: any}, draft: Draft}} */ made) {
    const { t, wordsOf, show } = this.#stage;
    const send = () => this.#run(() => this.#send());
    const review = reviewOf(t, /** @type {Survey} */ (this.#survey), wordsOf, made, send, () => this.#change());
    show(review);
    focusIn(review);
  }

  #change() {
    this.#made = null;
    const form = /** @type {FormView} */ (this.#form);
    this.#stage.show(form.element);
    form.focus();
  }

  async #send() {
    if (!this.#made) return;
    holdPage(this.#client); // until it is known to be kept, or delivered
    const receipt = await this.#made.draft.send();
    this.#isSent = true;
    this.#tell("sent");
    await this.#finish(receipt.id, (t) => t("Thank you"));
  }

  /** Forget what was answered, and show a receipt in its place. */
  #finish(/** @type {string} */ receipt, /** @type {(t: Translate) => string} */ title) {
    if (this.#isOver) return;
    this.#forget();
    const asked = { client: this.#client, survey: /** @type {Survey} */ (this.#survey) };
    this.#receipt = new ReceiptView(this.#stage.t, asked, receipt, title, (fate, code) => {
      if (fate === "delivered" || fate === "refused") this.#tell(fate, fate === "refused" ? { code } : {});
    });
    this.#stage.show(this.#receipt.element);
    return this.#receipt.open();
  }

  #forget() {
    this.#made = null;
    this.#form?.clear();
    this.#form = null;
    this.#stage.show();
  }

  get #url() {
    return `${this.#settings.collector}/v1/surveys/${this.#settings.survey}`;
  }

  #tell(/** @type {string} */ name, /** @type {object} */ more = {}) {
    const { id, fingerprint } = /** @type {Survey} */ (this.#survey);
    this.#stage.emit(`sotto-${name}`, { survey: id, fingerprint, wave: this.#settings.wave, ...more });
  }

  /** Take a step, one at a time, and say what goes wrong; `again` is what a button offers then, where that may help. */
  async #run(/** @type {() => unknown} */ step, /** @type {() => void} */ again = () => undefined) {
    if (this.#isBusy || this.#isOver) return;
    this.#isBusy = true;
    try {
      this.#stage.alarm();
      await step();
    } catch (fault) {
      if (!this.#isOver) await this.#explain(fault, again);
    } finally {
      this.#isBusy = false;
    }
  }

  async #explain(/** @type {any} */ fault, /** @type {() => void} */ again) {
    const { t, alarm } = this.#stage;
    holdPage(this.#client, false);
    if (this.#isSent) return alarm(unread);
    const { name, message } = fault;
    if (name === "AlreadyAnswered") return this.#finish(fault.receipt.id, sayAnswered);
    if (name === "AnswerError" && fault.where !== "$") return this.#form?.refuse(fault.where, sentence(fault.problem));
    if (name === "ParticipationEnded" && this.#made && (await this.#client.answered()).length === 0) {
      this.#change(); // what it was drawn from went with the browser's data
      return alarm(forgotten);
    }
    const isMisused = !this.#survey && (name === "RangeError" || name === "TypeError");
    const { isAnswered } = this;
    const said = isMisused ? message : explain(t, fault).said;
    this.#stage.emit("sotto-error", { survey: this.#settings.survey, name, message: said });
    return alarm((t) => (isMisused ? misused(t, message) : explain(t, fault, isAnswered)), again);
  }
}

function focusIn(/** @type {HTMLElement} */ element) {
  /** @type {HTMLElement | null} */ (element.querySelector("[tabindex]"))?.focus();
}

function sayAnswered(/** @type {Translate} */ t) {
  return t("This device has already answered");
}
