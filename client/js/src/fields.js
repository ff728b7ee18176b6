/** A page's fields, and what browsers write of them to the disk: for the next start, for "back", for filling forms in. */

const FIELDS = "input, select, textarea";
const BUTTONS = /^(submit|image|button|reset)$/; // hold no answer
const OWNER = "sotto-fields";

/**
 * Have browsers write nothing to the disk of what is answered in the fields of a part of a page, and of what is put into
 * it later. Return what ends that for fields that come then.
 *
 * A field is left out where it and its form say autocomplete="off": WebKit heeds the form alone for lists and areas, and
 * Firefox for radio buttons and boxes; for lists and areas Firefox heeds the field alone. A field outside of any form is
 * given an empty one, which sends nothing.
 * @param {Element} root
 * @returns {() => void}
 */
export function keepOffDisk(root) {
  const guard = () => {
    for (const field of root.querySelectorAll(FIELDS)) guardField(/** @type {HTMLInputElement} */ (field));
  };
  guard();
  const observer = new MutationObserver(guard);
  observer.observe(root, { attributeFilter: ["autocomplete", "form"], childList: true, subtree: true });
  return () => observer.disconnect();
}

/** @param {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} field */
function guardField(field) {
  if (BUTTONS.test(field.type)) return;
  if (field.form === null) setOnce(field, "form", ownerIn(field.ownerDocument).id);
  setOnce(field, "autocomplete", "off");
  if (field.form !== null) setOnce(field.form, "autocomplete", "off");
}

/** Set an attribute where it is another: the observer hears of each that is set. */
function setOnce(/** @type {Element} */ element, /** @type {string} */ name, /** @type {string} */ value) {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

/** @param {Document} page @returns {Element} the form of fields that have none */
function ownerIn(page) {
  const found = page.getElementById(OWNER);
  if (found !== null) return found;
  const form = page.body.appendChild(page.createElement("form"));
  Object.assign(form, { id: OWNER, autocomplete: "off", method: "dialog", noValidate: true });
  form.addEventListener("submit", (event) => event.preventDefault()); // browsers without <dialog> would go to "?answer"
  return form;
}
