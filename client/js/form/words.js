/** The words of a form in the language of its reader: sentences by English sentence, plural forms, numbers. */

/** @typedef {{[name: string]: string | number}} Values what stands in a message's places; numbers are written as the language does */
/** @typedef {{[message: string]: string | string[]}} Messages a translation, or one for each plural form */
/**
 * @typedef {((message: string, values?: Values) => string) & {
 *   n: (one: string, many: string, n: number, values?: Values) => string,
 *   number: (number: number) => string,
 *   percent: (share: number) => string,
 *   day: (day: string) => string,
 *   text: (sentences: string[]) => string,
 *   lang: string,
 * }} Translate
 */

/** Digits are those of the language's readers on the web, which for Arabic and Hindi are the same as for all. */
const DIGITS = "-u-nu-latn";

/** The plural forms of a language with so many of them, by the names of Intl.PluralRules, in the order of catalogues. @type {{[n: number]: string[]}} */
const FORMS = {
  1: ["other"],
  2: ["one", "other"],
  3: ["one", "few", "many"],
  6: ["zero", "one", "two", "few", "many", "other"],
};

/**
 * Return `t`, which says a message in a language: `t("%(n)s of %(all)s", { n: 3, all: 1200 })`.
 * `t.n("%(n)s day", "%(n)s days", n)` says it of so many, `t.number` and `t.percent` write numbers, `t.day` a day such as 2026-12-31, `t.text` joins sentences, `t.lang` is the language.
 * `messages`: translations by English message; what has none is said in English.
 * @param {{lang?: string, messages?: Messages}} [given] @returns {Translate}
 */
export function makeWords({ lang = "en", messages = {} } = {}) {
  const numbers = new Intl.NumberFormat(lang + DIGITS, { maximumFractionDigits: 20 });
  const rules = new Intl.PluralRules(lang);
  const percents = new Intl.NumberFormat(lang + DIGITS, { style: "percent", maximumFractionDigits: 4 });
  const say = (/** @type {string | number} */ value) =>
    typeof value === "number" ? numbers.format(value) : String(value);
  const fill = (/** @type {string} */ message, /** @type {Values} */ values) =>
    message.replace(/%(?:%|\((\w+)\)s)/g, (_, name) => (name === undefined ? "%" : say(values[name])));
  /** @type {any} */
  const t = (/** @type {string} */ message, /** @type {Values} */ values = {}) =>
    fill(String(messages[message] ?? message), values);
  t.n = (
    /** @type {string} */ one,
    /** @type {string} */ many,
    /** @type {number} */ n,
    /** @type {Values} */ values,
  ) => {
    const forms = messages[one] ?? [one, many];
    const form = messages[one] ? FORMS[forms.length].indexOf(rules.select(n)) : Number(n !== 1);
    const said = forms[form] ?? forms[forms.length - 1]; // one that the catalogue has not is its last, as in 1,000,000
    return fill(String(said), { n, ...values });
  };
  t.number = (/** @type {number} */ number) => numbers.format(number);
  t.percent = (/** @type {number} */ share) => percents.format(share).replace("%", lang === "en" ? " %" : "%");
  const days = new Intl.DateTimeFormat(lang + DIGITS, { dateStyle: "long", timeZone: "UTC" });
  t.day = (/** @type {string} */ day) => days.format(new Date(day));
  t.text = (/** @type {string[]} */ sentences) => sentences.join(lang.startsWith("zh") ? "" : " ");
  t.lang = lang;
  return t;
}
