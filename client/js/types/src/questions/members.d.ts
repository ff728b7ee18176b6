/**
 * Take the member `options`: distinct texts, at least so many, and at most.
 * @param {import("../documents.js").Fields} fields @param {number} fewest @param {number} [most]
 * @returns {readonly string[]}
 */
export function takeOptions(fields: import("../documents.js").Fields, fewest: number, most?: number): readonly string[];
/** Return the first options, for a message. @param {readonly string[]} options */
export function listed(options: readonly string[]): string;
/** Return the texts of some options, by their numbers. @param {number[]} values @param {{options: readonly string[]}} of */
export function textsOf(values: number[], { options }: {
    options: readonly string[];
}): string[];
/** @param {import("../documents.js").Fields} fields @returns {never} */
export function refuseSkip(fields: import("../documents.js").Fields): never;
