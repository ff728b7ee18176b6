/**
 * @typedef {object} Options
 * @property {string} [state] the name of the device's database; ":memory:" for a kiosk, one client for each respondent
 * @property {number | string} [maxEpsilon] the most epsilon that all versions of this survey may take, ever; in nats, default 8
 * @property {number | string} [maxPeriodEpsilon] the most epsilon that all surveys may take in `periodDays` days; default 16
 * @property {number} [periodDays] default 30
 * @property {string} [fingerprint] the only version of the survey to accept
 * @property {number} [timeoutMs] for one whole exchange with the collector, to the end of its reply; default 30,000
 * @property {string} [invitation] the respondent's invitation to an invited survey
 * @property {number} [maxDelayMs] the longest random delay before a report is first posted; default 0
 * @property {number} [resendDays] days that each report is kept after its delivery, to be sent again; default 0
 * @property {string} [relayUrl] where reports are posted in place of `url`; the collector then does not see the device's address
 * @property {(receipt: import("./ledger.js").Receipt) => unknown} [onDelivered] called with each report of this state that this
 *   page delivers
 * @property {(rejected: import("./outbox.js").Rejected) => unknown} [onRejected] called with each report that is
 *   refused for good
 */
/**
 * Return the options, with the defaults of those that were left out. Throws TypeError or RangeError, which name the
 * option and quote nothing secret.
 * @param {string} url the collector's, checked @param {Options} options
 */
export function readOptions(url: string, options: Options): {
    state: string;
    timeoutMs: number;
    posting: {
        url: string;
        maxDelayMs: number;
        resendDays: number;
    };
    limits: {
        maxEpsilon: bigint;
        maxPeriodEpsilon: bigint;
        periodDays: number;
    };
    fingerprint: string | undefined;
    invitation: string | null;
    callbacks: import("./callbacks.js").Callbacks;
};
/**
 * Return a number. Throws RangeError unless it is one in [low, high], and, with `isInteger`, an integer.
 * @param {string} name @param {number} value @param {number} low @param {number} high
 */
export function checkNumber(name: string, value: number, low: number, high: number, isInteger?: boolean): number;
export type Options = {
    /**
     * the name of the device's database; ":memory:" for a kiosk, one client for each respondent
     */
    state?: string | undefined;
    /**
     * the most epsilon that all versions of this survey may take, ever; in nats, default 8
     */
    maxEpsilon?: string | number | undefined;
    /**
     * the most epsilon that all surveys may take in `periodDays` days; default 16
     */
    maxPeriodEpsilon?: string | number | undefined;
    /**
     * default 30
     */
    periodDays?: number | undefined;
    /**
     * the only version of the survey to accept
     */
    fingerprint?: string | undefined;
    /**
     * for one whole exchange with the collector, to the end of its reply; default 30,000
     */
    timeoutMs?: number | undefined;
    /**
     * the respondent's invitation to an invited survey
     */
    invitation?: string | undefined;
    /**
     * the longest random delay before a report is first posted; default 0
     */
    maxDelayMs?: number | undefined;
    /**
     * days that each report is kept after its delivery, to be sent again; default 0
     */
    resendDays?: number | undefined;
    /**
     * where reports are posted in place of `url`; the collector then does not see the device's address
     */
    relayUrl?: string | undefined;
    /**
     * called with each report of this state that this
     * page delivers
     */
    onDelivered?: ((receipt: import("./ledger.js").Receipt) => unknown) | undefined;
    /**
     * called with each report that is
     * refused for good
     */
    onRejected?: ((rejected: import("./outbox.js").Rejected) => unknown) | undefined;
};
