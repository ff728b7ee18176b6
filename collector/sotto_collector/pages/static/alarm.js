// What went wrong with the page as a whole, where everybody hears of it.

import { t } from "./language.js";

/** Show a fault, and a button that tries again where that may help; without arguments show nothing. */
export function alarm(fault = null, again = null) {
  const parts = fault ? [write("strong", fault.title), write("p", fault.text)] : [];
  if (fault?.said) parts.push(ofClient(fault.said));
  if (fault?.mayPass && again) {
    const button = write("button", t("Try again"));
    button.type = "button";
    button.addEventListener("click", again);
    parts.push(button);
  }
  const region = document.getElementById("alert");
  region.replaceChildren(...parts);
  if (fault) region.scrollIntoView({ block: "nearest" });
}

/** What the client says of it, which is English: for whoever runs the survey. */
function ofClient(said) {
  const element = write("p", said);
  Object.assign(element, { className: "small", lang: "en", dir: "ltr" });
  return element;
}

function write(name, text) {
  const element = document.createElement(name);
  element.textContent = text;
  return element;
}
