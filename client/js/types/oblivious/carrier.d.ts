/**
 * Send one request through the relay, and return the collector's reply; without a body only see to the gateway's keys. What
 * the relay says in its place is a reply of that status without a body: nothing that it writes counts as the collector's
 * word. Throws the client's DeliveryError, and SurveyRefused if the gateway's keys must not be used.
 * @param {Parts} parts @param {Via} via @param {string} path at the collector @param {string} [body] @returns {Promise<Reply>}
 */
export function ask(parts: Parts, via: Via, path: string, body?: string): Promise<Reply>;
export type Via = import("../src/way.js").Via;
export type Parts = import("../src/way.js").Parts;
export type Reply = import("../src/exchange.js").Reply;
export type Configuration = import("./keys.js").Configuration;
/**
 * What a device saw of a gateway.
 */
export type Seen = {
    key: string;
    epoch: number;
    digest: string;
    other?: string;
};
