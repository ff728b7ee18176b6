/**
 * What shows an answer keeps it to itself: browsers write it to no disk, have nobody spell or translate it, and scripts
 * that record visits do not see it.
 */

/** Keeps what is typed from the services of browsers that post it, to spell it, to finish it, to translate it. */
const UNSPOKEN = {
  spellcheck: "false", // Chrome's enhanced spell check and Edge's Editor
  writingsuggestions: "false",
  autocorrect: "off",
  autocapitalize: "off",
  translate: "no",
  "data-gramm": "false", // Grammarly, of before 2021 and since
  "data-enable-grammarly": "false",
};
/** Masks for what records visits: Hotjar, Sentry, LogRocket, Clarity, Datadog. */
const MASKS = {
  "data-hj-suppress": "",
  "data-sentry-mask": "",
  "data-private": "",
  "data-clarity-mask": "true",
  "data-dd-privacy": "mask",
};
const MASK_CLASSES = ["ph-no-capture", "fs-exclude", "rr-mask", "rr-ignore"]; // PostHog, FullStory, rrweb
const WATCHED = ["autocomplete", "form", "class", ...Object.keys({ ...UNSPOKEN, ...MASKS })];
const FIELDS = "input, select, textarea";
const BUTTONS = /^(submit|image|button|reset)$/; // hold no answer
const OWNER = "sotto-fields";

/**
 * Have no service of the browser send away what an element shows, or what is typed into it, and no script that records
 * visits see it. Return the element.
 * @template {Element} Shown @param {Shown} element a field, or what shows an answer, a receipt, an invitation
 * @returns {Shown}
 */
export function keepToItself(element) {
  setAll(element, UNSPOKEN);
  if (!element.classList.contains("notranslate")) element.classList.add("notranslate");
  return mask(element);
}

/** Have no script that records visits see an element. @template {Element} Shown @param {Shown} element @returns {Shown} */
export function mask(element) {
  setAll(element, MASKS);
  for (const name of MASK_CLASSES) if (!element.classList.contains(name)) element.classList.add(name);
  return element;
}

/**
 * Have browsers write nothing to the disk of what is answered in the fields of a part of a page, and of what is put into
 * it later, and send none of it to services of theirs (see `keepToItself`). Return what ends that for fields that come then.
 *
 * A field is left out where it and its form say autocomplete="off": WebKit heeds the form alone for lists and areas, and
 * Firefox for radio buttons and boxes; for lists and areas Firefox heeds the field alone. A field outside of any form is
 * given an empty one, which sends nothing.
 * @param {Element} root @param {boolean} [isWhole] keep all of it to itself: for where any of its texts may show an answer
 * @returns {() => void}
 */
export function keepOffDisk(root, isWhole = false) {
  const guard = () => {
    if (isWhole) keepToItself(root);
    for (const area of root.querySelectorAll("[contenteditable]")) keepToItself(area);
    for (const field of root.querySelectorAll(FIELDS)) guardField(/** @type {HTMLInputElement} */ (field));
    const page = /** @type {Document} */ (root.getRootNode());
    for (const label of page.querySelectorAll("label")) if (root.contains(label.control)) mask(label); // what is pressed
  };
  guard();
  const observer = new MutationObserver(guard);
  observer.observe(root, { attributeFilter: WATCHED, childList: true, subtree: true });
  return () => observer.disconnect();
}

/** @param {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} field */
function guardField(field) {
  if (BUTTONS.test(field.type)) return;
  keepToItself(field);
  if (field.form === null) setOnce(field, "form", ownerIn(field.ownerDocument).id);
  setOnce(field, "autocomplete", "off");
  if (field.form !== null) setOnce(field.form, "autocomplete", "off");
}

function setAll(/** @type {Element} */ element, /** @type {{[name: string]: string}} */ values) {
  for (const [name, value] of Object.entries(values)) setOnce(element, name, value);
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
