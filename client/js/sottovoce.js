/**
 * sottovoce in the browser: answers are perturbed on the respondent's device, and only noise leaves.
 *
 *     import { SurveyClient } from "https://collector.example/js/sottovoce.js";
 *     const receipt = await new SurveyClient("https://collector.example", "lunch").answer({ paid: true });
 *
 * @module
 */

/** @typedef {import("./src/client.js").Answer} Answer one answer: an option is its text; null and undefined: none */
/** @typedef {import("./src/client.js").Answers} Answers a person's answers, by question id */
/** @typedef {import("./src/options.js").Options} Options what a `SurveyClient` may be told when it is made */
/** @typedef {import("./src/exchange.js").Problem} Problem why a collector refused a request (RFC 9457) */
/** @typedef {import("./src/ledger.js").Receipt} Receipt what erases a report later */
/** @typedef {import("./src/outbox.js").Rejected} Rejected a report that the collector refused for good */

export { SurveyClient } from "./src/client.js";
export { Draft } from "./src/draft.js";
export {
  AlreadyAnswered,
  AnswerError,
  BudgetExceeded,
  DeliveryError,
  InvitationError,
  NotAsked,
  ParticipationEnded,
  SottoError,
  StateError,
  SurveyRefused,
  SurveyUnavailable,
} from "./src/errors.js";
export { keepOffDisk, keepToItself } from "./src/fields.js";
export { Item, Question, Survey } from "./src/survey.js";
export { version } from "./src/version.js";
