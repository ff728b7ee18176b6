/** Where the words of each language are: bundlers follow these imports. Written by scripts/catalogues. */
/** @type {{[lang: string]: () => Promise<{default: import("../form/words.js").Messages}>}} */
export const MODULES: {
    [lang: string]: () => Promise<{
        default: import("../form/words.js").Messages;
    }>;
};
