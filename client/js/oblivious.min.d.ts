/** What encrypts for a gateway, in one file: see `oblivious/`. */
export const ask: import("./src/way.js").Oblivious["ask"];
