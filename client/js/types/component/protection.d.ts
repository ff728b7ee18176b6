/** @typedef {import("../form/words.js").Translate} Translate */
/** @typedef {import("../src/survey.js").Survey} Survey */
/** @typedef {import("../src/survey.js").Question} Question */
/** @typedef {import("../src/words.js").SurveyWords} SurveyWords */
/** Return what a device does to an answer, and what anybody can learn of what it sends. @param {Translate} t @param {Question} question */
export function noiseOf(t: Translate, question: Question): HTMLDetailsElement;
/**
 * Return what is said before the questions: the short version, and in a part that opens what happens to answers, what
 * anybody can find out, what is sent, what can be done later. Also which questions are drawn, and what this device keeps.
 * @param {Translate} t @param {Survey} survey @param {string} collector its address @param {number} resendDays
 */
export function protectionOf(t: Translate, survey: Survey, collector: string, resendDays: number): (HTMLDetailsElement | HTMLParagraphElement)[];
/** Return who asks, until when, and which wave it is. @param {Translate} t @param {Survey} survey @param {SurveyWords} words @param {number} wave */
export function aboutOf(t: Translate, survey: Survey, { controller, contact }: SurveyWords, wave: number): HTMLUListElement[];
export type Translate = import("../form/words.js").Translate;
export type Survey = import("../src/survey.js").Survey;
export type Question = import("../src/survey.js").Question;
export type SurveyWords = import("../src/words.js").SurveyWords;
