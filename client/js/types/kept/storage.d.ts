/** Return the name by which `openState` knows a storage. @param {Storage} storage */
export function nameOf(storage: Storage): string;
/**
 * Open the state that has this name; it is read when it is first used.
 * @param {string} name @returns {Promise<State>}
 */
export function openState(name: string): Promise<State>;
/** @implements {State} */
export class KeptState implements State {
    /** @param {Storage} storage */
    constructor(storage: Storage);
    isDurable: boolean;
    /**
     * Run a transaction after those that were asked for before. Throws StateError.
     * @template Result @param {(transaction: import("../src/state.js").Transaction) => Promise<Result>} work
     * @returns {Promise<Result>}
     */
    transact<Result>(work: (transaction: import("../src/state.js").Transaction) => Promise<Result>): Promise<Result>;
    close(): void;
    #private;
}
/**
 * What a text was when it was read: `version` is the storage's own, given back to `write`.
 */
export type Read = {
    text: string | null;
    version: number;
};
/**
 * Where one text is kept. Both functions may be called by several programs at once only if `write` compares versions.
 */
export type Storage = {
    /**
     * for messages
     */
    name: string;
    /**
     * the text that was written last; null if none was
     */
    read: () => Promise<Read>;
    /**
     * replace what was read: durable, all of it, once the
     * promise is kept. False, and nothing is written, if it was replaced since
     */
    write: (text: string, version: number) => Promise<boolean>;
};
export type State = import("../src/state.js").State;
