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
export function keepOffDisk(root: Element): () => void;
