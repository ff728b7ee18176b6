/** Where the words of each language are: bundlers follow these imports. Written by scripts/catalogues. */

/** @type {{[lang: string]: () => Promise<{default: import("../form/words.js").Messages}>}} */
export const MODULES = {
  de: () => import("./de.js"),
  fr: () => import("./fr.js"),
  es: () => import("./es.js"),
  pt: () => import("./pt.js"),
  ar: () => import("./ar.js"),
  hi: () => import("./hi.js"),
  zh: () => import("./zh.js"),
  it: () => import("./it.js"),
  nl: () => import("./nl.js"),
  pl: () => import("./pl.js"),
  tr: () => import("./tr.js"),
  uk: () => import("./uk.js"),
};
