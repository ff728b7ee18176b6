/** @typedef {import("../documents.js").Fields} Fields */
/** @typedef {import("../mechanisms.js").Encoded} Encoded */
/** @typedef {import("../survey.js").Item} Item */
/**
 * A type: `options` takes a question's, where it has any, `range` that of its numbers, `skip` what no answer stands for.
 * `encode` returns an answer as mechanisms take it, null if it is none; `expected` what it must be, in words (of an
 * answer that is none: it is not quoted); `said` what a mechanism says of a report, in the question's words.
 * @typedef {{
 *   options: (fields: Fields) => readonly string[],
 *   range?: (fields: Fields) => import("./number.js").Range,
 *   skip: (fields: Fields, question: Item) => string | number | boolean,
 *   encode: (given: any, question: Item) => Encoded | null,
 *   expected: (given: unknown, question: Item) => string,
 *   said: (said: any, question: Item) => any,
 * }} QuestionType
 */
/** @satisfies {{[name: string]: QuestionType}} */
export const TYPES: {
    "yes-no": {
        options: () => never[];
        skip: (fields: import("../documents.js").Fields) => boolean;
        encode: (given: any) => number | null;
        expected: () => string;
        said: (values: any) => boolean;
    };
    "one-of": {
        options: (fields: import("../documents.js").Fields) => readonly string[];
        skip: (fields: import("../documents.js").Fields, { options }: import("../survey.js").Item) => string;
        encode: (given: any, { options }: import("../survey.js").Item) => number | null;
        expected: (_: unknown, { options }: import("../survey.js").Item) => string;
        said: typeof import("./members.js").textsOf;
    };
    "any-of": {
        options: (fields: import("../documents.js").Fields) => readonly string[];
        skip: typeof import("./members.js").refuseSkip;
        encode: (given: any, question: import("../survey.js").Item) => Uint8Array | null;
        expected: (_: unknown, question: import("../survey.js").Item) => string;
        said: (said: any, question: import("../survey.js").Item) => string[] | {
            asked: any;
            yes: any;
        };
    };
    number: {
        options: () => never[];
        range: (fields: import("../documents.js").Fields) => import("./number.js").Range;
        skip: (fields: import("../documents.js").Fields, question: import("../survey.js").Item) => number;
        encode: (given: any, { range }: import("../survey.js").Item) => number | null;
        expected: (_: unknown, { range }: import("../survey.js").Item) => string;
        said: ({ output, from, to }: any, { range }: import("../survey.js").Item) => {
            output: any;
            from: number;
            to: number;
        };
    };
    text: {
        options: () => never[];
        skip: (fields: import("../documents.js").Fields) => any;
        encode: (given: any) => string | null;
        expected: typeof import("../text.js").expectedOf;
        said: (said: any) => any;
    };
};
/** @satisfies {{[name: string]: QuestionType}} those that a survey can ask together */
export const CLOSED: {
    "yes-no": {
        options: () => never[];
        skip: (fields: import("../documents.js").Fields) => boolean;
        encode: (given: any) => number | null;
        expected: () => string;
        said: (values: any) => boolean;
    };
    "one-of": {
        options: (fields: import("../documents.js").Fields) => readonly string[];
        skip: (fields: import("../documents.js").Fields, { options }: import("../survey.js").Item) => string;
        encode: (given: any, { options }: import("../survey.js").Item) => number | null;
        expected: (_: unknown, { options }: import("../survey.js").Item) => string;
        said: typeof import("./members.js").textsOf;
    };
};
/** @satisfies {{[name: string]: QuestionType}} those that a survey can have: questions asked together are one */
export const PUBLISHED: {
    joint: {
        options: () => never[];
        skip: (fields: import("../documents.js").Fields) => never;
        encode: (given: any, { items }: import("../survey.js").Item) => any;
        expected: (_: unknown, { items }: import("../survey.js").Item) => string;
        said: typeof import("./members.js").textsOf;
    };
    "yes-no": {
        options: () => never[];
        skip: (fields: import("../documents.js").Fields) => boolean;
        encode: (given: any) => number | null;
        expected: () => string;
        said: (values: any) => boolean;
    };
    "one-of": {
        options: (fields: import("../documents.js").Fields) => readonly string[];
        skip: (fields: import("../documents.js").Fields, { options }: import("../survey.js").Item) => string;
        encode: (given: any, { options }: import("../survey.js").Item) => number | null;
        expected: (_: unknown, { options }: import("../survey.js").Item) => string;
        said: typeof import("./members.js").textsOf;
    };
    "any-of": {
        options: (fields: import("../documents.js").Fields) => readonly string[];
        skip: typeof import("./members.js").refuseSkip;
        encode: (given: any, question: import("../survey.js").Item) => Uint8Array | null;
        expected: (_: unknown, question: import("../survey.js").Item) => string;
        said: (said: any, question: import("../survey.js").Item) => string[] | {
            asked: any;
            yes: any;
        };
    };
    number: {
        options: () => never[];
        range: (fields: import("../documents.js").Fields) => import("./number.js").Range;
        skip: (fields: import("../documents.js").Fields, question: import("../survey.js").Item) => number;
        encode: (given: any, { range }: import("../survey.js").Item) => number | null;
        expected: (_: unknown, { range }: import("../survey.js").Item) => string;
        said: ({ output, from, to }: any, { range }: import("../survey.js").Item) => {
            output: any;
            from: number;
            to: number;
        };
    };
    text: {
        options: () => never[];
        skip: (fields: import("../documents.js").Fields) => any;
        encode: (given: any) => string | null;
        expected: typeof import("../text.js").expectedOf;
        said: (said: any) => any;
    };
};
export type Fields = import("../documents.js").Fields;
export type Encoded = import("../mechanisms.js").Encoded;
export type Item = import("../survey.js").Item;
/**
 * A type: `options` takes a question's, where it has any, `range` that of its numbers, `skip` what no answer stands for.
 * `encode` returns an answer as mechanisms take it, null if it is none; `expected` what it must be, in words (of an
 * answer that is none: it is not quoted); `said` what a mechanism says of a report, in the question's words.
 */
export type QuestionType = {
    options: (fields: Fields) => readonly string[];
    range?: (fields: Fields) => import("./number.js").Range;
    skip: (fields: Fields, question: Item) => string | number | boolean;
    encode: (given: any, question: Item) => Encoded | null;
    expected: (given: unknown, question: Item) => string;
    said: (said: any, question: Item) => any;
};
