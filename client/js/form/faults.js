/** What went wrong, in the respondent's words: a title, a text, and whether it may pass. No message holds an answer. */

/** @typedef {import("./words.js").Translate} Translate */
/**
 * `said`: what the client says of it, in English, for whoever runs the survey; nothing where that tells no more.
 * @typedef {{title: string, text: string, mayPass: boolean, said: string}} Fault
 */

/** @type {{[name: string]: (t: Translate, fault: any, isAnswered: boolean) => [title: string, text: string, mayPass: boolean]}} */
const WORDS = {
  SurveyRefused: (t, { cause }) => [
    t("You can't answer this survey here"),
    cause?.name === "NotSupportedError" // its message names the browsers
      ? t("Please try again, or use another browser.")
      : t(
          "This isn't the survey that the page was made for, or it would give away more than this browser allows. No " +
            "answer was sent.",
        ),
    false,
  ],
  SurveyUnavailable: unavailable,
  DeliveryError: unavailable,
  BudgetExceeded: (t) => [
    t("That would give away more than this browser allows"),
    t(
      "The browser adds up what your surveys give away together. It stops before that is too much. No answer was sent.",
    ),
    false,
  ],
  NotAsked: (t, { waves, wave }) => [t("You are not asked this time"), sayNext(t, waves, wave), false],
  ParticipationEnded: (t) => [
    t("This device can no longer take part"),
    t("The secret behind its random changes is deleted. So it can make no more reports for this survey."),
    false,
  ],
  InvitationError: (t, _, isAnswered) => [
    t("You can't use this invitation"),
    together(t("Please check it, or ask the people who run the survey."), kept(t, isAnswered)),
    false,
  ],
  StateError: (t, _, isAnswered) => [
    t("This browser couldn't save what it needs"),
    together(t("Please try again, or use another browser."), kept(t, isAnswered)),
    true,
  ],
};

/**
 * Return the words for whatever was thrown; the client's errors have words of their own.
 * @param {Translate} t @param {any} fault @param {boolean} [isAnswered] whether anything was, which stays on the page
 * @returns {Fault}
 */
export function describe(t, fault, isAnswered = false) {
  const found = WORDS[fault?.name];
  if (found === undefined) return { ...made(unknown(t, isAnswered)), said: "" };
  return { ...made(found(t, fault, isAnswered)), said: sentence(fault.message) };
}

/**
 * Return the words for whatever was thrown, or that the page lacks what all of it needs.
 * @param {Translate} t @param {any} fault @param {boolean} [isAnswered] @returns {Fault}
 */
export function explain(t, fault, isAnswered = false) {
  return globalThis.crypto?.subtle ? describe(t, fault, isAnswered) : insecure(t);
}

/** Browsers lend their cryptography to pages that came by https alone. @returns {Fault} */
export function insecure(/** @type {Translate} */ t) {
  return made([
    t("This page needs an https address"),
    t(
      "Browsers allow the cryptography that changes your answers only on https pages. You can't answer here, and no " +
        "answer was sent. Please ask the people who run the survey for an address that begins with https.",
    ),
    false,
  ]);
}

/** The page asks in a way that no survey can be asked: `message` says how. @returns {Fault} */
export function misused(/** @type {Translate} */ t, /** @type {string} */ message) {
  const words = made([t("You can't answer this survey here"), askWhoeverGave(t), false]);
  return { ...words, said: sentence(`for the people who made this page: ${message}`) };
}

/** What a report is drawn from went with the browser's data, before it was sent. @returns {Fault} */
export function forgotten(/** @type {Translate} */ t) {
  return made([
    t("This browser's data was deleted in the meantime"),
    t(
      "The random changes for your report were deleted too. No answer was sent, and your answers are still here. " +
        "Please review once more what will be sent: your device changes it at random again.",
    ),
    false,
  ]);
}

/** The report is made, and how it stands is not known. @returns {Fault} */
export function unread(/** @type {Translate} */ t) {
  return made([
    t("Your report was made"),
    t("This browser has your report, or has already sent it. It couldn't find out which. Please reload the page."),
    false,
  ]);
}

/** The page was left before a report was sent. @returns {Fault} */
export function unsent(/** @type {Translate} */ t) {
  return made([
    t("No answer was sent."),
    t("You left this page before sending, and it keeps no answers. Please answer again."),
    false,
  ]);
}

/** The element was taken off the page for longer than a move takes, with answers in it. @returns {Fault} */
export function takenOff(/** @type {Translate} */ t) {
  return made([
    t("No answer was sent."),
    t("The survey was removed from this page, and your answers with it. Please answer again."),
    false,
  ]);
}

/**
 * This device is not among those that are asked in this wave.
 * @param {Translate} t @param {readonly number[]} waves in which it is @param {number} wave @returns {Fault}
 */
export function notAsked(t, waves, wave) {
  return made(WORDS.NotAsked(t, { waves, wave }, false));
}

/** The survey takes no more reports. @returns {Fault} */
export function over(/** @type {Translate} */ t) {
  return made([t("This survey is closed"), t("It takes no more answers. No answer was sent."), false]);
}

/** A fault's words as a sentence. @param {string} message */
export function sentence(message) {
  const words = message.charAt(0).toUpperCase() + message.slice(1);
  return /[.!?]$/.test(words) ? words : `${words}.`;
}

function made(/** @type {[string, string, boolean]} */ [title, text, mayPass]) {
  return { title, text, mayPass, said: "" };
}

/** @returns {[string, string, boolean]} */
function unavailable(/** @type {Translate} */ t, /** @type {any} */ { problem }, /** @type {boolean} */ isAnswered) {
  if (problem?.code === "survey_closed") {
    const { title, text } = over(t);
    return [title, text, false];
  }
  if (problem?.code === "no_such_survey") {
    return [t("There is no such survey"), askWhoeverGave(t), false];
  }
  return [t("The survey can't be loaded now"), together(t("Please try again later."), kept(t, isAnswered)), true];
}

/** @returns {[string, string, boolean]} */
function unknown(/** @type {Translate} */ t, /** @type {boolean} */ isAnswered) {
  return [
    t("Something went wrong on this page"),
    together(kept(t, isAnswered), t("Please try again, or use another browser.")),
    true,
  ];
}

function sayNext(/** @type {Translate} */ t, /** @type {number[]} */ waves, /** @type {number} */ wave) {
  const next = waves.find((each) => each > wave);
  const chance = t("Your device picked at random when to ask you, before it knew any answer. No answer was sent.");
  if (next === undefined) return together(chance, t("It will not ask you in a later wave. Thank you for coming."));
  return together(chance, t("Please come back in wave %(n)s.", { n: next }));
}

function askWhoeverGave(/** @type {Translate} */ t) {
  return t("Please ask the people who gave you the address. No answer was sent.");
}

function kept(/** @type {Translate} */ t, /** @type {boolean} */ isAnswered) {
  if (!isAnswered) return t("No answer was sent.");
  return t("Your answers are still on this page. No answer was sent.");
}

function together(/** @type {string[]} */ ...sentences) {
  return sentences.join(" ");
}
