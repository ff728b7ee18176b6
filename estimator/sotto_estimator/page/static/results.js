// Keeps the results fresh while they are looked at: the page is fetched anew, and what has changed takes its place.

import { t, writeDays } from "../language.js";

const EVERY_MS = 30_000;
const news = document.getElementById("news");
const FAILED = t("The page could not load the latest results. What you see may be old.");
let askedAt = Date.now();
let isAsking = false;
let isOver = false;
const timer = setInterval(refresh, EVERY_MS);

document.addEventListener("visibilitychange", () => {
  if (Date.now() - askedAt >= EVERY_MS) refresh();
});

async function refresh() {
  if (document.visibilityState !== "visible" || isAsking || isOver || isSelecting() || isTyping()) return;
  isAsking = true;
  askedAt = Date.now();
  try {
    const fresh = await ask();
    if (news.textContent === FAILED) say("");
    if (fresh) show(fresh);
  } catch {
    say(FAILED);
  } finally {
    isAsking = false;
  }
}

/** Return the results as they are now; null where they have not changed, or are shown no longer. */
async function ask() {
  // With the first header no sign-in is asked for behind the reader's back; by the second what is the same is not sent.
  const headers = { "X-Requested-With": "results.js", "If-None-Match": `"${shown().dataset.tag}"` };
  // Not location.href: it may hold a name and a password, which fetch refuses.
  const response = await fetch(location.origin + location.pathname + location.search, { headers, cache: "no-store" });
  if (response.status === 304) return null;
  if ([401, 403, 404, 410].includes(response.status)) {
    isOver = true;
    clearInterval(timer);
    say(
      isOfLink()
        ? t("The results are no longer shown here. Please open your link again, or ask the people who gave it to you.")
        : t("The results are no longer shown here. Reload the page to sign in again."),
    );
    return null;
  }
  if (!response.ok) throw new Error(String(response.status));
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  return page.getElementById("results");
}

/** Whether the page is that of a share link, whose readers have no password. */
function isOfLink() {
  return location.pathname.includes("/shared/");
}

/** Put fresh results in the place of the old ones; focus, what is open and how far it is scrolled stay. */
function show(fresh) {
  const old = shown();
  const focused = old.contains(document.activeElement) ? document.activeElement.id : "";
  for (const open of old.querySelectorAll("details[open]")) fresh.querySelector(`#${open.id}`)?.setAttribute("open", "");
  const across = [...old.querySelectorAll(".scroll")].map((box) => [box.id, box.scrollLeft]);
  document.adoptNode(fresh);
  writeDays(fresh);
  old.replaceWith(fresh);
  for (const [id, left] of across) document.getElementById(id)?.scrollTo({ left });
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
  if (fresh.dataset.n !== old.dataset.n) {
    const n = Number(fresh.dataset.n);
    say(t.n("Now %(n)s report.", "Now %(n)s reports.", n));
  }
}

/** Whether texts to look for are typed, or were found: they are nowhere else. */
function isTyping() {
  return [...shown().querySelectorAll("textarea")].some((field) => field.value !== "");
}

/** Say it, to screen readers too when they are idle; not twice. */
function say(text) {
  if (news.textContent !== text) news.textContent = text;
}

function shown() {
  return document.getElementById("results");
}

/** Whether the reader is marking something: it would be lost. */
function isSelecting() {
  const selection = getSelection();
  return selection !== null && !selection.isCollapsed && shown().contains(selection.anchorNode);
}
