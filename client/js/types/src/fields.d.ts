/**
 * Have no service of the browser send away what an element shows, or what is typed into it, and no script that records
 * visits see it. Return the element.
 * @template {Element} Shown @param {Shown} element a field, or what shows an answer, a receipt, an invitation
 * @returns {Shown}
 */
export function keepToItself<Shown extends Element>(element: Shown): Shown;
/** Have no script that records visits see an element. @template {Element} Shown @param {Shown} element @returns {Shown} */
export function mask<Shown extends Element>(element: Shown): Shown;
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
export function keepOffDisk(root: Element, isWhole?: boolean): () => void;
