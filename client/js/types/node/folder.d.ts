/** The folder below which states are: `$XDG_STATE_HOME/sottovoce`, by default under `~/.local/state`. */
export function homeOfStates(): string;
/** @typedef {import("../kept/storage.js").Storage} Storage */
/** @implements {Storage} */
export class Folder implements Storage {
    /** @param {string} [path] by default the user's, whose parents are made */
    constructor(path?: string);
    name: string;
    /** @returns {Promise<import("../kept/storage.js").Read>} */
    read(): Promise<import("../kept/storage.js").Read>;
    /** @param {string} text @param {number} version */
    write(text: string, version: number): Promise<boolean>;
    #private;
}
export type Storage = import("../kept/storage.js").Storage;
