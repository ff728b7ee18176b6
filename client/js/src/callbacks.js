/** What an app is told of its reports: by functions of its own, as each is delivered, or refused for good. */

/** @typedef {import("./ledger.js").Receipt} Receipt */
/** @typedef {import("./outbox.js").Rejected} Rejected */
/** @typedef {{onDelivered?: (receipt: Receipt) => unknown, onRejected?: (rejected: Rejected) => unknown}} Callbacks */
/** @typedef {{delivered: Receipt} | {rejected: Rejected}} Outcome what came of a report, for good */

/** Throw TypeError for a callback that is no function. @param {Callbacks} callbacks */
export function checkCallbacks(callbacks) {
  for (const [name, callback] of Object.entries(callbacks)) {
    if (callback !== undefined && typeof callback !== "function") throw new TypeError(`${name} must be a function.`);
  }
  return callbacks;
}

/**
 * Call the function that goes with an outcome. What it throws, or rejects with, is logged by its kind alone, and goes no
 * further; nobody waits for what it returns.
 * @param {Callbacks} callbacks @param {Outcome} outcome
 */
export async function tell({ onDelivered, onRejected }, outcome) {
  const isDelivered = "delivered" in outcome;
  try {
    await (isDelivered ? onDelivered?.(outcome.delivered) : onRejected?.(outcome.rejected));
  } catch (fault) {
    const kind = fault instanceof Error ? fault.constructor.name : typeof fault;
    console.warn(`sottovoce: ${isDelivered ? "onDelivered" : "onRejected"} threw (${kind}); delivery goes on.`);
  }
}
