/**
 * Open a state, and create it where there is none. Throws StateError for one of a newer version.
 * @param {string} name @returns {Promise<State>}
 */
export function openState(name: string): Promise<State>;
export const MEMORY: ":memory:";
export type StoreName = "surveys" | "secrets" | "ledger" | "outbox";
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
     *   run a transaction: durable when the promise is kept, undone when `work` throws; `work` awaits nothing else
     */
    transact: <Result>(work: (transaction: Transaction) => Promise<Result>) => Promise<Result>;
    close: () => void;
};
