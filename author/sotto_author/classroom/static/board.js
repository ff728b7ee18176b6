// Keeps the board fresh: the page is fetched anew, and what has changed takes its place.

const EVERY_MS = 1000;
const stale = document.getElementById("stale");

async function refresh() {
  try {
    const response = await fetch(location.pathname + location.search, { cache: "no-store" });
    if (!response.ok) throw new Error(String(response.status));
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    for (const id of ["count", "range"]) {
      const [old, fresh] = [document.getElementById(id), page.getElementById(id)];
      if (old.innerHTML !== fresh.innerHTML) old.replaceChildren(...document.adoptNode(fresh).childNodes);
    }
    stale.hidden = true;
  } catch {
    stale.hidden = false;
  }
  setTimeout(refresh, EVERY_MS);
}

setTimeout(refresh, EVERY_MS);
