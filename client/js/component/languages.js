/** In which language a survey is asked, and the product's own words in it. */

import { makeWords } from "../form/words.js";
import { INTEGRITY } from "../words/integrity.js";

/** @typedef {import("../form/words.js").Translate} Translate */

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
 * Return the product's words in a language, from a file that has the content which this program was made with; English
 * where there is none, or it cannot be had. Throws TypeError for a folder that has no address.
 * @param {string} tag @param {string | URL} folder of the files, as the page's address has it @returns {Promise<Translate>}
 */
export async function loadWords(tag, folder) {
  const lang = baseOf(tag);
  const integrity = /** @type {{[lang: string]: string}} */ (INTEGRITY)[lang];
  if (integrity === undefined) return makeWords();
  const place = new URL(String(folder).replace(/\/?$/, "/"), document.baseURI);
  try {
    const file = await fetch(new URL(`${lang}.json`, place), { integrity, credentials: "omit" });
    return makeWords({ lang, messages: await file.json() });
  } catch {
    return makeWords();
  }
}

function baseOf(/** @type {string} */ tag) {
  return tag.toLowerCase().split("-")[0];
}
