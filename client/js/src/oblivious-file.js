/** Where the file is that encrypts for a gateway: beside the client's own. */

/** `sotto-survey.min.js` has `component/oblivious-file.js` in place of this module. */
export const file = {
  /** @returns {Promise<import("./way.js").Oblivious>} */
  load: () => import("../oblivious.min.js"),
};
