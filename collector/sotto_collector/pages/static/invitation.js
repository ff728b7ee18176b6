// The invitation to an invited survey. It comes in the address, behind its #, which browsers send to nobody; or is typed.

import { isInvitation } from "../js/form/invitation.js";
import { alarm } from "./alarm.js";
import { say } from "./form.js";
import { t } from "./language.js";

const find = (id) => document.getElementById(id);

/** The invitation's part of the form. */
export class Invitation {
  #stateOf;
  #use;
  #used = "";
  #refused = new Map();

  /** `stateOf`: what the collector says of one. `use`: takes an invitation, and throws where it cannot be one. */
  constructor(stateOf, use) {
    this.#stateOf = stateOf;
    this.#use = use;
  }

  /** Use the invitation in the address, if there is one, and do not ask for it then. */
  take() {
    const given = takeFromAddress();
    if (given) find("invitation").value = given;
    const isGood = this.problems().length === 0;
    this.#show(!given || !isGood);
    if (given && !isGood)
      say("invitation-error", t("The invitation in the address is incomplete. Please type it here."));
  }

  /** The address has changed: use the invitation in it, if that is what came. A link to another place is left alone. */
  follow() {
    if (!isInvitation(inAddress())) return;
    this.take();
    this.ask();
  }

  /** Use what stands in the field. Return what is wrong with it, as the form shows that. */
  problems() {
    const typed = find("invitation").value.trim();
    if (this.#refused.has(typed)) return this.missing(this.#refused.get(typed));
    if (typed === this.#used) return [];
    try {
      this.#use(typed);
    } catch {
      return this.missing();
    }
    this.#used = typed;
    return [];
  }

  /** Show the field; return what is wrong with it, as the form shows that. */
  missing(words = t("Type your invitation. It has 26 letters a to z and digits 2 to 7.")) {
    this.#show(true);
    return [["invitation", "invitation-error", words]];
  }

  /** Ask the collector whether it can be used, and say so where it cannot, before anything is answered. */
  async ask() {
    if (this.problems().length || !this.#used) return undefined;
    const asked = this.#used;
    const words = wordsOf(await this.#stateOf(asked));
    const wasRefused = this.#refused.size > 0;
    if (words) this.#refused.set(asked, words);
    if (find("invitation").value.trim() !== asked) return undefined; // another stands there by now, or none
    if (wasRefused) alarm();
    if (!words) return say("invitation-error", "");
    this.missing();
    say("invitation-error", words);
    return alarm({ title: t("You can't use this invitation"), text: words });
  }

  /** Say that an invitation in the address is unused, and so another one than that of who has answered already. */
  async tellUnused() {
    if (!this.#used || (await this.#stateOf(this.#used, "")) !== "unused") return;
    const [title, text] = [
      t("This link hasn't been used yet"),
      t(
        "This browser has already answered, with another invitation. If the link is yours, open it in another browser or in a private window.",
      ),
    ];
    alarm({ title, text });
  }

  #show(isAsked) {
    find("invitation-block").hidden = !isAsked;
    find("invitation-came").hidden = isAsked;
  }
}

/** Why an invitation cannot be used, by what the collector says of it; nothing where it can. */
function wordsOf(state) {
  if (state === "used")
    return t("It has already been used. If that wasn't you, please ask the people who invited you.");
  if (state !== "invalid") return "";
  return t(
    "It has already been used, or is for a different survey. Please check it, or ask the people who invited you.",
  );
}

/**
 * Return the invitation in the address, or an empty text. It leaves the address bar, so that no photo, bookmark or shared
 * address has it; the tab's history keeps it, so that it outlives a reload.
 */
function takeFromAddress() {
  const given = inAddress();
  if (given) history.replaceState({ invitation: given }, "", location.pathname + location.search);
  return given || history.state?.invitation || "";
}

/** What stands behind the # of the address. */
function inAddress() {
  const text = location.hash.slice(1);
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // not one of ours; its form is checked later
  }
}
