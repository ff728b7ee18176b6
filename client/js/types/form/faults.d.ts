/** Return the words for whatever was thrown; the client's errors have words of their own. @returns {Fault} */
export function describe(t: Translate, fault: any): Fault;
/** Return the words for whatever was thrown, or that the page lacks what all of it needs. @returns {Fault} */
export function explain(t: Translate, fault: any): Fault;
/** Browsers lend their cryptography to pages that came by https alone. @returns {Fault} */
export function insecure(t: Translate): Fault;
/** The page asks in a way that no survey can be asked: `message` says how. @returns {Fault} */
export function misused(t: Translate, message: string): Fault;
/** What a report is drawn from went with the browser's data, before it was sent. @returns {Fault} */
export function forgotten(t: Translate): Fault;
/** The report is made, and how it stands is not known. @returns {Fault} */
export function unread(t: Translate): Fault;
/** The page was left before a report was sent. @returns {Fault} */
export function unsent(t: Translate): Fault;
/** The survey takes no more reports. @returns {Fault} */
export function over(t: Translate): Fault;
/** A fault's words as a sentence. @param {string} message */
export function sentence(message: string): string;
export type Translate = import("./words.js").Translate;
/**
 * `said`: what the client says of it, in English, for whoever runs the survey; nothing where that tells no more.
 */
export type Fault = {
    title: string;
    text: string;
    mayPass: boolean;
    said: string;
};
