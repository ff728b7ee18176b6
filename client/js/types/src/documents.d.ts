/**
 * Parse JSON in UTF-8, its numbers kept as they are written. Throws SurveyError at `$`, which never quotes the text.
 * @param {Uint8Array} bytes @returns {{document: unknown, isCanonical: boolean}}
 */
export function parseJson(bytes: Uint8Array): {
    document: unknown;
    isCanonical: boolean;
};
/** @param {unknown} value of objects, arrays, strings, booleans, safe integers and numerals @returns {string} */
export function canonical(value: unknown): string;
/**
 * Whether value is a string of 1 to maxLength characters that only stand for themselves.
 * @param {unknown} value @param {number} maxLength @returns {value is string}
 */
export function isText(value: unknown, maxLength: number): value is string;
export function notCanonical(): SurveyError;
/** The members of one object, each taken once and checked; what is left over is unknown and refused. */
export class Fields {
    /** @param {unknown} document @param {string} where */
    constructor(document: unknown, where: string);
    where: string;
    /** @param {string} key */
    has(key: string): boolean;
    /** @param {string} key @param {string} expected @param {(value: any) => boolean} accept @returns {any} */
    take(key: string, expected: string, accept: (value: any) => boolean): any;
    /** @param {string} key @param {number} low @param {number} high */
    integer(key: string, low: number, high: number): number;
    /** @param {string} key @returns {string} a plain decimal, as it is written */
    number(key: string): string;
    /** @param {string} key @param {number} most @param {number} high @returns {number[]} integers in [1, high], ascending */
    ascending(key: string, most: number, high: number): number[];
    /** @param {string} key @param {number} fewest @param {number} most @param {number} width @returns {any[]} rows of integers */
    rows(key: string, fewest: number, most: number, width: number): any[];
    /** @param {string} key @param {bigint} high in units of 1e-12 nats @returns {bigint} the same */
    epsilon(key: string, high: bigint): bigint;
    /** @param {string} key @param {number} maxLength @returns {string} */
    text(key: string, maxLength: number): string;
    /** @param {string} key @param {readonly string[]} words @returns {string} */
    oneOf(key: string, words: readonly string[]): string;
    /**
     * Return what `read` takes, or `usual` where it is left out; canonical documents leave out what is usual.
     * @template T @param {string} key @param {T} usual @param {() => T} read @returns {T}
     */
    optional<T>(key: string, usual: T, read: () => T): T;
    /** @param {string} key @param {readonly string[]} words @returns {any} the first where it is left out */
    word(key: string, words: readonly string[]): any;
    /** @param {string} key @param {number} usual where it is left out @param {number} low @param {number} high */
    count(key: string, usual: number, low: number, high: number): number;
    /** @param {string} key @returns {boolean} false where it is left out */
    flag(key: string): boolean;
    finish(): void;
    /** @param {string} key @param {string} problem */
    fail(key: string, problem: string): SurveyError;
    #private;
}
import { SurveyError } from "./errors.js";
