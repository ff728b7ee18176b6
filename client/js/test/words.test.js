// Messages are said in a language, with its plural forms and numbers; what is not translated is said in English.

import assert from "node:assert/strict";
import test from "node:test";

import { nameOf } from "../component/languages.js";
import { makeWords } from "../form/words.js";

test("a message takes its values by name, and numbers as the language writes them", () => {
  const t = makeWords({ lang: "de", messages: { "%(n)s of %(all)s": "%(all)s, davon %(n)s" } });
  assert.equal(t("%(n)s of %(all)s", { n: 1.5, all: 1200 }), "1.200, davon 1,5");
  assert.equal(t("%(n)s: 100 %%, not translated", { n: "1.5" }), "1.5: 100 %, not translated");
  assert.equal(t("%(n)s of %(all)s", { n: "%(all)s", all: "$&" }), "$&, davon %(all)s");
});

test("without a language words are English", () => {
  const t = makeWords();
  assert.deepEqual([t.lang, t("Send"), t.number(1234.5), t.percent(0.269)], ["en", "Send", "1,234.5", "26.9 %"]);
  assert.deepEqual(
    [1, 2, 0].map((n) => t.n("%(n)s day", "%(n)s days", n)),
    ["1 day", "2 days", "0 days"],
  );
});

test("plural forms are those of the language, in the order of its catalogue", () => {
  const six = ["zero", "one", "two", "few %(n)s", "many %(n)s", "other %(n)s"];
  const arabic = makeWords({ lang: "ar", messages: { "%(n)s day": six } });
  const said = [0, 1, 2, 3, 10, 11, 99, 100, 102, 103, 1000].map((n) => arabic.n("%(n)s day", "%(n)s days", n));
  const expected = ["zero", "one", "two", "few 3", "few 10", "many 11", "many 99", "other 100", "other 102", "few 103"];
  assert.deepEqual(said, [...expected, "other 1,000"]);
  const french = makeWords({ lang: "fr", messages: { "%(n)s day": ["%(n)s jour", "%(n)s jours"] } });
  assert.deepEqual(
    [0, 1, 2, 1e6].map((n) => french.n("%(n)s day", "%(n)s days", n)),
    ["0 jour", "1 jour", "2 jours", "1\u202f000\u202f000 jours"],
  );
  const polish = makeWords({ lang: "pl", messages: { "%(n)s day": ["%(n)s dzień", "%(n)s dni (few)", "%(n)s dni"] } });
  assert.deepEqual(
    [1, 2, 5, 12, 21, 22, 112].map((n) => polish.n("%(n)s day", "%(n)s days", n)),
    ["1 dzień", "2 dni (few)", "5 dni", "12 dni", "21 dni", "22 dni (few)", "112 dni"],
  );
  const chinese = makeWords({ lang: "zh", messages: { "%(n)s day": ["%(n)s 天"] } });
  assert.deepEqual(
    [1, 5].map((n) => chinese.n("%(n)s day", "%(n)s days", n)),
    ["1 天", "5 天"],
  );
});

test("numbers and per cents are those that the pages write", () => {
  const said = ["de", "fr", "es", "pt", "ar", "hi", "zh", "tr", "uk"].map((lang) => makeWords({ lang }));
  assert.deepEqual(
    said.map((t) => t.number(1234567.5)),
    [
      "1.234.567,5",
      "1\u202f234\u202f567,5",
      "1.234.567,5",
      "1.234.567,5",
      "1,234,567.5",
      "12,34,567.5",
      "1,234,567.5",
      "1.234.567,5",
      "1\u00a0234\u00a0567,5",
    ],
  );
  assert.deepEqual(
    said.map((t) => t.percent(0.269)),
    ["26,9\u00a0%", "26,9\u00a0%", "26,9\u00a0%", "26,9%", "26.9\u200e%\u200e", "26.9%", "26.9%", "%26,9", "26,9%"],
  );
  assert.equal(makeWords({ lang: "es" }).number(1234), "1234");
});

test("a language is offered by its own name, and by its tag where the browser takes that for none", () => {
  assert.deepEqual(["de", "pt-BR", "sl-rozaj-rozaj"].map(nameOf), ["Deutsch", "português (Brasil)", "sl-rozaj-rozaj"]);
});
