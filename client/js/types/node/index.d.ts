export { Draft } from "../src/draft.js";
export { version } from "../src/version.js";
export { SurveyClient } from "./client.js";
export { Folder } from "./folder.js";
export { Measures } from "./measures.js";
/**
 * one answer: an option is its text; null and undefined: none
 */
export type Answer = import("../src/client.js").Answer;
/**
 * a person's answers, by question id
 */
export type Answers = import("../src/client.js").Answers;
/**
 * what a `SurveyClient` may be told when it is made
 */
export type Options = import("./client.js").Options;
/**
 * why a collector refused a request (RFC 9457)
 */
export type Problem = import("../src/exchange.js").Problem;
/**
 * what erases a report later
 */
export type Receipt = import("../src/ledger.js").Receipt;
/**
 * a report that the collector refused for good
 */
export type Rejected = import("../src/outbox.js").Rejected;
/**
 * where a program can keep a state itself
 */
export type Storage = import("../kept/storage.js").Storage;
export { AlreadyAnswered, AnswerError, BudgetExceeded, DeliveryError, InvitationError, NotAsked, ParticipationEnded, SottoError, StateError, SurveyRefused, SurveyUnavailable } from "../src/errors.js";
export { Item, Question, Survey } from "../src/survey.js";
