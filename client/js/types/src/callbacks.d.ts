/** What an app is told of its reports: by functions of its own, as each is delivered, or refused for good. */
/** @typedef {import("./ledger.js").Receipt} Receipt */
/** @typedef {import("./outbox.js").Rejected} Rejected */
/** @typedef {{onDelivered?: (receipt: Receipt) => unknown, onRejected?: (rejected: Rejected) => unknown}} Callbacks */
/** @typedef {{delivered: Receipt} | {rejected: Rejected}} Outcome what came of a report, for good */
/** Throw TypeError for a callback that is no function. @param {Callbacks} callbacks */
export function checkCallbacks(callbacks: Callbacks): Callbacks;
/**
 * Call the function that goes with an outcome. What it throws, or rejects with, is logged by its kind alone, and goes no
 * further; nobody waits for what it returns.
 * @param {Callbacks} callbacks @param {Outcome} outcome
 */
export function tell({ onDelivered, onRejected }: Callbacks, outcome: Outcome): Promise<void>;
export type Receipt = import("./ledger.js").Receipt;
export type Rejected = import("./outbox.js").Rejected;
export type Callbacks = {
    onDelivered?: (receipt: Receipt) => unknown;
    onRejected?: (rejected: Rejected) => unknown;
};
/**
 * what came of a report, for good
 */
export type Outcome = {
    delivered: Receipt;
} | {
    rejected: Rejected;
};
