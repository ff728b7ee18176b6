"""What browsers' own services, and scripts that record visits, are told to leave alone: in each way to ask."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from asked import HABITS
from asking_pages import AskingPage, serve_pages
from collecting import serve
from engines import ENGINES, engines

UNSPOKEN = {
    "spellcheck": "false",
    "writingsuggestions": "false",
    "autocorrect": "off",
    "autocapitalize": "off",
    "translate": "no",
    "data-gramm": "false",
    "data-enable-grammarly": "false",
}
"""What keeps a text from services that post it: to spell it, to finish it, to translate it."""
MASKS = {
    "data-hj-suppress": "",
    "data-sentry-mask": "",
    "data-private": "",
    "data-clarity-mask": "true",
    "data-dd-privacy": "mask",
}
CLASSES = ["ph-no-capture", "fs-exclude", "rr-mask", "rr-ignore"]
"""With MASKS what keeps an element from scripts that record visits."""
WALK = """(unspoken, masks, classes, words) => {  // what is unguarded, and how much was looked at
  const fields = [], shown = [], pressed = [], bare = [];
  const lacks = (element, values) => Object.entries(values).filter(([name, value]) =>
    element.closest(`[${name}]`)?.getAttribute(name) !== value).map(([name]) => name);
  const unmasked = (element) => [...lacks(element, masks), ...classes.filter((name) => !element.closest(`.${name}`))];
  const look = (element, kind, wrong) => {
    kind.push(element);
    if (wrong.length) bare.push(`${element.outerHTML.slice(0, 90)}: ${wrong.join(" ")}`);
  };
  const SHOWS = `td.answered, td.sent, .comfort, dd.answered, dd.sent, pre, tbody td, #receipt-code,
    [part=receipt-code], .error, .problems, #problems, #progress, [role=listbox], .sd-dropdown__hint-suffix,
    .sd-tagbox-item`;
  const walk = (root) => {
    for (const element of root.querySelectorAll("*")) {
      if (element.shadowRoot) walk(element.shadowRoot);
      const isField = element.matches("input:not([type=submit], [type=button]), select, textarea, [contenteditable]");
      if (isField) {
        const own = Object.keys({ ...unspoken, ...masks }).filter((name) => !element.hasAttribute(name));
        const isOff = element.matches("[contenteditable]") || element.getAttribute("autocomplete") === "off";
        const off = isOff ? [] : ["autocomplete"];
        const felt = [element.spellcheck && "spell", element.translate && "translates"].filter(Boolean);
        look(element, fields, [...own, ...off, ...felt, ...lacks(element, unspoken), ...unmasked(element)]);
        const isPressed = element.matches("[type=radio], [type=checkbox]"); // the label of a text says what is asked
        const labels = isPressed ? [...element.labels] : [element.closest("label")].filter(Boolean);
        for (const label of labels) look(label, pressed, unmasked(label));
      }
      const says = [...element.childNodes].some((node) => node.nodeType === 3 && words.some(
        (word) => node.data.includes(word)));
      const isPublic = element.matches("script, style, option, label, label *, legend, legend *, table.suspicions *");
      if ((element.matches(SHOWS) || says) && !isPublic && !element.closest("table.suspicions"))
        look(element, shown, [...lacks(element, unspoken), element.translate && "translates",
          ...unmasked(element)].filter(Boolean));
    }
  };
  walk(document);
  return { bare, nFields: fields.length, nShown: shown.length, nPressed: pressed.length };
}"""


N_FIELDS = 5
"""Every page has so many at least, and shows so much."""


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[AskingPage]]:
    """Pages that ask, and a collector of their own."""
    folder = tmp_path_factory.mktemp("pages")
    with serve(folder / "survey.db", survey=HABITS) as collector, serve_pages(collector, folder) as served:
        yield served


@pytest.mark.parametrize("engine", engines("chromium"))
def test_no_service_is_given_what_is_typed_or_shown(engine: str, pages: list[AskingPage], tmp_path: Path) -> None:
    """From the first field to the receipt: on the survey page, in the element, in a SurveyJS form, in the examples."""
    with ENGINES[engine](tmp_path / "profile") as tab:
        for page in pages:
            page.answer(tab)
            looks = [*page.looks(tab, partial(tab.run, WALK, UNSPOKEN, MASKS, CLASSES, page.words()))]
            assert {fault for look in looks for fault in look["bare"]} == set(), page.url
            n_fields, n_labels, n_shown = (
                max(look[kind] for look in looks) for kind in ("nFields", "nPressed", "nShown")
            )
            assert n_fields >= N_FIELDS, page.url
            if len(page.sending) > 1:  # what will be sent is shown before
                assert min(n_labels, n_shown) >= N_FIELDS, page.url
