/**
 * What can go wrong on the device: catch `SottoError`. No message holds an answer.
 *
 * SottoError
 * ├── AnswerError         an answer that is not one of the question's (`where` is the question's id)
 * ├── SurveyError         a survey that is malformed, or takes more epsilon than it says (`SurveyRefused` for callers)
 * ├── SurveyRefused       a survey that this device will not answer: untruthful, too expensive, or not the pinned one
 * ├── SurveyUnavailable   there is no survey: the collector has none or cannot be reached, and no copy may be used
 * ├── BudgetExceeded      answering would take more epsilon than is left
 * │   └── AlreadyAnswered     this device has answered this wave, and cannot tell that it was with these answers
 * ├── NotAsked            the survey asks this device in other waves than this one
 * ├── ParticipationEnded  this device has forgotten the secret of its noise, and makes no more reports of the survey
 * ├── InvitationError     the survey needs an invitation and there is none, or needs none and there is one
 * ├── StateError          what this device keeps cannot be used, or the client is closed
 * ├── FormRefused         a SurveyJS form that does not fit its survey, or leaks (sottovoce/surveyjs)
 * └── DeliveryError       one exchange with the collector brought no reply (background delivery handles it)
 *
 * An argument of a wrong type is a TypeError, one outside its domain a RangeError.
 */
/** The base of every error that sottovoce throws on purpose. */
export class SottoError extends Error {
}
/** An answer does not fit its question. The message names the question, never the answer. */
export class AnswerError extends LocatedError {
}
/** A survey is malformed, or takes more epsilon than it declares. */
export class SurveyError extends LocatedError {
}
/** The device will not answer this survey. Nothing was charged or sent. */
export class SurveyRefused extends SottoError {
}
/** `problem` is the collector's reply, or null if there was no reply. */
export class SurveyUnavailable extends SottoError {
    /** @param {string} message @param {import("./exchange.js").Problem | null} [problem] @param {ErrorOptions} [options] */
    constructor(message: string, problem?: import("./exchange.js").Problem | null, options?: ErrorOptions);
    problem: import("./exchange.js").Problem | null;
}
/**
 * Answering would spend more than is left. Nothing was charged or sent.
 *
 * `needed` and `left` are in nats, as exact decimals. `limit` is the name of the limit that refuses.
 */
export class BudgetExceeded extends SottoError {
    /** @param {string} message @param {{needed: string, left: string, limit: string}} found */
    constructor(message: string, { needed, left, limit }: {
        needed: string;
        left: string;
        limit: string;
    });
    needed: string;
    left: string;
    limit: string;
}
/** This device has answered this wave before. `receipt` is the receipt of the earlier report. */
export class AlreadyAnswered extends BudgetExceeded {
    /** @param {import("./ledger.js").Receipt} receipt @param {import("./survey.js").Survey} survey */
    constructor(receipt: import("./ledger.js").Receipt, survey: import("./survey.js").Survey);
    receipt: import("./ledger.js").Receipt;
}
/** The survey asks this device in other waves. Nothing was charged or sent. `waves`: those in which it is asked. */
export class NotAsked extends SottoError {
    /** @param {string} id the survey's @param {number} wave @param {readonly number[]} waves */
    constructor(id: string, wave: number, waves: readonly number[]);
    wave: number;
    waves: readonly number[];
}
/** This device forgot the secret of its noise, so it answers no more waves. Nothing was charged or sent. */
export class ParticipationEnded extends SottoError {
}
/** An invitation is missing, or was given for a survey that is open to all. Nothing was charged or sent. */
export class InvitationError extends SottoError {
}
/** The state cannot be opened, read or written, or the client is closed. */
export class StateError extends SottoError {
}
/** No whole reply came from the collector. */
export class DeliveryError extends SottoError {
}
/** An error at a place in a document: `where` is its JSON path, `$` the document itself. */
declare class LocatedError extends SottoError {
    /** @param {string} where @param {string} problem */
    constructor(where: string, problem: string);
    where: string;
    problem: string;
}
export {};
