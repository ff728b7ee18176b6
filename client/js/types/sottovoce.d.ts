export { SurveyClient } from "./src/client.js";
export { Draft } from "./src/draft.js";
export { keepOffDisk } from "./src/fields.js";
export { AlreadyAnswered, AnswerError, BudgetExceeded, InvitationError, ParticipationEnded, SottoError, StateError, SurveyRefused, SurveyUnavailable } from "./src/errors.js";
export { Question, Survey } from "./src/survey.js";
