/** @typedef {import("./ledger.js").Receipt} Receipt */
/** @typedef {import("./outbox.js").Rejected} Rejected */
/** @typedef {import("./outbox.js").Waiting} Waiting */
/** @typedef {import("./survey.js").Survey} Survey */
/** @typedef {import("./state.js").Transaction} Transaction */
/** @typedef {boolean | number | string | readonly string[] | ReadonlySet<string> | null | undefined} Answer an option is its text; null and undefined mean no answer */
/** @typedef {{[id: string]: Answer}} Answers by question id */
/** @typedef {import("./options.js").Options} Options */
/**
 * Answers one survey of one collector for the person at this device. Only noise leaves the device.
 *
 * @template {object} [Given=Answers] the type of the answers: `sotto survey types` writes it from a survey file
 */
export class SurveyClient<Given extends object = Answers> {
    /**
     * Answers one survey of one collector for the device's respondent. No true answer is sent, stored, logged or put into
     * an error. Throws TypeError or RangeError for an argument outside its domain.
     * @param {string} url the collector's @param {string} surveyId @param {Options} [options]
     */
    constructor(url: string, surveyId: string, options?: Options);
    /**
     * The survey, checked. It is fetched once. If the collector cannot be reached, it is the copy that the device kept.
     *
     * Throws SurveyRefused if this device must not answer the survey, SurveyUnavailable if there is no survey.
     * @returns {Promise<Survey>}
     */
    survey(): Promise<Survey>;
    /**
     * The questions that this device asks its respondent: all of the survey's, or in a survey with `draw` the ones that the
     * device drew. It draws them when they are first asked for, and keeps them: on every page, in every wave, whatever the
     * answers are.
     *
     * Throws what `survey` throws, and StateError.
     * Questions that are asked together stand one by one.
     * @returns {Promise<readonly import("./survey.js").Item[]>}
     */
    questions(): Promise<readonly import("./survey.js").Item[]>;
    /**
     * The waves in which this device asks its respondent, ascending: all, or in a survey with `asked_in` the ones that the
     * device drew. It draws and keeps them as `questions` does, and throws the same.
     * @returns {Promise<readonly number[]>}
     */
    waves(): Promise<readonly number[]>;
    /**
     * Perturb the answers to all questions, and show what would be sent; nothing is charged or sent before `Draft.send`.
     *
     * In a survey with `draw` only `questions()` need answers. An app may pass answers to the others too: they are checked
     * and dropped.
     * The same answers give the same draft until it is sent, `forget` is called or the survey is over. So nobody can draw
     * again until they like the noise.
     * Throws AnswerError, SurveyRefused, SurveyUnavailable, BudgetExceeded, AlreadyAnswered, NotAsked, ParticipationEnded,
     * InvitationError, StateError; RangeError for a wave that the survey does not have; DeliveryError in a survey with
     * blind invitations, whose token must be fetched first.
     * @param {Given} answers @param {number} [wave] in [1, survey.waves] @returns {Promise<Draft>}
     */
    prepare(answers: Given, wave?: number): Promise<Draft>;
    /**
     * Fetch the token of a wave, in a survey with blind invitations: long before the report, so that nobody who watches the
     * collector joins the two by their times. `prepare` fetches it if this was not called. Returns "unused" if it is there, or
     * else what the collector says of the invitation: "used", "invalid"; "none" if none was given.
     * Throws DeliveryError if no good reply comes, and what `survey` throws. Asks for nothing and throws ParticipationEnded
     * once the device's part has ended, also while this was called.
     * @param {number} [wave] @returns {Promise<string>}
     */
    fetchToken(wave?: number): Promise<string>;
    /**
     * Perturb the answers to all questions, charge the budget, and deliver the noisy report in the background.
     *
     * Waits for the network only if the survey was not read yet. Answering a wave again never charges or sends anything.
     * The same answers return the first receipt, as long as the device knows that they are the same.
     * Throws what `prepare` throws.
     * @param {Given} answers @param {number} [wave] @returns {Promise<Receipt>}
     */
    answer(answers: Given, wave?: number): Promise<Receipt>;
    /** Whether this device has a draft of a wave that is not sent. @param {number} [wave] @returns {Promise<boolean>} */
    isPrepared(wave?: number): Promise<boolean>;
    /** The receipts of the reports that this device made of this version of the survey. @returns {Promise<Receipt[]>} */
    answered(): Promise<Receipt[]>;
    /** The receipts of the reports in this state that wait to be delivered, to any collector. @returns {Promise<string[]>} */
    pending(): Promise<string[]>;
    /** The reports in this state that a collector refused for good. @returns {Promise<Rejected[]>} */
    rejected(): Promise<Rejected[]>;
    /** Try now to deliver all that waits, for at most `timeoutMs`. Returns true when nothing waits any more. */
    flush(timeoutMs?: number): Promise<boolean>;
    /**
     * Send reports of this survey again, as the same bytes, and return their receipts. These are: delivered reports that
     * are kept (`resendDays`), reports whose collector did not know the survey for a week, and, with `invitation`, reports
     * that were refused for their invitation. Throws RangeError if `invitation` is none.
     * @param {string} [invitation] @returns {Promise<string[]>}
     */
    resend(invitation?: string): Promise<string[]>;
    /**
     * Ask the collector to take a report of this survey out of the counts, for good. Returns whether it did. This device
     * first forgets what it keeps of the report. Throws DeliveryError if no reply comes.
     * @param {string} receipt @returns {Promise<boolean>}
     */
    erase(receipt: string): Promise<boolean>;
    /**
     * Ask the collector about an invitation to this survey, which spends nothing. Returns what it says: `state` is "unused",
     * "used" or "invalid"; undefined if it says nothing. Throws DeliveryError if no reply comes, and what `survey` throws.
     * @param {string} invitation @param {number} [wave] @returns {Promise<{state?: string} | undefined>}
     */
    checkInvitation(invitation: string, wave?: number): Promise<{
        state?: string;
    } | undefined>;
    /**
     * End taking part in this survey: wipe the secret of its noise now, and the marks that recognize its answers. Reports
     * that wait are still delivered. A device that has made a report answers no more waves.
     */
    forget(): Promise<void>;
    /**
     * Whether the collector still accepts reports of the survey, as it said when the survey was fetched. If it said nothing,
     * the survey's last day and this device's clock decide. Throws what `survey` throws.
     * @returns {Promise<boolean>}
     */
    isOpen(): Promise<boolean>;
    /** Whether what is kept outlives the page; false if the browser stores nothing. @returns {Promise<boolean>} */
    isDurable(): Promise<boolean>;
    /** Stop delivering. What is undelivered waits in the state for the next client. */
    close(): void;
    #private;
}
export type Receipt = import("./ledger.js").Receipt;
export type Rejected = import("./outbox.js").Rejected;
export type Waiting = import("./outbox.js").Waiting;
export type Survey = import("./survey.js").Survey;
export type Transaction = import("./state.js").Transaction;
/**
 * an option is its text; null and undefined mean no answer
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
