// The survey page: asks, lets the client perturb, shows what will be sent, sends it, shows the receipt. What was answered
// goes into the client and nowhere else; it stands in the page's fields until it was sent, or the page is left.

import { alarm } from "./alarm.js";
import { Form, say } from "./form.js";
import { takeInvitation } from "./invitation.js";
import { ReceiptView } from "./receipt.js";
import { clearReview, showReview } from "./review.js";
import { FORGOTTEN, INSECURE, SENT, UNLOADED, describe, sentence } from "./words.js";

const CLIENT = new URL("../js/sottovoce.min.js", import.meta.url).href;
const COLLECTOR = new URL("..", import.meta.url).href.replace(/\/$/, "");
const {
  survey: SURVEY,
  fingerprint: FINGERPRINT,
  wave,
  maxEpsilon,
  closed,
  invited,
} = document.querySelector("main").dataset;
const WAVE = Number(wave);
const MAX_EPSILON = Number(maxEpsilon);
const MAX_PERIOD_EPSILON = 16; // of all surveys in 30 days, as the client has it
const IS_OPEN = closed === undefined;
const IS_INVITED = invited !== undefined && IS_OPEN;

const find = (id) => document.getElementById(id);

/** One visit: `sotto` is the client's module. */
class Visit {
  #sotto;
  #client;
  #survey;
  #draft = null;
  #invitation = "";
  #isBusy = false;
  #isSent = false;
  #form = IS_OPEN ? new Form() : null;
  #receipt = new ReceiptView(`${COLLECTOR}/v1/surveys/${SURVEY}`);

  constructor(sotto) {
    this.#sotto = sotto;
    this.#client = this.#makeClient();
    if (IS_OPEN) this.#listen();
  }

  #makeClient() {
    const invitation = this.#invitation || undefined;
    return new this.#sotto.SurveyClient(COLLECTOR, SURVEY, {
      fingerprint: FINGERPRINT,
      invitation,
      maxEpsilon: MAX_EPSILON,
      maxPeriodEpsilon: Math.max(MAX_PERIOD_EPSILON, MAX_EPSILON),
    });
  }

  #listen() {
    find("review-button").addEventListener("click", () => this.#run(() => this.#review()));
    find("send-button").addEventListener("click", () => this.#run(() => this.#send()));
    find("change-button").addEventListener("click", () => this.#change());
    addEventListener("popstate", ({ state }) => this.#goBack(state));
    addEventListener("pagehide", () => this.#forget());
    addEventListener("pageshow", ({ persisted }) => persisted && location.reload());
    if (!IS_INVITED) return;
    addEventListener("hashchange", () => this.#takeInvitation());
    this.#takeInvitation();
  }

  /** Check the survey; show the questions, or the receipt where this device has answered them. */
  open() {
    return this.#run(
      async () => {
        this.#survey = await this.#client.survey();
        find("not-durable").hidden = await this.#client.isDurable();
        const before = (await this.#client.answered()).find((receipt) => receipt.wave === WAVE);
        if (before) return this.#finish(before, "This device has answered already");
        if (this.#survey.draw) this.#form?.ask((await this.#client.questions()).map(({ id }) => id));
        return this.#form?.enable();
      },
      () => this.open(),
    );
  }

  async #review() {
    const problems = [...this.#checkInvitation(), ...this.#form.problems()];
    this.#form.show(problems);
    if (problems.length) return;
    const answers = this.#form.answers();
    this.#draft = await this.#client.prepare(answers, WAVE);
    showReview(this.#survey, answers, this.#draft);
    this.#show("review", "review-title");
    history.pushState({ ...history.state, isReview: true }, ""); // so that Back leads to the questions
  }

  #change() {
    this.#draft = null;
    clearReview();
    this.#show("questions", "title");
    leaveEntry();
  }

  /** The browser's Back on the review leads to the questions, with their answers; Forward leads nowhere. */
  #goBack(state) {
    if (this.#draft && !state?.isReview) this.#change();
    else if (!this.#draft) leaveEntry();
  }

  async #send() {
    const receipt = await this.#draft.send();
    this.#isSent = true;
    return this.#finish(receipt, "Thank you");
  }

  /** Forget what was answered, and show a receipt in its place. */
  #finish(receipt, title) {
    this.#forget();
    leaveEntry();
    this.#show("receipt", "");
    return this.#receipt.show(this.#client, receipt.id, title);
  }

  #forget() {
    this.#draft = null;
    this.#form?.clear();
    if (IS_OPEN) clearReview();
  }

  #show(shown, title) {
    alarm();
    for (const id of ["questions", "review", "receipt"]) if (find(id)) find(id).hidden = id !== shown;
    if (title) find(title).focus();
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
    if (this.#isSent) return alarm(SENT);
    const { AlreadyAnswered, AnswerError, InvitationError, ParticipationEnded } = this.#sotto;
    if (fault instanceof AlreadyAnswered) return this.#finish(fault.receipt, "This device has answered already");
    if (fault instanceof AnswerError && fault.where !== "$") {
      return this.#form.show([this.#form.problemOf(fault.where, sentence(fault.problem))]);
    }
    if (fault instanceof ParticipationEnded && this.#draft && !(await this.#client.answered()).length) {
      this.#change(); // what it was drawn from went with the browser's data
      return alarm(FORGOTTEN);
    }
    if (fault instanceof InvitationError && IS_INVITED) return this.#form.show(this.#askInvitation());
    return alarm(describe(fault, this.#sotto), again);
  }

  /** Use the invitation in the address, if there is one, and do not ask for it then. */
  #takeInvitation() {
    const given = takeInvitation();
    find("invitation").value = given;
    const isGood = given !== "" && this.#checkInvitation().length === 0;
    find("invitation-block").hidden = isGood;
    find("invitation-came").hidden = !isGood;
    if (given && !isGood) say("invitation-error", "The invitation in the address is not whole. Please type it here.");
  }

  /** Give the client the invitation that stands in the field. Return what is wrong with it, as the form shows that. */
  #checkInvitation() {
    const typed = IS_INVITED ? find("invitation").value.trim() : "";
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
      return this.#askInvitation();
    }
  }

  #askInvitation() {
    find("invitation-block").hidden = false;
    find("invitation-came").hidden = true;
    return [["invitation", "invitation-error", "Type your invitation: 26 letters a to z and digits 2 to 7."]];
  }
}

/** Leave the review's entry of the tab's history, which holds nothing of the answers. */
function leaveEntry() {
  if (history.state?.isReview) history.back();
}

async function start() {
  if (!globalThis.crypto?.subtle) return alarm(INSECURE);
  let sotto;
  try {
    sotto = await import(CLIENT);
  } catch {
    return alarm(UNLOADED);
  }
  try {
    return await new Visit(sotto).open();
  } catch (fault) {
    return alarm(describe(fault, sotto));
  }
}

start()
  .finally(() => find("loading").remove());
