/**
 * sottovoce in the browser: answers are perturbed on the respondent's device, and only noise leaves.
 *
 *     import { SurveyClient } from "https://collector.example/js/sottovoce.js";
 *     const receipt = await new SurveyClient("https://collector.example", "lunch").answer({ paid: true });
 *
 * @module
 */

/** @typedef {import("./src/client.js").Answer} Answer */
/** @typedef {import("./src/client.js").Answers} Answers */
/** @typedef {import("./src/options.js").Options} Options */
/** @typedef {import("./src/exchange.js").Problem} Problem */
/** @typedef {import("./src/ledger.js").Receipt} Receipt */
/** @typedef {import("./src/outbox.js").Rejected} Rejected */

export { SurveyClient } from "./src/client.js";
export { Draft } from "./src/draft.js";
export {
  AlreadyAnswered,
  AnswerError,
  BudgetExceeded,
  DeliveryError,
  InvitationError,
  ParticipationEnded,
  SottoError,
  StateError,
  SurveyRefused,
  SurveyUnavailable,
} from "./src/errors.js";
export { keepOffDisk, keepToItself } from "./src/fields.js";
export { Question, Survey } from "./src/survey.js";
export { version } from "./src/version.js";
