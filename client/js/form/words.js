// The words of a form in the language of its reader: sentences by English sentence, plural forms, numbers.

/** Digits are those of the language's readers on the web, which for Arabic and Hindi are the same as for all. */
const DIGITS = "-u-nu-latn";

/** The plural forms of a language with so many of them, by the names of Intl.PluralRules, in the order of catalogues. */
const FORMS = { 1: ["other"], 2: ["one", "other"], 6: ["zero", "one", "two", "few", "many", "other"] };

/**
 * Return `t`, which says a message in a language: `t("%(n)s of %(all)s", { n: 3, all: 1200 })`.
 * `t.n("%(n)s day", "%(n)s days", n)` says it of so many, `t.number` and `t.percent` write numbers, `t.lang` is the language.
 * `messages`: translations by English message; what has none is said in English.
 */
export function makeWords({ lang = "en", messages = {} } = {}) {
  const numbers = new Intl.NumberFormat(lang + DIGITS, { maximumFractionDigits: 20 });
  const rules = new Intl.PluralRules(lang);
  const percents = new Intl.NumberFormat(lang + DIGITS, { style: "percent", maximumFractionDigits: 2 });
  const say = (value) => (typeof value === "number" ? numbers.format(value) : String(value));
  const fill = (message, values) =>
    message.replace(/%(?:%|\((\w+)\)s)/g, (_, name) => (name === undefined ? "%" : say(values[name])));
  const t = (message, values = {}) => fill(messages[message] ?? message, values);
  t.n = (one, many, n, values = {}) => {
    const forms = messages[one] ?? [one, many];
    const form = messages[one] ? FORMS[forms.length].indexOf(rules.select(n)) : Number(n !== 1);
    return fill(forms.at(form), { n, ...values }); // a form that the catalogue does not have is its last, as in 1,000,000
  };
  t.number = (number) => numbers.format(number);
  t.percent = (share) => percents.format(share).replace("%", lang === "en" ? " %" : "%");
  t.lang = lang;
  return t;
}
