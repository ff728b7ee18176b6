// Where this page is: the collector that served it also serves the client, and the page in other languages.
// In a page of one file, place-single.js stands in for this one.

const CLIENT = new URL("../js/sottovoce.min.js", import.meta.url).href;

export const COLLECTOR = new URL("..", import.meta.url).href.replace(/\/$/, "");

/** Load the client's module. */
export const loadClient = () => import(CLIENT);

/** The page in the language to begin with, where that is another one than this; the collector has chosen it. */
export const firstPage = () => null;

/** Fetch the page in another language, from its address. */
export async function fetchPage(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(answer.statusText);
  return new DOMParser().parseFromString(await answer.text(), "text/html");
}
