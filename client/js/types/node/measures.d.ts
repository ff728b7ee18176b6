/**
 * Return a value as an answer. Options that the survey does not have are left out, and so is what goes beyond the most
 * that may be selected, in the survey's order. A number becomes the nearest one of the range.
 * @param {Item} item @param {any} value @param {number} [maxSelected]
 */
export function fit({ type, options, range }: Item, value: any, maxSelected?: number): any;
/** @typedef {import("../src/survey.js").Item} Item */
/** @typedef {import("../src/survey.js").Survey} Survey */
/**
 * Wave 1 of a survey with waves begins on the day `starts` (an ISO date, UTC), and each wave lasts `days` days. A report is made at the first
 * attempt in a wave, and waits for a random time of at most `maxDelayMs` before it is sent: by default half a wave, and a
 * week at most. `folder` keeps the state, by default `$XDG_STATE_HOME/sottovoce/PROGRAM-node`, or below ~/.local/state.
 * @typedef {{program: string, starts?: string, days?: number, maxDelayMs?: number, folder?: string}
 *   & Pick<import("../src/options.js").Options, "maxEpsilon" | "maxPeriodEpsilon" | "periodDays" | "relayUrl"
 *   | "resendDays">} MeasureOptions
 */
/** The measures of a program: what it answers, when, and whether its user has agreed. */
export class Measures {
    /**
     * `survey` is the published survey, as the collector gives it out: a file, or its bytes. It comes with the program, so
     * nothing is asked of the collector before the user has agreed. `measures` has a function for each question's id, that
     * returns the answer or its promise. Throws TypeError or RangeError for what is outside its domain, and for measures
     * that are not those of the survey.
     * @param {string} url @param {string | URL | Uint8Array} survey @param {{[id: string]: () => unknown}} measures
     * @param {MeasureOptions} options
     */
    constructor(url: string, survey: string | URL | Uint8Array, measures: {
        [id: string]: () => unknown;
    }, { program, starts, days, maxDelayMs, folder, ...options }: MeasureOptions);
    url: string;
    program: string;
    /** @type {Uint8Array} */
    canonical: Uint8Array;
    surveyId: string;
    waves: number;
    days: number;
    /** @type {number | null} milliseconds since 1970 */
    startsAt: number | null;
    folder: string;
    /** @type {Promise<Survey>} */
    survey: Promise<Survey>;
    /** What the user said of this version of the survey; null if nothing yet. A new version is asked for anew. */
    agreed(): Promise<boolean | null>;
    /** Whether the program may answer now: the user has agreed, and no variable switches measures off. */
    isOn(): Promise<boolean>;
    /** Note that the user agrees. Throws StateError if that cannot be kept. */
    allow(): Promise<void>;
    /**
     * Note that the user does not agree: nothing more is sent, not even what waits.
     *
     * What waits is deleted, and with it the secret of the noise. After a report, the device answers again from the next
     * version of the survey on, even if the user agrees once more. Throws StateError.
     */
    off(): Promise<void>;
    /** The wave of a moment, in milliseconds since 1970; null before the first and after the last. @param {number} moment */
    waveAt(moment: number): number | null;
    /**
     * Answer if the wave has no report yet, and send what is due. For a command line, at its end. Never rejects.
     *
     * Resolves after `timeoutMs` at the latest. What is not done by then is left to the next run.
     */
    attempt(timeoutMs?: number): Promise<void>;
    /**
     * Do the same now and then, in the background, until `stop`. For a program that runs for long. It may end meanwhile; an
     * exchange that is under way holds it for `timeoutMs` at most.
     */
    start(timeoutMs?: number): void;
    /** End what `start` began, after the attempt that runs. */
    stop(): void;
    /** What a user should read before they agree. It asks nobody, and draws nothing. */
    optInText(): Promise<string>;
    /**
     * What would be sent, and the report of this wave if there is one. It sends nothing, and draws nothing: two reports of
     * the same values would tell more than one. So this one is shown only once it is made, as it is sent.
     */
    show(): Promise<string>;
    /** Do what a user types, one of "on", "off", "show", "about"; return what to print. @param {string} word */
    command(word: string): Promise<string>;
    #private;
}
export type Item = import("../src/survey.js").Item;
export type Survey = import("../src/survey.js").Survey;
/**
 * Wave 1 of a survey with waves begins on the day `starts` (an ISO date, UTC), and each wave lasts `days` days. A report is made at the first
 * attempt in a wave, and waits for a random time of at most `maxDelayMs` before it is sent: by default half a wave, and a
 * week at most. `folder` keeps the state, by default `$XDG_STATE_HOME/sottovoce/PROGRAM-node`, or below ~/.local/state.
 */
export type MeasureOptions = {
    program: string;
    starts?: string;
    days?: number;
    maxDelayMs?: number;
    folder?: string;
} & Pick<import("../src/options.js").Options, "maxEpsilon" | "maxPeriodEpsilon" | "periodDays" | "relayUrl" | "resendDays">;
