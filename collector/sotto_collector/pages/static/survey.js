// The survey page: asks, lets the client perturb, shows what will be sent, sends it, shows the receipt. What was answered
// goes into the client and nowhere else; it stands in the page's fields until it was sent, or the page is left.

import { describe, forgotten, insecure, sentence, unread } from "../js/form/faults.js";
import { alarm } from "./alarm.js";
import { Form, say } from "./form.js";
import { askOf, takeInvitation } from "./invitation.js";
import { t } from "./language.js";
import { Parts } from "./parts.js";
import { ReceiptView } from "./receipt.js";
import { clearReview, showReview } from "./review.js";

const CLIENT = new URL("../js/sottovoce.min.js", import.meta.url).href;
const COLLECTOR = new URL("..", import.meta.url).href.replace(/\/$/, "");
const {
  survey: SURVEY,
  fingerprint: FINGERPRINT,
  wave,
  maxEpsilon,
  closed,
  invited,
  draft,
} = document.querySelector("main").dataset;
const ADDRESS = `${COLLECTOR}/v1/surveys/${SURVEY}`;
const WAVE = Number(wave);
const MAX_EPSILON = Number(maxEpsilon);
const MAX_PERIOD_EPSILON = 16; // of all surveys in 30 days, as the client has it
const IS_OPEN = closed === undefined;
const IS_INVITED = invited !== undefined && IS_OPEN;

const END_OF_DRAFT = { title: t("This is as far as a draft goes"), text: t("Nothing was sent.") };

const find = (id) => document.getElementById(id);

/** One visit: `sotto` is the client's module. */
class Visit {
  #sotto;
  #client;
  #survey;
  #draft = null;
  #invitation = "";
  #refused = new Map();
  #isBusy = false;
  #isSent = false;
  #isOver = false;
  #form = IS_OPEN ? new Form() : null;
  #parts = this.#form && new Parts(this.#form);
  #receipt = new ReceiptView(ADDRESS);

  constructor(sotto) {
    this.#sotto = sotto;
    this.#client = this.#makeClient();
    if (IS_OPEN) this.#listen();
  }

  #makeClient() {
    const invitation = this.#invitation || undefined;
    const state = draft ? ":memory:" : undefined;
    return new this.#sotto.SurveyClient(draft ? `${COLLECTOR}/${draft}` : COLLECTOR, SURVEY, {
      state,
      fingerprint: FINGERPRINT,
      invitation,
      maxEpsilon: MAX_EPSILON,
      maxPeriodEpsilon: Math.max(MAX_PERIOD_EPSILON, MAX_EPSILON),
    });
  }

  #listen() {
    const { part, isReview, ...state } = history.state ?? {};
    if (part || isReview) history.replaceState(state, ""); // a reload begins anew
    find("next-button").addEventListener("click", () => this.#goOn());
    find("back-button").addEventListener("click", () => history.back());
    find("review-button").addEventListener("click", () => this.#run(() => this.#review()));
    find("send-button").addEventListener("click", () => this.#run(() => this.#send()));
    find("change-button").addEventListener("click", () => this.#change());
    addEventListener("popstate", ({ state }) => this.#follow(state));
    addEventListener("pagehide", () => this.#forget());
    addEventListener("pageshow", ({ persisted }) => persisted && location.reload());
    if (!IS_INVITED) return;
    const ask = () => this.#run(() => this.#askOfInvitation());
    addEventListener("hashchange", () => {
      this.#takeInvitation();
      ask();
    });
    find("invitation").addEventListener("change", ask);
    addEventListener("online", ask);
    this.#takeInvitation();
  }

  /** Check the survey; show the questions, or the receipt where this device has answered them. */
  open() {
    return this.#run(
      async () => {
        this.#survey = await this.#client.survey();
        find("not-durable").hidden = await this.#client.isDurable();
        const before = (await this.#client.answered()).find((receipt) => receipt.wave === WAVE);
        if (before) return this.#finish(before, t("This device has answered already"));
        if (!IS_OPEN) return undefined;
        if (this.#survey.draw) this.#form.ask((await this.#client.questions()).map(({ id }) => id));
        this.#form.enable();
        this.#parts.begin();
        return this.#askOfInvitation();
      },
      () => this.open(),
    );
  }

  /** Go on to the next part, if nothing is wrong in this one. */
  #goOn() {
    const problems = [...this.#checkInvitation(), ...this.#form.problems(this.#parts.current)];
    this.#form.show(problems);
    if (problems.length) return;
    const part = this.#parts.index + 1;
    history.pushState({ ...history.state, part }, "");
    this.#showPart(part);
  }

  async #review() {
    const problems = [...this.#checkInvitation(), ...this.#form.problems()];
    this.#showProblems(problems);
    if (problems.length) return;
    const answers = this.#form.answers();
    this.#draft = await this.#client.prepare(answers, WAVE);
    showReview(this.#survey, this.#form, answers, this.#draft);
    this.#show("review");
    find("review-title").focus();
    history.pushState({ ...history.state, isReview: true }, ""); // so that Back leads to the questions
  }

  /** Show what is wrong, and the part where the first of it stands. */
  #showProblems(problems) {
    if (problems.length) this.#parts.showFieldOf(problems[0][0]);
    this.#form.show(problems);
  }

  #change() {
    this.#showPart(this.#parts.index);
    if (history.state?.isReview) history.back();
  }

  /** The browser's Back and Forward lead from part to part; Forward leads to no review, and nothing to what was sent. */
  #follow(state) {
    if (this.#isOver) return leaveEntries();
    if (state?.isReview) return this.#draft || history.back();
    if (this.#draft) alarm();
    return this.#showPart(state?.part ?? 0);
  }

  #showPart(index) {
    this.#draft = null;
    clearReview();
    this.#show("questions");
    this.#parts.show(index);
    this.#parts.focus();
  }

  async #send() {
    if (draft) return alarm(END_OF_DRAFT);
    const receipt = await this.#draft.send();
    this.#isSent = true;
    return this.#finish(receipt, t("Thank you"));
  }

  /** Forget what was answered, and show a receipt in its place. */
  #finish(receipt, title) {
    this.#forget();
    this.#isOver = true;
    leaveEntries();
    this.#show("receipt");
    return this.#receipt.show(this.#client, receipt.id, title);
  }

  #forget() {
    this.#draft = null;
    this.#form?.clear();
    if (IS_OPEN) clearReview();
  }

  #show(shown) {
    for (const id of ["questions", "review", "receipt"]) if (find(id)) find(id).hidden = id !== shown;
  }

  /** Take a step, one at a time, and say what goes wrong; `again` is what a button offers then, where that may help. */
  async #run(step, again) {
    if (this.#isBusy) return;
    this.#isBusy = true;
    try {
      alarm();
      await step();
    } catch (fault) {
      await this.#explain(fault, again);
    } finally {
      this.#isBusy = false;
    }
  }

  async #explain(fault, again) {
    if (this.#isSent) return alarm(unread(t));
    const { AlreadyAnswered, AnswerError, InvitationError, ParticipationEnded } = this.#sotto;
    if (fault instanceof AlreadyAnswered) return this.#finish(fault.receipt, t("This device has answered already"));
    if (fault instanceof AnswerError && fault.where !== "$") {
      return this.#showProblems([this.#form.problemOf(fault.where, sentence(fault.problem))]);
    }
    if (fault instanceof ParticipationEnded && this.#draft && !(await this.#client.answered()).length) {
      this.#change(); // what it was drawn from went with the browser's data
      return alarm(forgotten(t));
    }
    if (fault instanceof InvitationError && IS_INVITED) return this.#showProblems([this.#askForInvitation()]);
    return alarm(describe(t, fault), again);
  }

  /** Use the invitation in the address, if there is one, and do not ask for it then. */
  #takeInvitation() {
    const given = takeInvitation();
    find("invitation").value = given;
    const isGood = given !== "" && this.#checkInvitation().length === 0;
    this.#showInvitation(!isGood);
    if (given && !isGood)
      say("invitation-error", t("The invitation in the address is not whole. Please type it here."));
  }

  #showInvitation(isAsked) {
    find("invitation-block").hidden = !isAsked;
    find("invitation-came").hidden = isAsked;
  }

  /** Give the client the invitation that stands in the field. Return what is wrong with it, as the form shows that. */
  #checkInvitation() {
    const typed = IS_INVITED ? find("invitation").value.trim() : "";
    if (this.#refused.has(typed)) return [this.#askForInvitation(this.#refused.get(typed))];
    if (typed === this.#invitation) return [];
    const before = this.#invitation;
    this.#invitation = typed;
    try {
      const client = this.#makeClient();
      this.#client.close();
      this.#client = client;
      return [];
    } catch {
      this.#invitation = before;
      return [this.#askForInvitation()];
    }
  }

  /** Ask the collector whether the invitation can be used, and say so where it cannot, before anything is answered. */
  async #askOfInvitation() {
    if (!IS_INVITED || this.#checkInvitation().length || !this.#invitation) return;
    const invitation = find("invitation").value.trim();
    const words = wordsOf(await askOf(ADDRESS, this.#invitation, WAVE));
    if (!words) return;
    this.#refused.set(invitation, words);
    this.#askForInvitation();
    say("invitation-error", words);
    alarm({ title: t("This invitation cannot be used"), text: words });
  }

  /** Show the field for the invitation; return what is wrong with it, as the form shows that. */
  #askForInvitation(words = t("Type your invitation: 26 letters a to z and digits 2 to 7.")) {
    this.#showInvitation(true);
    return ["invitation", "invitation-error", words];
  }
}

/** Why an invitation cannot be used, by what the collector says of it; nothing where it can. */
function wordsOf(state) {
  if (state === "used") return t("It was used already. If that was not you, please ask whoever invited you.");
  if (state !== "invalid") return "";
  return t("It was used already, or it is not one to this survey. Please check it, or ask whoever invited you.");
}

/** Leave the entries of the tab's history that the page has made, which hold nothing of the answers. */
function leaveEntries() {
  const { part = 0, isReview = false } = history.state ?? {};
  if (part || isReview) history.go(-part - Number(isReview));
}

async function start() {
  if (!globalThis.crypto?.subtle) return alarm(insecure(t));
  try {
    return await new Visit(await import(CLIENT)).open();
  } catch (fault) {
    return alarm(describe(t, fault));
  }
}

start().finally(() => find("loading").remove());
