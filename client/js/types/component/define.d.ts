/** Define the element, unless the page has; where there is no page, as on a server, do nothing. @param {import("./languages.js").Words} words */
export function define(words: import("./languages.js").Words): void;
