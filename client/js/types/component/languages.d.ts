/**
 * Return the first of the languages offered that is wanted: itself, or its language in another region; else the first.
 * @param {readonly string[]} wanted @param {readonly string[]} offered
 */
export function chooseLanguage(wanted: readonly string[], offered: readonly string[]): string;
/** @param {string} tag @returns {"ltr" | "rtl"} */
export function directionOf(tag: string): "ltr" | "rtl";
/** A language's name for itself; its tag where the browser takes that for none. @param {string} tag */
export function nameOf(tag: string): string;
/**
 * Return the product's words in a language; where it does not speak that, or the words cannot be had, in the first of the
 * reader's languages for which they can, else in English. `missing`: in English, what could not be had, or nothing. Throws
 * TypeError for a folder that has no address.
 * @param {string} tag @param {Words} words @returns {Promise<{t: Translate, missing: string}>}
 */
export function loadWords(tag: string, words: Words): Promise<{
    t: Translate;
    missing: string;
}>;
export type Translate = import("../form/words.js").Translate;
export type Messages = import("../form/words.js").Messages;
export type Load = (lang: string) => Promise<Messages>;
/**
 * by language, what imports its words
 */
export type Modules = {
    [lang: string]: () => Promise<{
        default: Messages;
    }>;
};
/**
 * where they are: the address of a folder of files, or modules
 */
export type Words = string | URL | Modules;
