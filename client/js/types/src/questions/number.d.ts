export namespace number {
    export function options(): never[];
    export { takeRange as range };
    export function skip(fields: import("../documents.js").Fields, question: import("../survey.js").Item): number;
    export function encode(given: any, { range }: import("../survey.js").Item): number | null;
    export function expected(_: unknown, { range }: import("../survey.js").Item): string;
    export function said({ output, from, to }: any, { range }: import("../survey.js").Item): {
        output: any;
        from: number;
        to: number;
    };
}
/**
 * `low` and `step` in units of the last decimal, `scale` of which are one; `span` steps; the rest as it is written.
 */
export type Range = {
    minimum: string;
    maximum: string;
    unit: string;
    low: number;
    step: number;
    scale: number;
    span: number;
};
/** @param {import("../documents.js").Fields} fields @returns {Range} */
declare function takeRange(fields: import("../documents.js").Fields): Range;
export {};
