// The survey page: asks, lets the client perturb, shows what will be sent, sends it, shows the receipt. What was answered
// goes into the client and nowhere else; it stands in the page's fields until it was sent, or the page is left.

import { describe, forgotten, insecure, notAsked, over, sentence, unread, unsent } from "../js/form/faults.js";
import { keepToItself, mask } from "../js/src/fields.js";
import { stateOf } from "../js/form/invitation.js";
import { holdPage } from "../js/form/leaving.js";
import { alarm } from "./alarm.js";
import { Form } from "./form.js";
import { Invitation } from "./invitation.js";
import { isOfSame, t, takePage } from "./language.js";
import { Parts } from "./parts.js";
import { COLLECTOR, fetchPage, firstPage, loadClient } from "./place.js";
import { ReceiptView } from "./receipt.js";
import { clearReview, showReview } from "./review.js";

const {
  survey: SURVEY,
  fingerprint: FINGERPRINT,
  wave,
  maxEpsilon,
  resendDays = 0,
  closed,
  invited,
  draft,
} = document.querySelector("main").dataset;
const WAVE = Number(wave);
const MAX_EPSILON = Number(maxEpsilon);
const MAX_PERIOD_EPSILON = 16; // of all surveys in 30 days, as the client has it
const IS_OPEN = closed === undefined;
const IS_INVITED = invited !== undefined && IS_OPEN && !draft;
const TRIED = draft && invited !== undefined ? "a".repeat(26) : undefined; // an invitation that is never sent

/** All that answers, receipts and invitations are typed into, or stand in. */
const PRIVATE = "input, select, .error, #problems, #progress, .review, #body, #receipt-code";

/** Where the page is in the language that was chosen last: every entry of the tab's history is to lead there. */
let here = location.pathname + location.search;

const find = (id) => document.getElementById(id);

/** One visit: `sotto` is the client's module. */
class Visit {
  #sotto;
  #client;
  #survey;
  #draft = null;
  #listening = new AbortController();
  #isBusy = false;
  #isSent = false;
  #isOver = false;
  #isLeft = false;
  #wanted = ""; // the address of the page in the language that was chosen last
  #form = IS_OPEN ? new Form() : null;
  #parts = this.#form && new Parts(this.#form);
  #receipt = new ReceiptView();
  #invitation = IS_INVITED
    ? new Invitation(
        (typed, unknown) =>
          ((unknown === undefined && this.#survey?.blind?.tokenOf) || stateOf)(this.#client, typed, WAVE, unknown),
        (typed) => this.#useInvitation(typed),
      )
    : null;

  constructor(sotto) {
    this.#sotto = sotto;
    for (const each of document.querySelectorAll(PRIVATE)) keepToItself(each);
    for (const label of document.querySelectorAll(".choice")) mask(label);
    this.#client = this.#makeClient();
    if (IS_OPEN) this.#listen();
  }

  #makeClient(invitation = TRIED) {
    return new this.#sotto.SurveyClient(draft ? `${COLLECTOR}/${draft}` : COLLECTOR, SURVEY, {
      state: draft ? ":memory:" : undefined,
      fingerprint: FINGERPRINT,
      invitation,
      resendDays: Number(resendDays),
      maxEpsilon: MAX_EPSILON,
      maxPeriodEpsilon: Math.max(MAX_PERIOD_EPSILON, MAX_EPSILON),
    });
  }

  /** Give the client another invitation; throws where it can be none. */
  #useInvitation(typed) {
    const client = this.#makeClient(typed || undefined);
    this.#client.close();
    this.#client = client;
  }

  #listen() {
    const { signal } = this.#listening;
    const on = (target, kind, act) => target.addEventListener(kind, act, { signal });
    on(find("next-button"), "click", () => this.#goOn());
    on(find("back-button"), "click", () => history.back());
    on(find("review-button"), "click", () => this.#run(() => this.#review()));
    on(find("send-button"), "click", () => this.#run(() => this.#send()));
    on(find("change-button"), "click", () => this.#change());
    for (const link of document.querySelectorAll(".languages a")) {
      on(link, "click", (event) => {
        event.preventDefault(); // the page stays: what waits where nothing is kept would go with it
        this.#wanted = link.href;
        this.#run(() => this.#speak());
      });
    }
    on(window, "popstate", ({ state }) => this.#follow(state));
    on(window, "pagehide", () => this.#leave());
    on(window, "pageshow", ({ persisted }) => persisted && location.reload());
    if (!IS_INVITED) return;
    const ask = () => this.#isOver || this.#invitation.ask();
    on(find("invitation"), "change", ask);
    on(window, "online", ask);
    on(window, "hashchange", () => this.#isOver || this.#invitation.follow());
    this.#invitation.take();
  }

  /**
   * Check the survey; show the questions, or the receipt where this device has answered them. `goOn`: what to do before
   * the questions can be answered.
   */
  open(goOn) {
    const opened = this.#run(
      async () => {
        this.#survey = await this.#client.survey();
        find("not-durable").hidden = Boolean(draft) || (await this.#client.isDurable());
        const before = (await this.#client.answered()).find((receipt) => receipt.wave === WAVE);
        if (before) return this.#showBefore(before);
        if (!IS_OPEN) return undefined;
        if (!draft && !(await this.#client.isOpen())) {
          this.#show("");
          return alarm(over(t));
        }
        const waves = await this.#client.waves();
        if (!draft && !waves.includes(WAVE)) {
          this.#show("");
          return alarm(notAsked(t, waves, WAVE));
        }
        this.#form.know(this.#survey);
        if (this.#survey.draw) this.#form.ask((await this.#client.questions()).map(({ id }) => id));
        this.#parts.begin();
        if (!this.#isLeft) goOn?.();
        if (!goOn && (await this.#client.isPrepared(WAVE))) alarm(unsent(t));
        this.#form.enable();
        this.#invitation?.ask(); // while the questions are read: nobody waits for it
        return undefined;
      },
      () => this.open(goOn),
    );
    return opened.finally(() => find("loading")?.remove());
  }

  /** Go on to the next part, if nothing is wrong in this one. */
  #goOn() {
    const problems = [...(this.#invitation?.problems() ?? []), ...this.#form.problems(this.#parts.current)];
    this.#form.show(problems);
    if (problems.length) return;
    const part = this.#parts.index + 1;
    history.pushState({ ...history.state, part }, "");
    this.#showPart(part);
  }

  async #review() {
    const problems = [...(this.#invitation?.problems() ?? []), ...this.#form.problems()];
    this.#showProblems(problems);
    if (problems.length) return;
    const [answers, part] = [this.#form.answers(), this.#parts.index];
    const made = await this.#client.prepare(answers, WAVE);
    if (this.#isLeft || this.#parts.index !== part) return; // who has gone back waits for it no more
    this.#draft = made;
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
    if (location.pathname + location.search !== here) history.replaceState(state, "", here + location.hash);
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
    if (draft)
      return alarm({
        title: t("A draft ends here"),
        text: t("No answer was sent."),
      });
    holdPage(document); // until it is known to be kept, or delivered
    const receipt = await this.#draft.send();
    this.#isSent = true;
    return this.#finish(receipt, t("Thank you"));
  }

  /** Show a receipt of an earlier visit; whoever comes with an invitation of their own is told of it. */
  async #showBefore(receipt) {
    const [waiting, refused] = await Promise.all([this.#client.pending(), this.#client.rejected()]);
    await this.#finish(receipt, t("This device has already answered"));
    if (!waiting.length && !refused.length) await this.#invitation?.tellUnused();
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

  /** Nothing that was answered is shown to whoever comes back to the page, not by a step that was in hand either. */
  #leave() {
    this.#isLeft = true;
    this.#forget();
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
    if (this.#wanted) void this.#run(() => this.#speak()); // a language was chosen meanwhile
  }

  async #explain(fault, again) {
    if (this.#isSent) return alarm(unread(t));
    holdPage(document, false);
    const { AlreadyAnswered, AnswerError, InvitationError, ParticipationEnded } = this.#sotto;
    if (fault instanceof AlreadyAnswered) return this.#finish(fault.receipt, t("This device has already answered"));
    if (fault instanceof AnswerError && fault.where !== "$") {
      return this.#showProblems([this.#form.problemOf(fault.where, sentence(fault.problem))]);
    }
    if (fault instanceof ParticipationEnded && this.#draft && !(await this.#client.answered()).length) {
      this.#change(); // what it was drawn from went with the browser's data
      return alarm(forgotten(t));
    }
    if (fault instanceof InvitationError && IS_INVITED) return this.#showProblems(this.#invitation.missing());
    return alarm(describe(t, fault, Boolean(this.#form?.nAnswered)), again);
  }

  /** Show the page in the language that is wanted, with what was answered; where another one is served by now, go there. */
  async #speak() {
    const [answers, typed, part] = [this.#form.kept(), find("invitation")?.value ?? "", this.#parts.index];
    const paused = ["fields", "send-button", "change-button"].map(find).filter(({ disabled }) => !disabled);
    const pause = (isPaused) => paused.forEach((element) => (element.disabled = isPaused));
    pause(true); // what is pressed in between would be lost
    let address, page;
    try {
      while (address !== this.#wanted) page = await fetchPage((address = this.#wanted));
    } catch {
      this.#wanted = "";
      pause(false);
      return alarm({
        title: t("The survey can't be loaded now"),
        text: t("Please try again later."),
      });
    }
    this.#wanted = "";
    if (this.#isLeft) return undefined;
    if (!isOfSame(page)) {
      pause(false); // who stays after all goes on
      return location.assign(address);
    }
    takePage(page);
    const { isReview, ...state } = history.state ?? {};
    history.replaceState(state, "", address);
    here = location.pathname + location.search;
    this.#end();
    if (typed) find("invitation").value = typed;
    const next = new Visit(this.#sotto);
    return next.open(() => next.#goOnFrom(answers, part));
  }

  #goOnFrom(answers, part) {
    this.#form.fill(answers);
    this.#parts.show(part);
    document.querySelector(".languages [aria-current]").focus();
  }

  /** Let another visit have the page. */
  #end() {
    this.#draft = null;
    this.#listening.abort();
    this.#receipt.close();
    this.#client.close();
  }
}

/** Leave the entries of the tab's history that the page has made, which hold nothing of the answers. */
function leaveEntries() {
  const { part = 0, isReview = false } = history.state ?? {};
  if (part || isReview) history.go(-part - Number(isReview));
}

/** Show why the client was not loaded: it is written in what this browser does not read, or it is not there. */
function tellUnloaded(fault) {
  find("loading").remove();
  if (fault instanceof SyntaxError) find("too-old").hidden = false;
  else
    alarm({
      title: t("Part of this page couldn't be loaded"),
      text: t("No answer was sent. Please reload the page."),
    });
}

async function start() {
  const { part, isReview, ...state } = history.state ?? {};
  if (part || isReview) history.replaceState(state, ""); // a reload begins anew
  const first = firstPage();
  if (first) takePage(first);
  if (globalThis.crypto?.subtle) return loadClient().then((sotto) => new Visit(sotto).open(), tellUnloaded);
  find("loading").remove();
  return alarm(insecure(t));
}

start().catch((fault) => alarm(describe(t, fault)));
