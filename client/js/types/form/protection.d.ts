/** @param {string} epsilon exact, in nats @returns {number} the share that a suspicion of 10 % can exceed; 0 where it is none */
export function exceeded(epsilon: string): number;
/**
 * Return in a sentence that a survey's answers are protected little; nothing where they are not.
 * @param {Translate} t @param {Survey} survey @returns {string}
 */
export function sayLittle(t: Translate, { epsilonForever, nDrawn, waves }: Survey): string;
export type Translate = import("./words.js").Translate;
export type Survey = import("../src/survey.js").Survey;
