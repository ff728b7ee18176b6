/** What `oblivious.min.js` is made of: the client loads it where a survey is delivered obliviously. */

export { ask } from "./carrier.js";
