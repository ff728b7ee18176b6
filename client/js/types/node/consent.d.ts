/** Whether a variable of the environment switches all measures off. */
export function isSwitchedOff(environment?: NodeJS.ProcessEnv): boolean;
/**
 * Return what was noted of this version of a survey: nothing if the file is missing, damaged, or about another version.
 * @param {string} path @param {string} fingerprint @returns {{agreed?: unknown, wave?: unknown, triedAt?: unknown}}
 */
export function readNote(path: string, fingerprint: string): {
    agreed?: unknown;
    wave?: unknown;
    triedAt?: unknown;
};
/** Replace the file, all of it or nothing. Throws StateError. @param {string} path @param {object} note */
export function writeNote(path: string, note: object): void;
/** Variables that switch all measures off, if they say anything but no. */
export const SWITCHES: string[];
