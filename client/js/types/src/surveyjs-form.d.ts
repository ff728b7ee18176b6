/**
 * Return the id of the question that an element's name stands for, "" where there is none: as `sotto survey import`.
 * @param {string} name @returns {string}
 */
export function questionId(name: string): string;
/**
 * Return the name of the element and what reads it, by question id, and everything that does not fit: questions without an element, elements without a question that are not among `leaveOut`, unknown options, and
 * questions that must be answered but need not be in the form.
 * @param {Model} model @param {readonly Question[]} questions @param {readonly string[]} leaveOut names of elements
 * @returns {{fits: Map<string, {name: string, row?: any, read: Reader}>, problems: string[]}}
 */
export function fitForm(model: Model, questions: readonly Question[], leaveOut?: readonly string[]): {
    fits: Map<string, {
        name: string;
        row?: any;
        read: Reader;
    }>;
    problems: string[];
};
/**
 * Return the answers in a form, by question id, as a client takes them. If there is no answer, or its element is not
 * visible, it is null, or for any-of an empty list. Throws AnswerError, which holds no answer.
 * @param {Model} model @param {readonly Question[]} questions @param {ReturnType<typeof fitForm>["fits"]} fits
 */
export function readAnswers(model: Model, questions: readonly Question[], fits: ReturnType<typeof fitForm>["fits"]): Record<string, string | number | boolean | string[] | null>;
/** @param {any} element @returns {boolean} whether what was typed is longer than an answer can be */
export function isTooLong(element: any): boolean;
/** A form that does not fit its survey, or that would give answers away. `problems` has all that is wrong. */
export class FormRefused extends SottoError {
    /** @param {string[]} problems */
    constructor(problems: string[]);
    problems: string[];
}
/**
 * A SurveyJS form beside a survey: which element asks which question, and what its values mean.
 *
 * The rules are those by which `sotto survey import` reads a form (sotto_author/forms/surveyjs.py).
 */
export type Model = import("survey-core").SurveyModel;
/**
 * A SurveyJS form beside a survey: which element asks which question, and what its values mean.
 *
 * The rules are those by which `sotto survey import` reads a form (sotto_author/forms/surveyjs.py).
 */
export type Element = import("survey-core").Question;
/**
 * A SurveyJS form beside a survey: which element asks which question, and what its values mean.
 *
 * The rules are those by which `sotto survey import` reads a form (sotto_author/forms/surveyjs.py).
 */
export type Question = {
    id: string;
    type: string;
    options: readonly string[];
    skip: string | number | boolean | null;
    range?: any;
};
/**
 * an answer that is there, null for none
 */
export type Reader = (element: any) => boolean | number | string | string[] | null;
import { SottoError } from "./errors.js";
