/** @param {string} epsilon exact, in nats @returns {number} the share that a suspicion of 10 % can exceed; 0 where it is none */
export function exceeded(epsilon: string): number;
/**
 * Return in a sentence that a survey's answers are protected little; nothing where they are not.
 * @param {Say} t @param {{epsilonForever: string, nDrawn: number, maxReports: number}} survey @returns {string}
 */
export function sayLittle(t: Say, { epsilonForever, nDrawn, maxReports }: {
    epsilonForever: string;
    nDrawn: number;
    maxReports: number;
}): string;
/** @type {Say} */
export const inEnglish: Say;
/**
 * What says a message in a language, and a share: the words of a form, or `inEnglish`.
 */
export type Say = ((message: string, values: {
    [name: string]: string;
}) => string) & {
    percent: (share: number) => string;
};
