/**
 * sottovoce for React Native: answers are perturbed in the app, and only noise leaves.
 *
 *     import AsyncStorage from "@react-native-async-storage/async-storage";
 *     import { SurveyClient } from "sottovoce/react-native";
 *     const client = new SurveyClient("https://collector.example", "lunch", { state: AsyncStorage });
 *
 * @module
 */

/** @typedef {import("../src/client.js").Answer} Answer one answer: an option is its text; null and undefined: none */
/** @typedef {import("../src/client.js").Answers} Answers a person's answers, by question id */
/** @typedef {import("./client.js").Options} Options what a `SurveyClient` may be told when it is made */
/** @typedef {import("../src/exchange.js").Problem} Problem why a collector refused a request (RFC 9457) */
/** @typedef {import("../src/ledger.js").Receipt} Receipt what erases a report later */
/** @typedef {import("../src/outbox.js").Rejected} Rejected a report that the collector refused for good */
/** @typedef {import("./client.js").KeyValueStore} KeyValueStore where an app keeps a state */

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
