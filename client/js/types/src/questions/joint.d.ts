/**
 * Take the items of a joint question.
 * @param {Fields} fields @param {(fields: Fields) => Item} read @returns {readonly Item[]}
 */
export function takeItems(fields: Fields, read: (fields: Fields) => Item): readonly Item[];
/** The combinations in words, the last item's answers fastest. @param {readonly Item[]} items */
export function optionsOf(items: readonly Item[]): readonly string[];
/**
 * The same in words of a language.
 * @param {readonly Item[]} items @param {(item: Item, answer: any) => string} say
 */
export function cellsIn(items: readonly Item[], say: (item: Item, answer: any) => string): readonly string[];
/** Every answer to an item, in the order of its numbers. @param {Item} item @returns {readonly any[]} */
export function answersOf(item: Item): readonly any[];
export namespace joint {
    export function options(): never[];
    export function skip(fields: Fields): never;
    export function encode(given: any, { items }: import("../survey.js").Item): any;
    export function expected(_: unknown, { items }: import("../survey.js").Item): string;
    export { textsOf as said };
}
export type Item = import("../survey.js").Item;
import { Fields } from "../documents.js";
import { textsOf } from "./members.js";
