/** The version of this client: package.json's, and that of all of sottovoce. */
export const version = "0.1.0";
