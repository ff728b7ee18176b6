/** @param {unknown} value @returns {value is string} whether it is a well-formed language tag, no variant there twice */
export function isTag(value: unknown): value is string;
/**
 * Take the member of this name, a text; "" where it is left out.
 * @param {Fields} fields @param {keyof LENGTHS} name
 */
export function takeText(fields: Fields, name: "text" | "title" | "introduction" | "controller" | "contact" | "section" | "unit"): string;
/**
 * Return a survey's words in its own language, then those in others, each complete. Throws SurveyError.
 * @param {Fields} fields @param {import("./survey.js").Survey} survey @returns {readonly SurveyWords[]}
 */
export function readWords(fields: Fields, survey: import("./survey.js").Survey): readonly SurveyWords[];
/**
 * What is read of a question, `options` in its order; of a survey, `questions` by id. Empty where there is none.
 * @typedef {Readonly<{text: string, options: readonly string[], section: string, unit: string}>} QuestionWords
 * @typedef {Readonly<{lang: string, title: string, introduction: string, controller: string, contact: string,
 *   questions: Readonly<{[id: string]: QuestionWords}>}>} SurveyWords
 */
/** The most characters of each text that is read, but for options. */
export const LENGTHS: Readonly<{
    title: 2000;
    introduction: 2000;
    text: 2000;
    controller: 200;
    contact: 200;
    section: 200;
    unit: 40;
}>;
export const TAG_EXPECTED: "a language tag (BCP 47) such as en, pt-BR or zh-Hant";
/**
 * What is read of a question, `options` in its order; of a survey, `questions` by id. Empty where there is none.
 */
export type QuestionWords = Readonly<{
    text: string;
    options: readonly string[];
    section: string;
    unit: string;
}>;
/**
 * What is read of a question, `options` in its order; of a survey, `questions` by id. Empty where there is none.
 */
export type SurveyWords = Readonly<{
    lang: string;
    title: string;
    introduction: string;
    controller: string;
    contact: string;
    questions: Readonly<{
        [id: string]: QuestionWords;
    }>;
}>;
import { Fields } from "./documents.js";
