// The words of this page, in its language: its messages stand in the page.

import { makeWords } from "../js/form/words.js";

export const t = makeWords(JSON.parse(document.getElementById("words").textContent));
