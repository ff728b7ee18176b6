/** Leaving the page: the browser asks before, as long as something would be lost with it. */

/** Whatever has a report that nothing else has yet. @type {Set<unknown>} */
const holders = new Set();

/** Have the browser ask before the page is left, from now on or, for this holder, no more. @param {unknown} holder */
export function holdPage(holder, isHeld = true) {
  holders[isHeld ? "add" : "delete"](holder);
  globalThis[holders.size ? "addEventListener" : "removeEventListener"]("beforeunload", ask);
}

function ask(/** @type {BeforeUnloadEvent} */ event) {
  event.returnValue = true; // `preventDefault` does nothing in browsers of before 2023
}
