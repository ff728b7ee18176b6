/**
 * Connect a form to a survey, and return what disconnects it.
 *
 * From now on the form can only be completed through the survey. `client` perturbs and sends the answers, they are taken
 * out of the model, and then the form is complete. `onComplete` and `navigateToUrl` find no answers. After an error the
 * form stays open with its answers. The form's notification shows the error, and so does the question that it is about.
 * The form must fit the survey (see `fitForm`) and must not give answers away (see `findLeaks`). If answers are protected
 * little, an element above the first question says so.
 *
 * Rejects with FormRefused, which lists everything that is wrong, or with what `client.survey()` rejects with. In a survey
 * with `asked_in` it rejects with NotAsked in a wave in which this device is not asked. Then the
 * form cannot be completed until `attachSurvey` succeeds. Also rejects if the model is attached already.
 * @param {Model} model @param {Client} client @param {AttachOptions} [options] @returns {Promise<() => void>}
 */
export function attachSurvey(model: Model, client: Client, options?: AttachOptions): Promise<() => void>;
/**
 * the part of a survey-core `Model` that is used
 */
export type Model = import("./src/surveyjs-form.js").Model;
/**
 * the part of a survey's question that is used
 */
export type Question = import("./src/surveyjs-form.js").Question;
/**
 * what erases a report later
 */
export type Receipt = import("./src/ledger.js").Receipt;
/**
 * a report that is made and not yet sent
 */
export type Draft = import("./src/draft.js").Draft;
/**
 * what onCompleting's handlers are given
 */
export type Completing = {
    allow: boolean;
    allowComplete: boolean;
    message?: string;
};
/**
 * the part of a `SurveyClient` that is used
 */
export type Client = {
    /**
     * the survey that the form
     * must fit
     */
    survey: () => Promise<{
        id?: string;
        questions: readonly Question[];
        items?: readonly Question[];
        protectedLittle?: string;
        blind?: object | null;
    }>;
    /**
     * those that this device asks; all by default
     */
    questions?: (() => Promise<readonly Question[]>) | undefined;
    /**
     * those in which this device is asked; all by default
     */
    waves?: (() => Promise<readonly number[]>) | undefined;
    /**
     * trades a blind invitation for its token
     */
    fetchToken?: ((wave?: number) => Promise<unknown>) | undefined;
    /**
     * from answers by question id
     */
    prepare: (answers: any, wave?: number) => Promise<Draft>;
    /**
     * from answers by question id
     */
    answer: (answers: any, wave?: number) => Promise<Receipt>;
};
/**
 * how a form is attached
 */
export type AttachOptions = {
    /**
     * shows what would be sent. Only `true` sends it; for
     * anything else the form stays as it is
     */
    onReview?: ((draft: Draft) => boolean | Promise<boolean>) | undefined;
    /**
     * called once the report is in the device's outbox and the form is empty
     */
    onSent?: ((receipt: Receipt) => void) | undefined;
    /**
     * called with the reason why a completed form was not sent. It
     * may return the text to show in place of the usual one, for example in the respondent's language
     */
    onError?: ((fault: unknown) => string | void) | undefined;
    /**
     * called with the sentence above the questions, which is shown if
     * answers are protected little. It returns the sentence to show, for example in the respondent's language; "" shows none
     */
    onLittle?: ((sentence: string) => string) | undefined;
    /**
     * names of the elements that the survey does not ask; their answers are dropped
     */
    leaveOut?: readonly string[] | undefined;
    /**
     * of a repeated survey; default 1
     */
    wave?: number | undefined;
};
import { FormRefused } from "./src/surveyjs-form.js";
import { questionId } from "./src/surveyjs-form.js";
export { FormRefused, questionId };
