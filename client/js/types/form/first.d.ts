/** @param {Translate} t @param {Survey} survey @returns {[asked: string, said: string][]} */
export function sayFirst(t: Translate, survey: Survey): [asked: string, said: string][];
export type Translate = import("./words.js").Translate;
export type Survey = import("../src/survey.js").Survey;
