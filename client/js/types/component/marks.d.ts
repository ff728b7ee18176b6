/**
 * Return the picture of a probability, rounded down, above what it shows; that alone where no mark would be large.
 * @param {Translate} t @param {import("../form/chance.js").Fraction} fraction @param {string} caption
 */
export function pictureOf(t: Translate, [part, whole]: import("../form/chance.js").Fraction, caption: string): HTMLElement;
export type Translate = import("../form/words.js").Translate;
