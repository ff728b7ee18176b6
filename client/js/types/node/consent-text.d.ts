/**
 * Return what no epsilon bounds where noise lasts over several waves; else nothing. As `sotto explain` has it.
 * @param {Translate} t @param {Survey} survey
 */
export function sayChanges(t: Translate, survey: Survey): string;
/**
 * Return a text in lines that fit.
 * @param {string} text @param {string} [indent] before each line
 */
export function wrapped(text: string, indent?: string): string;
export type Translate = import("../form/words.js").Translate;
export type Survey = import("../src/survey.js").Survey;
export type Question = import("../src/survey.js").Question;
