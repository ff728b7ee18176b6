/** Where the file is that encrypts for a gateway, for a script that a page may hold to its hash: that holds it to its own. */

import { make } from "./dom.js";
import { PIN } from "./pin.js";

/** What lets the address through where a page has trusted types. @type {any} */
let policy;

export const file = {
  /**
   * Have the browser load the file and hold it to its hash, and import what it has loaded: no import() can be held to a
   * hash, and not every browser holds what a link preloads.
   * @returns {Promise<import("../src/way.js").Oblivious>}
   */
  load: () =>
    new Promise((resolve, reject) => {
      const href = new URL("oblivious.min.js", import.meta.url).href;
      const script = make("script", { type: "module", integrity: PIN, crossorigin: "" });
      const { trustedTypes } = /** @type {any} */ (globalThis);
      policy ??= trustedTypes?.createPolicy("sottovoce", { createScriptURL: String });
      script.src = policy?.createScriptURL(href) ?? href;
      script.onload = () => resolve(import(href));
      script.onerror = reject;
      document.head.append(script);
    }),
};
