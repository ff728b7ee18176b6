/**
 * Return `t`, which says a message in a language: `t("%(n)s of %(all)s", { n: 3, all: 1200 })`.
 * `t.n("%(n)s day", "%(n)s days", n)` says it of so many, `t.number` and `t.percent` write numbers, `t.day` a day such as 2026-12-31, `t.text` joins sentences, `t.lang` is the language.
 * `messages`: translations by English message; what has none is said in English.
 * @param {{lang?: string, messages?: Messages}} [given] @returns {Translate}
 */
export function makeWords({ lang, messages }?: {
    lang?: string;
    messages?: Messages;
}): Translate;
/**
 * what stands in a message's places; numbers are written as the language does
 */
export type Values = {
    [name: string]: string | number;
};
/**
 * a translation, or one for each plural form
 */
export type Messages = {
    [message: string]: string | string[];
};
export type Translate = ((message: string, values?: Values) => string) & {
    n: (one: string, many: string, n: number, values?: Values) => string;
    number: (number: number) => string;
    percent: (share: number) => string;
    day: (day: string) => string;
    text: (sentences: string[]) => string;
    lang: string;
};
