// What went wrong, in the respondent's words: [title, text, whether it may pass]. No message holds an answer.

const KEPT = "What you answered stays on this page, and nothing was sent.";

/** Of a number above 0 in decimals: what is left of it when it is rounded down to four. */
const FOUR_DECIMALS = /^\d+(\.\d{1,4})?/;

const WORDS = {
  SurveyRefused: (said) => ["This device does not take part in this survey", `${said} Nothing was sent.`, false],
  SurveyUnavailable: (said) => ["The survey cannot be fetched now", `${said} ${KEPT} Please try again later.`, true],
  BudgetExceeded: (_, { needed, left }) => [
    "That would give away more than this device allows",
    `Answering would take epsilon ${epsilonAbove(needed)}, and ${FOUR_DECIMALS.exec(left)[0]} is left of what this browser ` +
      "gives away. Nothing was sent.",
    false,
  ],
  ParticipationEnded: (said) => ["This device has ended taking part", `${said} Nothing was sent.`, false],
  InvitationError: (said) => ["The invitation cannot be used", `${said} ${KEPT}`, false],
  StateError: (said) => ["This browser could not keep what it has to", `${said} ${KEPT} Please try again.`, true],
};

export const INSECURE = [
  "This page has to come by https",
  "Browsers lend the cryptography that changes your answers to such pages alone. Nothing can be answered here, and nothing " +
    "was sent. Please ask whoever runs the survey for an address that begins with https.",
];
export const UNLOADED = [
  "This page could not be loaded whole",
  "The program that changes your answers is missing, or this browser is too old for it: it takes Chrome or Edge 91, Firefox " +
    "90, Safari 15, or a newer one. Nothing was sent. Please reload the page, or use another browser.",
];
export const FORGOTTEN = [
  "This browser's data were deleted meanwhile",
  "What chance had drawn for your report went with them. Nothing was sent, and your answers are still here. Please review " +
    "what will be sent once more: chance draws it anew.",
];
export const SENT = [
  "Your report was made",
  "This browser has it, or has sent it already; how it stands could not be read. Please reload the page.",
];
const UNKNOWN = ["Something went wrong on this page", `${KEPT} Please try again, or use another browser.`, true];

/** The words for whatever was thrown; `sotto` is the client's module, whose errors have words of their own. */
export function describe(fault, sotto = {}) {
  const name = Object.keys(WORDS).find((kind) => sotto[kind] && fault instanceof sotto[kind]);
  return name ? WORDS[name](sentence(fault.message), fault) : UNKNOWN;
}

/** An exact epsilon rounded up to four decimals: never less than is given away. */
export function epsilonAbove(epsilon) {
  const [below] = FOUR_DECIMALS.exec(epsilon);
  if (below === epsilon) return epsilon;
  const digits = String(BigInt(below.replace(".", "")) + 1n).padStart(5, "0");
  return `${digits.slice(0, -4)}.${digits.slice(-4)}`.replace(/\.?0+$/, "");
}

/** A fault's words as a sentence. */
export function sentence(message) {
  const words = message.charAt(0).toUpperCase() + message.slice(1);
  return /[.!?]$/.test(words) ? words : `${words}.`;
}
