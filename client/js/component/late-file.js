/** Where the files are that only some surveys need. A page can pin the element by a hash; so this pins these files by theirs. */

import { make } from "./dom.js";
import { PINS } from "./pins.js";

/** What lets the address through where a page has trusted types. @type {any} */
let policy;

export const file = {
  /**
   * Have the browser load a file and hold it to its hash, and import what it has loaded: no import() can be held to a
   * hash, and not every browser holds what a link preloads.
   * @param {"blind" | "oblivious"} name @returns {Promise<any>}
   */
  load: (name) =>
    new Promise((resolve, reject) => {
      const href = new URL(`${name}.min.js`, import.meta.url).href;
      const script = make("script", { type: "module", integrity: PINS[name], crossorigin: "" });
      const { trustedTypes } = /** @type {any} */ (globalThis);
      policy ??= trustedTypes?.createPolicy("sottovoce", { createScriptURL: String });
      script.src = policy?.createScriptURL(href) ?? href;
      script.onload = () => resolve(import(href));
      script.onerror = reject;
      document.head.append(script);
    }),
};
