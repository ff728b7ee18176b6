/**
 * Read the attributes of an element. Throws TypeError where one is missing: without a fingerprint whatever the collector
 * serves would be asked. The client checks the rest.
 * @param {Element} element @returns {Settings}
 */
export function readSettings(element: Element): Settings;
/** What a page says of a survey in the element's attributes. */
/**
 * @typedef {object} Settings
 * @property {string} collector its address @property {string} survey @property {number} wave
 * @property {string} invitation @property {import("../src/options.js").Options & {resendDays: number}} options the client's
 */
/** The attributes by which a survey is another one, or asked in another way. */
export const ATTRIBUTES: string[];
export type Settings = {
    /**
     * its address
     */
    collector: string;
    survey: string;
    wave: number;
    invitation: string;
    /**
     * the client's
     */
    options: import("../src/options.js").Options & {
        resendDays: number;
    };
};
