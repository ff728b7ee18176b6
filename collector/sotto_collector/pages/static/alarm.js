// What went wrong with the page as a whole, where everybody hears of it.

import { t } from "./language.js";

/** Show a title, a text, and a button that tries again where that may help; without arguments show nothing. */
export function alarm([title, text, mayPass] = [], again = null) {
  const parts = title ? [write("strong", title), write("p", text)] : [];
  if (mayPass && again) {
    const button = write("button", t("Try again"));
    button.type = "button";
    button.addEventListener("click", again);
    parts.push(button);
  }
  const region = document.getElementById("alert");
  region.replaceChildren(...parts);
  if (title) region.scrollIntoView({ block: "nearest" });
}

function write(name, text) {
  const element = document.createElement(name);
  element.textContent = text;
  return element;
}
