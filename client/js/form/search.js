/** A field that shortens a long list to what is typed in it. What is typed there is as private as the answer. */

import { keepToItself } from "../src/fields.js";

/** @typedef {import("./words.js").Translate} Translate */
/** @typedef {{element: HTMLElement, clear: () => void}} Search what stands above the list, and what shows all of it again */

/** With more options than this a list, or boxes, can be searched. */
const MANY = 24;
const MARKS = /[\u0300-\u036f\u064b-\u065f]/g; // accents, and Arabic vowels, which people leave out

/**
 * Return what shortens a list, or boxes, to the options whose words have what is typed; null where there are few. What
 * is chosen stays in sight, so that nothing is chosen or dropped by a search.
 * @param {Translate} t @param {HTMLElement} place a `select`, whose first option stands for none, or what holds the boxes
 * @param {string} key begins the field's id @returns {Search | null}
 */
export function searchIn(t, place, key) {
  const list = place instanceof HTMLSelectElement ? place : null;
  const all = /** @type {HTMLElement[]} */ ([...place.children].slice(list ? 1 : 0));
  if (all.length <= MANY) return null;
  const words = all.map((each) => fold(each.textContent));
  const label = make("label", { htmlFor: `${key}-search`, textContent: t("Find an option") });
  const field = make("input", { type: "search", id: `${key}-search`, autocomplete: "off" });
  const said = make("span", { className: "hint", role: "status" });
  const isIn = (/** @type {number} */ index) => words[index].includes(fold(field.value));
  const narrow = () => {
    const chosen = list?.selectedOptions[0]; // an option that was taken out of a list may say of itself that it is
    const shown = all.filter((each, index) => isIn(index) || each === chosen || isTicked(each));
    if (list) {
      const { value } = list;
      list.replaceChildren(list.options[0], ...shown);
      list.value = value;
    } else for (const each of all) each.hidden = !shown.includes(each);
    const counted = { n: all.filter((_, index) => isIn(index)).length, all: all.length };
    said.textContent = field.value.trim() ? t("%(n)s of %(all)s", counted) : "";
  };
  field.addEventListener("input", narrow);
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault(); // it would go on to the next part
    const [first, ...others] = all.filter((_, index) => isIn(index));
    if (first && others.length === 0) choose(first);
    /** @type {HTMLElement | null} */ (list ?? first?.querySelector("input"))?.focus();
  });
  const element = make("div", { className: "search" });
  element.append(label, keepToItself(field), keepToItself(said));
  const clear = () => {
    field.value = "";
    narrow();
  };
  return { element, clear };
}

/** Words as they are compared: without case, accents, and blanks around them. */
function fold(/** @type {string | null} */ words) {
  return String(words).normalize("NFKD").replace(MARKS, "").toLowerCase().trim();
}

function isTicked(/** @type {HTMLElement} */ item) {
  return item.querySelector("input:checked") !== null;
}

/** Choose the only option that is left, as a press of it would. */
function choose(/** @type {HTMLElement} */ item) {
  if (!(item instanceof HTMLOptionElement)) return isTicked(item) || item.click();
  item.selected = true;
  for (const kind of ["input", "change"]) item.closest("select")?.dispatchEvent(new Event(kind, { bubbles: true }));
}

/**
 * @template {keyof HTMLElementTagNameMap} Name @param {Name} name @param {{[member: string]: string}} members
 * @returns {HTMLElementTagNameMap[Name]}
 */
function make(name, members) {
  return Object.assign(document.createElement(name), members);
}
