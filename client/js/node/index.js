/**
 * sottovoce for programs of Node: answers are perturbed here, and only noise leaves.
 *
 *     import { SurveyClient } from "sottovoce/node";
 *     const client = new SurveyClient("https://collector.example", "lunch");
 *     await client.answer({ paid: true });
 *
 * @module
 */

/** @typedef {import("../src/client.js").Answer} Answer one answer: an option is its text; null and undefined: none */
/** @typedef {import("../src/client.js").Answers} Answers a person's answers, by question id */
/** @typedef {import("./client.js").Options} Options what a `SurveyClient` may be told when it is made */
/** @typedef {import("../src/exchange.js").Problem} Problem why a collector refused a request (RFC 9457) */
/** @typedef {import("../src/ledger.js").Receipt} Receipt what erases a report later */
/** @typedef {import("../src/outbox.js").Rejected} Rejected a report that the collector refused for good */
/** @typedef {import("../kept/storage.js").Storage} Storage where a program can keep a state itself */

export { Draft } from "../src/draft.js";
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
} from "../src/errors.js";
export { Item, Question, Survey } from "../src/survey.js";
export { version } from "../src/version.js";
export { SurveyClient } from "./client.js";
export { Folder } from "./folder.js";
export { Measures } from "./measures.js";
