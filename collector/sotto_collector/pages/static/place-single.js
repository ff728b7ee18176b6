// Where a page of one file has what it needs: the client and the page in every language are in it.

import * as sotto from "../js/sottovoce.js";
import { chooseLanguage } from "../js/component/languages.js";

/** The page by the languages of the survey, its own first. */
const PAGES = JSON.parse(document.getElementById("pages").textContent);
const TAGS = Object.keys(PAGES);

export const COLLECTOR = document.querySelector("main").dataset.collector;

/** Load the client's module. */
export const loadClient = async () => sotto;

/** The page in the language to begin with, where that is another one than this: as the address or the browser asks. */
export function firstPage() {
  const asked = new URLSearchParams(location.search).get("lang");
  const tag = chooseLanguage([...(asked ? [asked] : []), ...navigator.languages], TAGS);
  return tag === TAGS[0] ? null : read(tag);
}

/** Return the page in another language, from its address. */
export async function fetchPage(address) {
  return read(new URL(address).searchParams.get("lang"));
}

function read(tag) {
  return new DOMParser().parseFromString(PAGES[tag], "text/html");
}
