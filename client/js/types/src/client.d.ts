/** @typedef {import("./ledger.js").Receipt} Receipt */
/** @typedef {import("./outbox.js").Rejected} Rejected */
/** @typedef {import("./outbox.js").Waiting} Waiting */
/** @typedef {import("./survey.js").Survey} Survey */
/** @typedef {import("./state.js").Transaction} Transaction */
/** @typedef {boolean | number | string | readonly string[] | ReadonlySet<string> | null | undefined} Answer an option is its text; null and undefined: none */
/** @typedef {{[id: string]: Answer}} Answers by question id */
/** @typedef {import("./options.js").Options} Options */
/**
 * Answers one survey of one collector for the person at this device. Only noise leaves the device.
 *
 * @template {object} [Given=Answers] the type of the answers: `sotto survey types` writes it of a survey file
 */
export class SurveyClient<Given extends object = Answers> {
    /**
     * Answers one survey of one collector on behalf of the device's respondent. Nothing true is sent, stored, logged or
     * put into an error. Throws TypeError or RangeError for an argument outside its domain.
     * @param {string} url the collector's @param {string} surveyId @param {Options} [options]
     */
    constructor(url: string, surveyId: string, options?: Options);
    /**
     * The survey, checked: fetched once, or the copy that was kept when the collector cannot be reached.
     *
     * Throws SurveyRefused for one that this device must not answer, SurveyUnavailable when there is none.
     * @returns {Promise<Survey>}
     */
    survey(): Promise<Survey>;
    /**
     * The questions that this device's respondent is asked: the survey's, or with `draw` those drawn of them. They are drawn
     * when they are first asked for, and stay: on every page, in every wave, whatever is answered.
     *
     * Throws what `survey` throws, and StateError.
     * @returns {Promise<readonly import("./survey.js").Question[]>}
     */
    questions(): Promise<readonly import("./survey.js").Question[]>;
    /**
     * Perturb the answers to all questions, and show what would be sent; nothing is charged or sent before `Draft.send`.
     *
     * In a survey with `draw` only `questions()` need answers. Answers to others may be given too: they are checked as any
     * other, and dropped. So an app that has them all need not choose.
     * The same answers give the same draft, however often, until it is sent (or `forget` is called, or the survey is over):
     * nobody can draw until they like the noise.
     * Throws AnswerError, SurveyRefused, SurveyUnavailable, BudgetExceeded, AlreadyAnswered, ParticipationEnded,
     * InvitationError, StateError; RangeError for a wave that the survey has not.
     * @param {Given} answers @param {number} [wave] in [1, survey.waves] @returns {Promise<Draft>}
     */
    prepare(answers: Given, wave?: number): Promise<Draft>;
    /**
     * Perturb the answers to all questions, charge the budget, and leave the noisy report to be delivered.
     *
     * Does not wait for the network, but for the survey where it was not read yet. Answering a wave again never charges or
     * sends anything: the same answers return the first receipt, as long as the device knows that they are the same.
     * Throws what `prepare` throws.
     * @param {Given} answers @param {number} [wave] @returns {Promise<Receipt>}
     */
    answer(answers: Given, wave?: number): Promise<Receipt>;
    /** Whether this device has made a draft of a wave, and not sent it. @param {number} [wave] @returns {Promise<boolean>} */
    isPrepared(wave?: number): Promise<boolean>;
    /** The receipts of the reports that this device made of this version of the survey. @returns {Promise<Receipt[]>} */
    answered(): Promise<Receipt[]>;
    /** The receipts of the reports in this state that wait to be delivered, to any collector. @returns {Promise<string[]>} */
    pending(): Promise<string[]>;
    /** The reports in this state that a collector refused for good. @returns {Promise<Rejected[]>} */
    rejected(): Promise<Rejected[]>;
    /** Try at once to deliver all that waits, for at most so long; true when nothing waits any more. */
    flush(timeoutMs?: number): Promise<boolean>;
    /**
     * Send reports of this survey again, the same bytes: delivered ones that are kept (`resendDays`), those whose collector
     * did not know the survey for a week, and, under another one, those that were refused for their invitation; their receipts.
     * Without an invitation only what needs none. Throws RangeError for what is no invitation.
     * @param {string} [invitation] @returns {Promise<string[]>}
     */
    resend(invitation?: string): Promise<string[]>;
    /**
     * Have the collector take a report of this survey out of what is counted, for good; whether it did. First this device
     * forgets what it keeps of it. Throws DeliveryError where nobody answers.
     * @param {string} receipt @returns {Promise<boolean>}
     */
    erase(receipt: string): Promise<boolean>;
    /**
     * End taking part in this survey: wipe the secret of its noise, and what knows its answers again, at once. What waits
     * is still delivered; after a report no further wave is answered.
     */
    forget(): Promise<void>;
    /**
     * Whether reports of the survey are taken: as its collector said when it was fetched; by its last day, and this device's
     * clock, where that said nothing. Throws what `survey` throws.
     * @returns {Promise<boolean>}
     */
    isOpen(): Promise<boolean>;
    /** Whether what is kept outlives the page; false where the browser stores nothing. @returns {Promise<boolean>} */
    isDurable(): Promise<boolean>;
    /** Stop delivering; what is undelivered waits in the state for the next client. */
    close(): void;
    #private;
}
export type Receipt = import("./ledger.js").Receipt;
export type Rejected = import("./outbox.js").Rejected;
export type Waiting = import("./outbox.js").Waiting;
export type Survey = import("./survey.js").Survey;
export type Transaction = import("./state.js").Transaction;
/**
 * an option is its text; null and undefined: none
 */
export type Answer = boolean | number | string | readonly string[] | ReadonlySet<string> | null | undefined;
/**
 * by question id
 */
export type Answers = {
    [id: string]: Answer;
};
export type Options = import("./options.js").Options;
import { Draft } from "./draft.js";
