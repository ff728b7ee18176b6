/** A probability as a picture: of 100 marks, which are the round dashes of ten lines, as many are large. */

import { make } from "./dom.js";

/** @typedef {import("../form/words.js").Translate} Translate */

const SVG = "http://www.w3.org/2000/svg";

/**
 * Return the picture of a probability, rounded down, above what it shows; that alone where no mark would be large.
 * @param {Translate} t @param {import("../form/chance.js").Fraction} fraction @param {string} caption
 */
export function pictureOf(t, [part, whole], caption) {
  const n = Number((100n * part) / whole);
  const figure = make("figure", {}, make("figcaption", {}, caption));
  if (n > 0) figure.prepend(marksOf(t, n));
  return figure;
}

function marksOf(/** @type {Translate} */ t, /** @type {number} */ n) {
  const picture = draw("svg", { class: "marks", viewBox: "0 0 100 100", role: "img" });
  picture.setAttribute("aria-label", t("%(n)s of %(all)s", { n, all: 100 }));
  picture.append(draw("path", { d: linesOf(100) }), draw("path", { d: linesOf(n) }));
  return picture;
}

/** Lines of marks, ten in each: a line ends, for the last round dash, just behind where that begins. */
function linesOf(/** @type {number} */ n) {
  const rows = Array.from({ length: Math.ceil(n / 10) }, (_, row) => row);
  return rows.map((row) => `M5 ${10 * row + 5}h${Math.min(91, 10 * (n - 10 * row) - 9)}`).join("");
}

function draw(/** @type {string} */ name, /** @type {{[name: string]: string}} */ attributes) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}
