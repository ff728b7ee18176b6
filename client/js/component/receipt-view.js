/** The receipt of a report, and what became of the report: it waits, was delivered, was refused, was erased. */

import { holdPage } from "../form/leaving.js";
import { keepToItself } from "../src/fields.js";
import { today } from "../src/ledger.js";
import { button, make, paragraph } from "./dom.js";

/** @typedef {import("../form/words.js").Translate} Translate */
/** @typedef {import("../src/survey.js").Survey} Survey */
/** @typedef {import("../src/client.js").SurveyClient} SurveyClient */
/** @typedef {"waiting" | "delivered" | "forgotten" | "refused" | "erased"} Fate */

const OFTEN_MS = 1000;
const SELDOM_MS = 5000;
const N_OFTEN = 30;

export class ReceiptView {
  #t;
  #client;
  #survey;
  #receipt;
  /** @type {(t: Translate) => string} */
  #title;
  #onFate;
  #isDurable = true;
  #nLooks = 0;
  #timer = 0;
  /** @type {Fate | ""} */
  #fate = "";
  #code = "";
  #isErased = false;
  #hurry = () => this.#look(true);
  #heading = make("h3", { id: "receipt-title", tabindex: -1, part: "step-title" });
  #delivery = make("p", { role: "status", part: "delivery" });
  #refusal = make("div", {});
  #erasure = make("div", {});
  #slip = make("div", { class: "slip", part: "slip" });

  /**
   * @param {Translate} t @param {{client: SurveyClient, survey: Survey}} asked
   * @param {string} receipt @param {(t: Translate) => string} title @param {(fate: Fate, code: string) => void} onFate once for each
   */
  constructor(t, { client, survey }, receipt, title, onFate) {
    this.#t = t;
    this.#client = client;
    this.#survey = survey;
    this.#receipt = receipt;
    this.#title = title;
    this.#onFate = onFate;
    const labelled = { "aria-labelledby": "receipt-title", part: "receipt" };
    this.element = make("section", labelled);
    this.translate(t);
  }

  /** Say all of it in these words. */
  translate(/** @type {Translate} */ t) {
    this.#t = t;
    this.#slip.replaceChildren(...this.#tellReceipt());
    this.element.replaceChildren(this.#heading, this.#delivery, this.#refusal, this.#slip, this.#erasure);
    this.#write();
  }

  /** Show it, and from then on what becomes of the report. */
  async open() {
    this.#isDurable = await this.#client.isDurable();
    addEventListener("online", this.#hurry);
    await this.#look(false);
    this.#heading.focus();
    this.#hurry();
  }

  close() {
    clearTimeout(this.#timer);
    removeEventListener("online", this.#hurry);
  }

  /** Say how it stands, and look again as long as that may change. */
  async #look(/** @type {boolean} */ isTrying) {
    clearTimeout(this.#timer);
    if (isTrying) await this.#client.flush().catch(() => false); // what failed is tried again later, and looked at
    const found = await this.#find().catch(() => null); // the browser's database may be gone for a moment
    if (!this.element.isConnected) return;
    if (found !== null) this.#show(found.fate, found.code);
    if (found !== null && found.fate !== "waiting") return;
    this.#timer = window.setTimeout(() => this.#look(false), this.#nLooks++ < N_OFTEN ? OFTEN_MS : SELDOM_MS);
  }

  /** @returns {Promise<{fate: Fate, code: string}>} */
  async #find() {
    if ((await this.#client.pending()).includes(this.#receipt)) return { fate: "waiting", code: "" };
    const refused = (await this.#client.rejected()).find(({ receipt }) => receipt === this.#receipt);
    if (refused) return { fate: "refused", code: refused.problem.code };
    const known = (await this.#client.answered()).find(({ id }) => id === this.#receipt);
    return { fate: known ? "delivered" : "forgotten", code: known?.keys ?? "" };
  }

  #show(/** @type {Fate} */ fate, /** @type {string} */ code) {
    if (fate === this.#fate) return;
    this.#fate = fate;
    this.#code = code;
    holdPage(this.#client, fate === "waiting" && !this.#isDurable);
    this.#write();
    this.#onFate(fate, code);
  }

  #write() {
    const [t, fate] = [this.#t, this.#fate];
    this.#heading.textContent = fate === "refused" ? t("Your report wasn't accepted") : this.#title(t);
    this.#delivery.textContent = this.#say(fate);
    this.#slip.hidden = fate === "refused"; // there is no report that it could name
    this.#refusal.replaceChildren(...(fate === "refused" ? this.#sayRefusal(this.#code) : []));
    const mayErase = fate === "delivered" && this.#survey.keep === "reports" && !this.#isGone();
    this.#erasure.replaceChildren(...(mayErase ? [this.#offerErasure()] : []));
  }

  #say(/** @type {Fate | ""} */ fate) {
    const t = this.#t;
    if (fate === "") return "";
    if (fate === "delivered") {
      const keys = this.#code.slice(0, 16); // of a gateway; of others nothing
      const said = t("Your report was delivered.");
      return keys ? t.text([said, t("It was encrypted with the keys %(keys)s.", { keys })]) : said;
    }
    if (fate === "refused") return t("Your report wasn't accepted.");
    if (fate === "forgotten") {
      return t(
        "This browser's data was deleted, so the browser no longer knows about your report. If the report wasn't " +
          "delivered before, it is lost.",
      );
    }
    if (this.#isDurable) {
      return t(
        "Your report waits on this device until there is a connection. You may close this page: it sends the report when " +
          "you open it again. (A private window can't: it saves nothing.)",
      );
    }
    return t(
      "Your report waits on this device until there is a connection. Keep this page open until then: this window saves " +
        "nothing.",
    );
  }

  #sayRefusal(/** @type {string} */ code) {
    const t = this.#t;
    const isInvitation = code.startsWith("invitation_");
    const isUnknown = code === "no_such_survey" || code === "wrong_fingerprint";
    const parts = [make("p", {}, sayReason(t, code))];
    if (!isInvitation && !isUnknown) return parts;
    const field = keepToItself(make("input", { id: "other", type: "text", part: "field", autocomplete: "off" }));
    const error = make("p", { id: "other-error", class: "error", part: "error", role: "alert" });
    field.setAttribute("aria-describedby", "other-error");
    const label = make("label", { for: "other" }, t("Your report needs another invitation"));
    const asked = isInvitation ? [make("p", {}, label), error, field] : [error];
    const again = button(t("Send it again"), "again", () => this.#resend(isInvitation ? field : null, error));
    return [...parts, ...asked, make("div", { class: "actions" }, again)];
  }

  /** Send a report again that was refused for its invitation, under another, or as the collector had no such survey. */
  async #resend(/** @type {HTMLInputElement | null} */ field, /** @type {HTMLElement} */ error) {
    try {
      await this.#client.resend(field?.value.trim());
      this.#fate = "";
      await this.#look(true);
    } catch {
      error.textContent = this.#t("It must be an invitation to this survey, with 26 letters and digits.");
      field?.focus();
    }
  }

  /** Whether all reports are erased by now, as the survey says. */
  #isGone() {
    const { eraseOn } = this.#survey;
    return eraseOn !== "" && today() >= eraseOn;
  }

  #tellReceipt() {
    const t = this.#t;
    const copied = make("span", { role: "status" });
    const code = keepToItself(make("code", { part: "receipt-code", dir: "ltr" }, this.#receipt));
    const why =
      this.#survey.keep === "reports"
        ? t(
            "Keep this code private: it names your report. Anyone who has it can have the report erased, here or by asking " +
              "the people who run the survey. This device remembers the code, but none of your answers.",
          )
        : t(
            "With this number your report is counted only once. The report is added to the counts and not kept, so nobody " +
              "can take it out again. This device remembers the number, but none of your answers.",
          );
    const copy = button(t("Copy the receipt"), "copy", () => this.#copy(code, copied));
    return [
      make("p", {}, t("Your receipt")),
      make("p", {}, code),
      make("div", { class: "actions" }, copy, copied),
      ...(this.#isGone() ? [] : [paragraph("small", why)]),
    ];
  }

  async #copy(/** @type {HTMLElement} */ code, /** @type {HTMLElement} */ copied) {
    try {
      await navigator.clipboard.writeText(this.#receipt);
      copied.textContent = this.#t("Copied.");
    } catch {
      getSelection()?.selectAllChildren(code);
      copied.textContent = this.#t("It is selected. Copy it with your keyboard or menu.");
    }
  }

  #offerErasure() {
    const t = this.#t;
    const said = make("p", { role: "status" }, this.#isErased ? sayErased(t) : "");
    const erase = button(t("Erase it now"), "erase", () => this.#erase(said));
    return make(
      "details",
      { open: this.#isErased },
      make("summary", {}, t("Erase my report")),
      make(
        "p",
        {},
        t(
          "This takes your report out of the counts, for good. You can't answer again from this device. Results that are " +
            "already published don't change.",
        ),
      ),
      make("div", { class: "actions" }, erase),
      said,
    );
  }

  /** Ask the collector to erase the report, by its receipt. */
  async #erase(/** @type {HTMLElement} */ said) {
    const t = this.#t;
    let words = t("Your report wasn't erased. Please ask the people who run the survey, and give them your receipt.");
    try {
      if (await this.#client.erase(this.#receipt)) {
        this.#isErased = true;
        this.#title = (t) => t("Your report was erased");
        this.#heading.textContent = this.#title(t);
        this.#onFate("erased", "");
      }
    } catch {
      words = t("There's no connection now. Please try again later.");
    }
    said.textContent = this.#isErased ? sayErased(t) : words;
  }
}

function sayErased(/** @type {Translate} */ t) {
  return t("Your report was erased and is no longer counted.");
}

/** Why a report was not accepted, by the collector's code: its own words are not shown. */
function sayReason(/** @type {Translate} */ t, /** @type {string} */ code) {
  switch (code) {
    case "survey_closed":
      return t("The survey is over and takes no more answers.");
    case "invitation_required":
    case "invitation_invalid":
      return t("Its invitation has already been used, or is for a different survey.");
    case "no_such_survey":
    case "wrong_fingerprint":
      return t("The survey is gone, or it has changed.");
    default:
      return t("Please give this word to the people who run the survey: %(code)s", { code: code.slice(0, 40) });
  }
}
