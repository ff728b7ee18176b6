/** The longest random delay before the first attempt of a report: a week. */
export const MAX_DELAY_MS: 604800000;
/** @typedef {import("./outbox.js").Waiting} Waiting */
/** @typedef {import("./state.js").Transaction} Transaction */
export class Delivery {
    /**
     * @param {Promise<import("./state.js").State>} state @param {number} timeoutMs of one exchange
     * @param {import("./callbacks.js").Callbacks} [callbacks]
     */
    constructor(state: Promise<import("./state.js").State>, timeoutMs: number, callbacks?: import("./callbacks.js").Callbacks);
    state: Promise<import("./state.js").State>;
    timeoutMs: number;
    callbacks: import("./callbacks.js").Callbacks;
    /**
     * Have the outbox looked at, and wait until what is due was attempted; `isEager` cuts back-off short, but no wait that
     * the collector asked for.
     */
    wake(isEager?: boolean): Promise<void>;
    /** Know what waits, so that it can be sent as the page closes. @param {Waiting[]} waiting */
    hold(waiting: Waiting[]): void;
    /**
     * Try at once and wait for at most so long; true when nothing waits any more.
     * @param {number} timeoutMs
     */
    flush(timeoutMs: number): Promise<boolean>;
    close(): void;
    #private;
}
export type Waiting = import("./outbox.js").Waiting;
export type Transaction = import("./state.js").Transaction;
