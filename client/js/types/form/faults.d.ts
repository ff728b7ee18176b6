/**
 * Return the words for whatever was thrown; the client's errors have words of their own.
 * @param {Translate} t @param {any} fault @param {boolean} [isAnswered] whether anything was, which stays on the page
 * @returns {Fault}
 */
export function describe(t: Translate, fault: any, isAnswered?: boolean): Fault;
/**
 * Return the words for whatever was thrown, or that the page lacks what all of it needs.
 * @param {Translate} t @param {any} fault @param {boolean} [isAnswered] @returns {Fault}
 */
export function explain(t: Translate, fault: any, isAnswered?: boolean): Fault;
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
/** The element was taken off the page for longer than a move takes, with answers in it. @returns {Fault} */
export function takenOff(t: Translate): Fault;
/**
 * This device is not among those that are asked in this wave.
 * @param {Translate} t @param {readonly number[]} waves in which it is @param {number} wave @returns {Fault}
 */
export function notAsked(t: Translate, waves: readonly number[], wave: number): Fault;
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
