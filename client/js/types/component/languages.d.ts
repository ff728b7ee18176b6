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
 * Return the product's words in a language, from a file that has the content which this program was made with; English
 * where there is none, or it cannot be had. Throws TypeError for a folder that has no address.
 * @param {string} tag @param {string | URL} folder of the files, as the page's address has it @returns {Promise<Translate>}
 */
export function loadWords(tag: string, folder: string | URL): Promise<Translate>;
export type Translate = import("../form/words.js").Translate;
