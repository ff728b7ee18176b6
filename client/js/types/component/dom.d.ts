/** Elements, made one by one: whatever is said in them is a text, never HTML. */
/**
 * Return an element with attributes (true: there, false: not there) and what is in it. A text stays a text.
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name @param {{[name: string]: string | number | boolean}} attributes @param {...(Node | string)} parts
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function make<Name extends keyof HTMLElementTagNameMap>(name: Name, attributes?: {
    [name: string]: string | number | boolean;
}, ...parts: (Node | string)[]): HTMLElementTagNameMap[Name];
/**
 * Return a button that does something.
 * @param {string} words @param {string} part by which styles find it @param {() => void} press
 */
export function button(words: string, part: string, press: () => void): HTMLButtonElement;
/** Return a paragraph. @param {string} part @param {...(Node | string)} parts */
export function paragraph(part: string, ...parts: (Node | string)[]): HTMLParagraphElement;
