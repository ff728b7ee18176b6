/**
 * Open a state, and create it where there is none.
 *
 * Only where the browser is known to store nothing the page's memory takes its place. Whatever else keeps a database from
 * being opened may pass, and what is in it be needed again: then every use throws StateError until it opens.
 * @param {string} name @returns {Promise<State>}
 */
export function openState(name: string): Promise<State>;
export const VERSION: 5;
/** Every store's key, an array of the members that name a record. @type {{[store: string]: string[]}} */
export const KEYS: {
    [store: string]: string[];
};
export const MEMORY: ":memory:";
/** @implements {State} */
export class MemoryState implements State {
    isDurable: boolean;
    /** @template Result @param {(transaction: Transaction) => Promise<Result>} work @returns {Promise<Result>} */
    transact<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result>;
    close(): void;
    #private;
}
export type StoreName = "surveys" | "secrets" | "ledger" | "outbox" | "draws" | "sent" | "gateways";
export type Transaction = {
    /**
     * undefined where there is none
     */
    get: (store: StoreName, ...key: (string | number)[]) => Promise<any>;
    /**
     * in order of the key
     */
    all: (store: StoreName) => Promise<any[]>;
    put: (store: StoreName, record: object) => Promise<unknown>;
    delete: (store: StoreName, ...key: (string | number)[]) => Promise<unknown>;
};
export type State = {
    /**
     * whether it outlives the page
     */
    isDurable: boolean;
    /**
     *   run a transaction: durable when the promise is kept, undone when `work` throws; `work` awaits and changes nothing
     *   else, for it may be run again
     */
    transact: <Result>(work: (transaction: Transaction) => Promise<Result>) => Promise<Result>;
    close: () => void;
};
