/** @typedef {import("./outbox.js").Kept} Kept */
/** @typedef {import("./state.js").Transaction} Transaction */
/** Keep a report that is delivered, if its page asked for that. @param {Transaction} transaction @param {Kept} report */
export function keepSent(transaction: Transaction, report: Kept): Promise<void>;
/** Count the days that have passed, and drop what has none left. @param {Transaction} transaction */
export function sweep(transaction: Transaction): Promise<void>;
/**
 * Forget reports that are kept, also those that wait again; keep none of the others that wait once it is delivered.
 * Refused ones stay, and are shown.
 * @param {Transaction} transaction @param {(report: Kept) => boolean} isMeant
 */
export function dropSent(transaction: Transaction, isMeant: (report: Kept) => boolean): Promise<void>;
export type Kept = import("./outbox.js").Kept;
export type Transaction = import("./state.js").Transaction;
