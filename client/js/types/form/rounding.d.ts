/**
 * @param {Translate} t @param {{levels: number, width: number}} window @param {any} range the question's numbers
 * @param {string} lost how often what is sent does not stand for the rounded number, in words @returns {string}
 */
export function sayRounding(t: Translate, { levels, width }: {
    levels: number;
    width: number;
}, range: any, lost: string): string;
export type Translate = import("./words.js").Translate;
