/** Elements, made one by one: whatever is said in them is a text, never HTML. */

/**
 * Return an element with attributes (true: there, false: not there) and what is in it. A text stays a text.
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name @param {{[name: string]: string | number | boolean}} attributes @param {...(Node | string)} parts
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function make(name, attributes = {}, ...parts) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== false) element.setAttribute(key, value === true ? "" : String(value));
  }
  element.append(...parts);
  return element;
}

/**
 * Return a button that does something.
 * @param {string} words @param {string} part by which styles find it @param {() => void} press
 */
export function button(words, part, press) {
  const made = make("button", { type: "button", part: `button ${part}`, class: part }, words);
  made.addEventListener("click", press);
  return made;
}

/** Return a paragraph. @param {string} part @param {...(Node | string)} parts */
export function paragraph(part, ...parts) {
  return make("p", { part, class: part }, ...parts);
}
