/** Where the files are that only some surveys need: beside the client's own. */

/** `sotto-survey.min.js` has `component/late-file.js` in place of this module. */
export const file = {
  /** @param {"blind" | "oblivious"} name @returns {Promise<any>} */
  load: (name) => (name === "blind" ? import("../blind.min.js") : import("../oblivious.min.js")),
};
