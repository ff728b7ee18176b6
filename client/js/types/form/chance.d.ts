/**
 * Return how likely a report speaks for an answer: of a text its bucket or one of its bits, of a number the farthest one.
 * @param {Mechanism} mechanism @returns {Support}
 */
export function supportOf(mechanism: Mechanism): Support;
/** @param {Fraction} fraction @returns {Fraction} one without it */
export function rest([part, whole]: Fraction): Fraction;
/**
 * Return a probability as so many of 100 people, rounded down; of up to a million where they would be below ten.
 * @param {Fraction} fraction @returns {{n: number, people: number}}
 */
export function ofPeople([part, whole]: Fraction): {
    n: number;
    people: number;
};
/**
 * Return a probability as so many times in so many, if it is such a fraction of small numbers; else null.
 * @param {Fraction} fraction @returns {{n: number, of: number} | null}
 */
export function simple(fraction: Fraction): {
    n: number;
    of: number;
} | null;
/** How many levels an output of a number stands for at most. @param {Mechanism} mechanism @returns {number} */
export function widthOf({ width, segments }: Mechanism): number;
/** How likely a number's report is one of those that stand for it, rounded. @param {Mechanism} mechanism @returns {Fraction} */
export function insideOf({ ifTrue, repeats, levels, segments }: Mechanism): Fraction;
/**
 * of two integers, the second above 0
 */
export type Fraction = [bigint, bigint];
/**
 * that a report speaks for an answer: for a true one, for another
 */
export type Support = {
    ifTrue: Fraction;
    ifOther: Fraction;
};
export type Segment = import("../src/segments.js").Segment;
/**
 * one of src/mechanisms.js, known by its name: pages have the client's bundle, not its classes
 */
export type Mechanism = any;
