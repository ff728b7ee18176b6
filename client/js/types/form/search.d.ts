/**
 * Return what shortens a list, or boxes, to the options whose words have what is typed; null where there are few. What
 * is chosen stays in sight, so that nothing is chosen or dropped by a search.
 * @param {Translate} t @param {HTMLElement} place a `select`, whose first option stands for none, or what holds the boxes
 * @param {string} key begins the field's id @returns {Search | null}
 */
export function searchIn(t: Translate, place: HTMLElement, key: string): Search | null;
export type Translate = import("./words.js").Translate;
/**
 * what stands above the list, and what shows all of it again
 */
export type Search = {
    element: HTMLElement;
    clear: () => void;
};
