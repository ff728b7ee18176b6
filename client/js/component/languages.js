/** In which language a survey is asked, and the product's own words in it. */

import { makeWords } from "../form/words.js";
import { INTEGRITY } from "../words/integrity.js";

/** @typedef {import("../form/words.js").Translate} Translate */
/** @typedef {import("../form/words.js").Messages} Messages */
/** @typedef {(lang: string) => Promise<Messages>} Load */
/** @typedef {{[lang: string]: () => Promise<{default: Messages}>}} Modules by language, what imports its words */
/** @typedef {string | URL | Modules} Words where they are: the address of a folder of files, or modules */

const RIGHT_TO_LEFT = ["ar", "ckb", "dv", "fa", "he", "ps", "sd", "ug", "ur", "yi"];

/**
 * Return the first of the languages offered that is wanted: itself, or its language in another region; else the first.
 * @param {readonly string[]} wanted @param {readonly string[]} offered
 */
export function chooseLanguage(wanted, offered) {
  for (const each of wanted) {
    const found = offered.find((tag) => tag.toLowerCase() === each.toLowerCase());
    const kin = found ?? offered.find((tag) => baseOf(tag) === baseOf(each));
    if (kin !== undefined) return kin;
  }
  return offered[0];
}

/** @param {string} tag @returns {"ltr" | "rtl"} */
export function directionOf(tag) {
  return RIGHT_TO_LEFT.includes(baseOf(tag)) ? "rtl" : "ltr";
}

/** A language's name for itself; its tag where the browser takes that for none. @param {string} tag */
export function nameOf(tag) {
  try {
    return new Intl.DisplayNames([tag], { type: "language" }).of(tag) ?? tag;
  } catch {
    return tag;
  }
}

/**
 * Return the product's words in a language; where it does not speak that, or the words cannot be had, in the first of the
 * reader's languages for which they can, else in English. `missing`: in English, what could not be had, or nothing. Throws
 * TypeError for a folder that has no address.
 * @param {string} tag @param {Words} words @returns {Promise<{t: Translate, missing: string}>}
 */
export async function loadWords(tag, words) {
  const load = typeof words === "string" || words instanceof URL ? fetchWords(words) : importWords(words);
  let missing = "";
  for (const lang of new Set([tag, ...navigator.languages].map(baseOf))) {
    if (lang === "en") break;
    if (!Object.hasOwn(INTEGRITY, lang)) continue;
    try {
      return { t: makeWords({ lang, messages: await load(lang) }), missing };
    } catch (fault) {
      missing ||= `the words in "${lang}" could not be loaded: ${fault}`;
    }
  }
  return { t: makeWords(), missing };
}

/** From modules, which the browser or a bundler finds. @param {Modules} modules @returns {Load} */
function importWords(modules) {
  return async (lang) => (await modules[lang]()).default;
}

/**
 * From the files of a folder, each held to the content that this program was made with: as a text, since no import() can be
 * held to a hash. @param {string | URL} folder as the page's address has it @returns {Load}
 */
function fetchWords(folder) {
  const place = new URL(String(folder).replace(/\/?$/, "/"), document.baseURI);
  return async (lang) => {
    const options = { integrity: /** @type {{[lang: string]: string}} */ (INTEGRITY)[lang], credentials: "omit" };
    const text = await (await fetch(new URL(`${lang}.js`, place), /** @type {RequestInit} */ (options))).text();
    return JSON.parse(text.slice(text.indexOf("{\n"), text.lastIndexOf("}") + 1));
  };
}

function baseOf(/** @type {string} */ tag) {
  return tag.toLowerCase().split("-")[0];
}
