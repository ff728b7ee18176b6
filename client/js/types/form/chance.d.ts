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
/**
 * one of src/mechanisms.js, known by its name: pages have the client's bundle, not its classes
 */
export type Mechanism = any;
