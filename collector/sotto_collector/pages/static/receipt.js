// The receipt of a report, and what became of the report: it waits, was delivered, was refused, was erased.

import { holdPage } from "../js/form/leaving.js";
import { say } from "./form.js";
import { t } from "./language.js";

const OFTEN_MS = 1000;
const SELDOM_MS = 5000;
const N_OFTEN = 30;

/** The receipt's part of the page. */
export class ReceiptView {
  #client = null;
  #receipt = "";
  #title = "";
  #keys = ""; // of a gateway, that the report was encrypted with
  #isDurable = true;
  #isErased = false;
  #isClosed = false;
  #nLooks = 0;
  #timer = 0;

  constructor() {
    for (const name of ["copy", "erase", "resend"]) {
      const button = document.getElementById(`${name}-button`); // none to erase with where no report is kept
      button?.addEventListener("click", () => this[name]());
    }
    addEventListener("online", () => this.#client && this.#hurry());
  }

  /** Show a receipt of this client, and from then on what becomes of its report. */
  async show(client, receipt, title) {
    this.#client = client;
    this.#receipt = receipt;
    this.#isDurable = await client.isDurable();
    this.#title = title;
    say("receipt-code", receipt);
    await this.#look();
    document.getElementById("receipt-title").focus();
    this.#hurry();
  }

  /** Let another view have the page. */
  close() {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  /** Try to deliver now, and look: most reports are delivered by then. */
  #hurry() {
    const look = () => this.#look();
    this.#client.flush().then(look, look); // what failed is tried again later, and looked at
  }

  /** Say how it stands, and look again as long as that may change. */
  async #look() {
    clearTimeout(this.#timer);
    const state = await this.#state().catch(() => ""); // the browser's database may be gone for a moment
    if (this.#isClosed) return;
    if (!state) return this.#lookAgain();
    say("receipt-title", state === "refused" ? t("Your report wasn't accepted") : this.#title);
    document.getElementById("slip").hidden = state === "refused"; // there is no report that it could name
    const words = wordsOf(state, this.#isDurable, this.#keys);
    if (document.getElementById("delivery").textContent !== words) say("delivery", words); // a reader says it once
    document.getElementById("erasure")?.toggleAttribute("hidden", state !== "delivered");
    holdPage(document, state === "waiting" && !this.#isDurable);
    if (state !== "waiting") document.getElementById("not-durable").hidden = true; // there is nothing to lose
    if (state === "waiting") this.#lookAgain();
  }

  #lookAgain() {
    this.#timer = setTimeout(() => this.#look(), this.#nLooks++ < N_OFTEN ? OFTEN_MS : SELDOM_MS);
  }

  async #state() {
    if ((await this.#client.pending()).includes(this.#receipt)) return "waiting";
    const refused = (await this.#client.rejected()).find(({ receipt }) => receipt === this.#receipt);
    document.getElementById("refused").hidden = !refused;
    if (!refused) return (await this.#isKnown()) ? "delivered" : "forgotten";
    say("refusal", whyRefused(refused));
    document.getElementById("again").hidden = !refused.needsInvitation && !refused.isUnknown;
    document.getElementById("other").hidden = !refused.needsInvitation;
    return "refused";
  }

  /** Whether this device still knows the report: who deletes its data deletes what waits, too. */
  async #isKnown() {
    const known = (await this.#client.answered()).find(({ id }) => id === this.#receipt);
    this.#keys = known?.keys.slice(0, 16) ?? "";
    return Boolean(known);
  }

  /** Send a report again that was refused for its invitation, under another, or as the collector had no such survey. */
  async resend() {
    const field = document.getElementById("other-invitation");
    const isAsked = !document.getElementById("other").hidden;
    try {
      await this.#client.resend(isAsked ? field.value.trim() : undefined);
      field.value = "";
      say("other-error", "");
      await this.#look();
    } catch {
      say("other-error", t("It must be an invitation to this survey, with 26 letters and digits."));
      field.focus();
    }
  }

  async copy() {
    try {
      await navigator.clipboard.writeText(this.#receipt);
      say("copied", t("Copied."));
    } catch {
      getSelection().selectAllChildren(document.getElementById("receipt-code"));
      say("copied", t("It is selected. Copy it with your keyboard or menu."));
    }
  }

  /** Ask the collector to erase the report, by its receipt. */
  async erase() {
    let words = t("Your report wasn't erased. Please ask the people who run the survey, and give them your receipt.");
    try {
      this.#isErased = (await this.#client.erase(this.#receipt)) || this.#isErased; // whoever presses twice is told so once
    } catch {
      words = t("There's no connection now. Please try again later.");
    }
    if (this.#isErased) {
      this.#title = t("Your report was erased");
      say("receipt-title", this.#title);
      words = t("Your report was erased and is no longer counted.");
    }
    say("erased", words);
  }
}

/** What became of a report, in words. */
function wordsOf(state, isDurable, keys) {
  if (state === "delivered") {
    const said = t("Your report was delivered.");
    return keys ? t.text([said, t("It was encrypted with the keys %(keys)s.", { keys })]) : said;
  }
  if (state === "refused") return t("Your report wasn't accepted.");
  if (state === "forgotten") {
    return t(
      "This browser's data was deleted, so the browser no longer knows about your report. If the report wasn't delivered before, it is lost.",
    );
  }
  if (isDurable) {
    return t(
      "Your report waits on this device until there is a connection. You may close this page: it sends the report when you open it again. (A private window can't: it saves nothing.)",
    );
  }
  return t(
    "Your report waits on this device until there is a connection. Keep this page open until then: this window saves nothing.",
  );
}

/** Why a report was refused, and what may be done. */
function whyRefused({ needsInvitation, isUnknown, problem }) {
  if (needsInvitation) return t("Its invitation has already been used, or is for a different survey.");
  if (problem.code === "survey_closed") return t("The survey is over and takes no more answers.");
  if (isUnknown) return t("The survey is gone, or it has changed.");
  return t("Please give this word to the people who run the survey: %(code)s", { code: problem.code });
}
