/**
 * SurveyJS: when a form is completed, its answers are perturbed. Only noise leaves the page.
 *
 *     import { Model } from "survey-core";
 *     import { SurveyClient } from "sottovoce";
 *     import { attachSurvey } from "sottovoce/surveyjs";
 *
 *     const model = new Model(form);
 *     await attachSurvey(model, new SurveyClient("https://collector.example", "lunch"));
 *     model.render(document.querySelector("#form"));
 *
 * From survey-core, only the given model is used.
 * @module
 */

import { AnswerError, NotAsked, SottoError } from "./src/errors.js";
import { keepOffDisk } from "./src/fields.js";
import { emptyForm } from "./src/surveyjs-empty.js";
import { FormRefused, fitForm, isTooLong, questionId, readAnswers } from "./src/surveyjs-form.js";
import { findLeaks } from "./src/surveyjs-leaks.js";

export { FormRefused, questionId };

/** @typedef {import("./src/surveyjs-form.js").Model} Model the part of a survey-core `Model` that is used */
/** @typedef {import("./src/surveyjs-form.js").Question} Question the part of a survey's question that is used */
/** @typedef {import("./src/ledger.js").Receipt} Receipt what erases a report later */
/** @typedef {import("./src/draft.js").Draft} Draft a report that is made and not yet sent */
/** @typedef {{allow: boolean, allowComplete: boolean, message?: string}} Completing what onCompleting's handlers are given */
/**
 * @typedef {object} Client the part of a `SurveyClient` that is used
 * @property {() => Promise<{id?: string, questions: readonly Question[], items?: readonly Question[], protectedLittle?: string, blind?: object | null}>} survey the survey that the form
 *   must fit
 * @property {() => Promise<readonly Question[]>} [questions] those that this device asks; all by default
 * @property {() => Promise<readonly number[]>} [waves] those in which this device is asked; all by default
 * @property {(wave?: number) => Promise<unknown>} [fetchToken] trades a blind invitation for its token
 * @property {(answers: any, wave?: number) => Promise<Draft>} prepare from answers by question id
 * @property {(answers: any, wave?: number) => Promise<Receipt>} answer from answers by question id
 */
/**
 * @typedef {object} AttachOptions how a form is attached
 * @property {(draft: Draft) => boolean | Promise<boolean>} [onReview] shows what would be sent. Only `true` sends it; for
 *   anything else the form stays as it is
 * @property {(receipt: Receipt) => void} [onSent] called once the report is in the device's outbox and the form is empty
 * @property {(fault: unknown) => string | void} [onError] called with the reason why a completed form was not sent. It
 *   may return the text to show in place of the usual one, for example in the respondent's language
 * @property {(sentence: string) => string} [onLittle] called with the sentence above the questions, which is shown if
 *   answers are protected little. It returns the sentence to show, for example in the respondent's language; "" shows none
 * @property {readonly string[]} [leaveOut] names of the elements that the survey does not ask; their answers are dropped
 * @property {number} [wave] of a repeated survey; default 1
 */

/** Members that a model must not have: they would give answers away while the form is filled in. */
const GIVEN_AWAY = {
  surveyPostId: "sends answers in clear",
  partialSendEnabled: "hands out answers before the form is completed",
  onServerValidateQuestions: "sends answers in clear",
  onUploadFiles: "sends files in clear",
  onChoicesLazyLoad: "sends what is typed in clear",
};
const TOO_LONG = "Please use 200 characters at most.";
const LITTLE = "sotto-protected-little"; // the element that says so

/** @type {WeakMap<object, Attachment>} */
const attached = new WeakMap();

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
export async function attachSurvey(model, client, options = {}) {
  const earlier = attached.get(model);
  if (earlier?.isFitted) throw new FormRefused(["it is attached already; detach it first"]);
  earlier?.detach();
  const attachment = new Attachment(model, client, options);
  attached.set(model, attachment);
  await attachment.fitted;
  return () => {
    attachment.detach();
    if (attached.get(model) === attachment) attached.delete(model);
  };
}

/** One form that is connected to one survey. */
class Attachment {
  #model;
  #client;
  #options;
  /** @type {readonly Question[]} */
  #questions = [];
  /** @type {ReturnType<typeof fitForm>["fits"] | null} */
  #fits = null;
  /** @type {{element: any, visible: boolean, visibleIf: string}[]} of questions that were not drawn, as they were */
  #hidden = [];
  #isSending = false;
  #hasTold = false;
  #unguard = () => {};
  /** @type {Map<string, unknown>} the model's variables, as the page set them */
  #variables;

  /** @param {Model} model @param {Client} client @param {AttachOptions} options */
  constructor(model, client, options) {
    this.#model = model;
    this.#client = client;
    this.#options = options;
    this.#variables = new Map(model.getVariableNames().map((name) => [name, model.getVariable(name)]));
    model.onCompleting.add(this.#complete);
    model.onValidateQuestion.add(this.#validate);
    model.onAfterRenderSurvey.add(this.#guard);
    if (model.rootElement) this.#guard(model, { htmlElement: model.rootElement });
    /** Settles when it is known whether the form fits. */
    this.fitted = this.#fit();
  }

  get isFitted() {
    return this.#fits !== null;
  }

  async #fit() {
    const leaks = findWrong(this.#model);
    const survey = await this.#client.survey().catch((fault) => {
      refuse(leaks);
      throw fault;
    });
    const { fits, problems } = fitForm(this.#model, survey.items ?? survey.questions, this.#options.leaveOut);
    refuse([...leaks, ...problems]);
    const { wave = 1 } = this.#options;
    const waves = await this.#client.waves?.();
    if (waves && !waves.includes(wave)) throw new NotAsked(survey.id ?? "", wave, waves);
    if (survey.blind) this.#client.fetchToken?.(wave).catch(() => undefined); // long before the report
    this.#questions = (await this.#client.questions?.()) ?? survey.items ?? survey.questions;
    const asked = this.#questions.map(({ id }) => id);
    const [shown, others] = [true, false].map((is) => [...fits].filter(([id]) => asked.includes(id) === is));
    const names = shown.map(([, { name }]) => name); // a matrix stays while one of its rows is asked
    for (const [, { name, row }] of others)
      this.#hide(names.includes(name) ? row : this.#model.getQuestionByName(name)); // `draw`
    this.#warn(survey.protectedLittle);
    return (this.#fits = fits);
  }

  detach() {
    this.#model.onCompleting.remove(this.#complete);
    this.#model.onValidateQuestion.remove(this.#validate);
    this.#model.onAfterRenderSurvey.remove(this.#guard);
    this.#unguard();
    const hidden = this.#hidden.splice(0);
    for (const { element, visible, visibleIf } of hidden) {
      if (element.getType() === "itemvalue") element.visibleIf = visibleIf;
      else Object.assign(element, { visibleIf, visible });
    }
    if (hidden.length) this.#model.runExpressions();
    this.#model.getQuestionByName(LITTLE)?.delete();
  }

  /** Say above the questions what is to be known before they are answered. */
  #warn(/** @type {string} */ sentence = "") {
    const said = sentence && (this.#options.onLittle?.(sentence) ?? sentence);
    if (!said) return;
    const page = this.#model.startedPage ?? this.#model.visiblePages[0] ?? this.#model.pages[0];
    const element = page.addNewQuestion("html", LITTLE, 0);
    Object.assign(element, { html: `<p>${said.replace(/[&<]/g, (sign) => `&#${sign.charCodeAt(0)};`)}</p>` });
  }

  /** Ask an element not at all, whatever its own condition comes to. */
  #hide(/** @type {any} */ element) {
    const { visible, visibleIf } = element;
    this.#hidden.push({ element, visible, visibleIf });
    const isRow = element.getType() === "itemvalue"; // of a matrix: it has no `visible` of its own
    if (isRow) {
      element.visibleIf = "1 = 2";
      this.#model.runExpressions();
    } else Object.assign(element, { visibleIf: "", visible: false }); // in this order: a condition makes visible anew
  }

  /** Let the browser write no answer to the disk, nor send one to a service: any text of a form may show one. */
  #guard = (/** @type {Model} */ _, /** @type {{htmlElement: HTMLElement}} */ { htmlElement }) => {
    this.#unguard();
    this.#unguard = keepOffDisk(htmlElement, true);
  };

  /** @param {Model} _ @param {{question: import("survey-core").Question, error: string}} validated */
  #validate = (_, validated) => {
    if (isTooLong(validated.question)) validated.error = TOO_LONG;
  };

  /** Hold the completion until the report is in the outbox. It never rejects: survey-core would wait for ever. */
  #complete = async (/** @type {Model} */ _, /** @type {Completing} */ completing) => {
    if (!canWait(this.#model)) completing.allow = false;
    const isFirst = !this.#isSending;
    this.#isSending = true;
    try {
      await null; // the handlers after this one may still refuse
      if (!completing.allow || !completing.allowComplete) return;
      completing.allow = isFirst && (await this.#send());
      if (completing.allow && this.#hasTold) completing.message = this.#say("savingDataSuccess"); // in place of the error
    } catch (fault) {
      completing.allow = false;
      this.#hasTold = true;
      this.#model.notify(this.#tell(fault), "error", true); // with a button, and until it is pressed
    } finally {
      if (isFirst) this.#isSending = false;
    }
  };

  /** @returns {Promise<boolean>} whether the answers were sent, and not kept back after a look at the draft */
  async #send() {
    const fits = await this.fitted;
    refuse(findWrong(this.#model));
    const { onReview, onSent, wave = 1 } = this.#options;
    const answers = readAnswers(this.#model, this.#questions, fits);
    let receipt;
    if (onReview === undefined) {
      receipt = await this.#client.answer(answers, wave);
    } else {
      const draft = await this.#client.prepare(answers, wave);
      if ((await onReview(draft)) !== true) return false;
      receipt = await draft.send();
    }
    emptyForm(this.#model, this.#variables);
    if (onSent !== undefined) later(() => onSent(receipt));
    return true;
  }

  /** @param {string} name @returns {string} one of survey-core's texts, in the form's language */
  #say(name) {
    return this.#model.getLocalizationString(name);
  }

  /** @param {unknown} fault @returns {string} the text to show */
  #tell(fault) {
    let said = fault instanceof SottoError ? `Not sent: ${fault.message}` : this.#say("savingDataError");
    if (fault instanceof AnswerError) {
      const question = this.#model.getQuestionByName(this.#fits?.get(fault.where)?.name ?? "");
      said = `Not sent: ${fault.problem}`;
      question?.addError(fault.problem);
      later(() => question?.focus(true));
    }
    const { onError } = this.#options;
    try {
      return onError?.(fault) || said;
    } catch (second) {
      later(() => {
        throw second;
      });
      return said;
    }
  }
}

/** Throw FormRefused if anything is wrong. @param {string[]} problems */
function refuse(problems) {
  if (problems.length > 0) throw new FormRefused(problems);
}

/**
 * Return what would send answers in clear, or hand them out, before the form is completed or by the address that it leads
 * to, a line for each.
 * @param {any} model @returns {string[]}
 */
function findWrong(model) {
  const found = canWait(model) ? [] : ["survey-core 2.5 or newer is needed: older ones cannot hold a completion"];
  for (const [name, what] of Object.entries(GIVEN_AWAY)) {
    if (name.startsWith("on") ? !isUnused(model[name]) : model[name]) found.push(`${name} ${what}`);
  }
  if (model.navigateToUrlOnCondition.length > 0) found.push("navigateToUrlOnCondition tells answers by the address");
  if (model.processText("{pageno}") === "{pageno}") found.push("settings.expressionVariableDelimiters must be { and }");
  return [...found, ...findLeaks(formOf(model), !isUnused(model.onTextMarkdown))];
}

/** @param {any} model @returns {any} its form as JSON, with what the page's own types of elements are made of */
function formOf(model) {
  return { ...model.toJSON(), templateElements: [...contents(model.getAllQuestions(false, false, true))] };
}

/** @param {any[]} elements @returns {Generator<any>} as JSON what elements contain that their own JSON leaves out */
function* contents(elements) {
  for (const { name, contentPanel, contentQuestion, template, detailPanel, columns } of elements) {
    if (contentPanel) yield { name, elements: contentPanel.toJSON().elements };
    if (contentQuestion) yield { ...contentQuestion.toJSON(), name };
    const inside = [contentPanel, template, detailPanel].flatMap((panel) => panel?.questions ?? []);
    const cells = (columns ?? []).map((/** @type {any} */ column) => column.templateQuestion);
    yield* contents([...inside, ...cells, contentQuestion].filter(Boolean));
  }
}

/** @param {object} model @returns {boolean} whether its completion waits for handlers that are asynchronous */
function canWait(model) {
  return "isNavigationBlocked" in model; // which came with it
}

/** @param {any} event @returns {boolean} of one of survey-core's events, whether nobody listens */
function isUnused(event) {
  return !event || event.isEmpty === true;
}

/** Call where an error is the page's own, and not a reason to hold the form. @param {() => void} call */
function later(call) {
  queueMicrotask(call);
}
