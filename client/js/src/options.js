/** The options of a client, checked once. */

import { checkCallbacks } from "./callbacks.js";
import { MAX_DELAY_MS } from "./delivery.js";
import { checkUrl } from "./exchange.js";
import { parseInvitation } from "./invitation.js";
import { readLimit } from "./ledger.js";
import { HASH_EXPECTED, isHash } from "./survey.js";

const MAX_RESEND_DAYS = 365;

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
export function readOptions(url, options) {
  const {
    state = "sottovoce",
    timeoutMs = 30_000,
    maxDelayMs = 0,
    resendDays = 0,
    relayUrl = url,
    ...others
  } = options;
  const { maxEpsilon = 8, maxPeriodEpsilon = 16, periodDays = 30, fingerprint, invitation, ...rest } = others;
  const { onDelivered, onRejected, ...unknown } = rest;
  for (const name of Object.keys(unknown)) throw new TypeError(`options has no member '${name}'.`);
  const postUrl = checkUrl(relayUrl, "relayUrl");
  if (typeof state !== "string" || state === "") throw new TypeError("state must be a text that is not empty.");
  checkNumber("timeoutMs", timeoutMs, 1, MAX_DELAY_MS);
  checkNumber("maxDelayMs", maxDelayMs, 0, MAX_DELAY_MS);
  const limits = {
    maxEpsilon: readLimit("maxEpsilon", maxEpsilon),
    maxPeriodEpsilon: readLimit("maxPeriodEpsilon", maxPeriodEpsilon),
    periodDays: checkNumber("periodDays", periodDays, 1, 36_500, true),
  };
  const posting = {
    url: postUrl,
    maxDelayMs,
    resendDays: checkNumber("resendDays", resendDays, 0, MAX_RESEND_DAYS, true),
  };
  if (fingerprint !== undefined && !isHash(fingerprint)) {
    throw new RangeError(`fingerprint must be ${HASH_EXPECTED}.`);
  }
  const code = invitation === undefined ? null : parseInvitation(invitation);
  const callbacks = checkCallbacks({ onDelivered, onRejected });
  return { state, timeoutMs, posting, limits, fingerprint, invitation: code, callbacks };
}

/**
 * Return a number. Throws RangeError unless it is one in [low, high], and, with `isInteger`, an integer.
 * @param {string} name @param {number} value @param {number} low @param {number} high
 */
export function checkNumber(name, value, low, high, isInteger = false) {
  if (typeof value !== "number" || !(value >= low && value <= high) || (isInteger && value % 1)) {
    throw new RangeError(`${name} must be ${isInteger ? "an integer" : "a number"} in [${low}, ${high}].`);
  }
  return value;
}
