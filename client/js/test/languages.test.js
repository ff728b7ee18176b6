/** The words of the element: modules that bundlers follow, the same as the files that a script loads, or said to be missing. */

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { loadWords } from "../component/languages.js";
import { INTEGRITY } from "../words/integrity.js";
import { MODULES } from "../words/modules.js";

/** Read in these languages. @param {string[]} languages */
function reader(...languages) {
  Object.defineProperty(globalThis, "navigator", { value: { languages }, configurable: true });
}

/** Modules of which some fail, as where a file is not served. @param {string[]} missing */
function without(...missing) {
  const fail = () => Promise.reject(new TypeError("Failed to fetch"));
  return { ...MODULES, ...Object.fromEntries(missing.map((lang) => [lang, fail])) };
}

test("each language is a module, and the text that a script loads says the same", async (t) => {
  reader("en");
  assert.deepEqual(Object.keys(MODULES), Object.keys(INTEGRITY));
  Object.assign(globalThis, { document: { baseURI: "https://page.example/a/b.html" } });
  const asked = t.mock.method(globalThis, "fetch", async (/** @type {URL} */ { pathname }) => {
    return new Response(await readFile(new URL(`..${pathname}`, import.meta.url)));
  });
  for (const [lang, load] of Object.entries(MODULES)) {
    const { default: messages } = await load();
    const { t: said, missing } = await loadWords(lang, "../words");
    assert.deepEqual([said.lang, said("Next"), missing], [lang, messages.Next, ""]);
    assert.notEqual(said("Next"), "Next");
  }
  const [place, options] = asked.mock.calls[0].arguments;
  assert.equal(String(place), "https://page.example/words/de.js");
  assert.deepEqual(options, { integrity: INTEGRITY.de, credentials: "omit" });
});

test("a bundler makes a file of each language", async () => {
  const root = fileURLToPath(new URL("..", import.meta.url));
  const options = { bundle: true, splitting: true, format: /** @type {const} */ ("esm"), metafile: true, write: false };
  const { metafile } = await build({
    ...options,
    absWorkingDir: root,
    entryPoints: ["sotto-survey.js"],
    outdir: "out",
  });
  const entries = Object.values(metafile.outputs).map(({ entryPoint }) => entryPoint);
  for (const lang of Object.keys(INTEGRITY)) assert.ok(entries.includes(`words/${lang}.js`), lang);
});

test("words that are missing are said to be, in the reader's next language or in English", async () => {
  reader("ar-EG", "de-AT", "en");
  const next = await loadWords("ar", without("ar"));
  assert.equal(next.t.lang, "de");
  assert.equal(next.missing, 'the words in "ar" could not be loaded: TypeError: Failed to fetch');
  reader("en-GB", "de");
  const last = await loadWords("ar", without("ar"));
  assert.deepEqual([last.t.lang, last.t("Next")], ["en", "Next"]);
  assert.match(last.missing, /^the words in "ar" could not/);
});

test("nothing is missing where the product does not speak a language: the reader's own follows", async () => {
  reader("sw", "fr-CA", "de");
  const { t, missing } = await loadWords("sw", MODULES);
  assert.deepEqual([t.lang, missing], ["fr", ""]);
  assert.equal((await loadWords("en", MODULES)).t.lang, "en");
});
