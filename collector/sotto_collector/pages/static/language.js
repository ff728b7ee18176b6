// The words of this page, in its language: its messages stand in the page.

import { makeWords } from "../js/form/words.js";

export let t = readWords();
writeDays();

function readWords() {
  return makeWords(JSON.parse(document.getElementById("words").textContent));
}

/** Write the days that stand in the page, or in a part of it, as this language does. */
export function writeDays(part = document) {
  for (const time of part.querySelectorAll("time")) time.textContent = t.day(time.dateTime);
}

/** Whether a page that was fetched asks what this one asks, and as this one does. */
export function isOfSame(page) {
  const [theirs, ours] = [page, document].map((each) => ({ ...each.querySelector("main")?.dataset }));
  return JSON.stringify(theirs) === JSON.stringify(ours);
}

/** Take a page that was fetched into the place of this one. */
export function takePage(page) {
  const { lang, dir } = page.documentElement;
  Object.assign(document.documentElement, { lang, dir });
  document.title = page.title;
  document.body.replaceChildren(...page.body.childNodes);
  t = readWords();
  writeDays();
}
