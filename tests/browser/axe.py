"""axe-core in every engine: in which languages, widths and schemes pages are looked at, and that nothing is found.

With SOTTO_TEST_FULL all 156 of their combinations. Without it three, in which each engine, scheme, width and direction
is at least once, and the languages whose letters or words are unlike the others'.
"""

import os
from itertools import product
from typing import Any, NamedTuple

from cases import rare
from chromium import SETTLE, read_axe
from engines import ENGINES, Tab
from wards import TEXTS

WIDTHS, SCHEMES = (360, 1280), ("light", "dark")
COVERING = {
    ("chromium", "light"): [("ar", 360)],
    ("firefox", "dark"): [("zh", 1280)],
    ("webkit", "light"): [("de", 360)],
}
"""The languages and widths, by engine and scheme: each pair is a browser that is started."""
ALL = {(engine, scheme): list(product(TEXTS, WIDTHS)) for engine, scheme in product(ENGINES, SCHEMES)}
CHOSEN = ALL if os.environ.get("SOTTO_TEST_FULL") else COVERING
FIREFOX_FIRST = [pair if "firefox" in pair else rare(*pair) for pair in CHOSEN]
"""The same, of which all but Firefox, which is dark, wait for a release."""
_RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
_FIND = (
    f"""async (rules) => {{ {SETTLE};"""
    + """
  const hosts = [...document.querySelectorAll("sotto-survey")];
  for (const root of [document, ...hosts.map(({ shadowRoot }) => shadowRoot)]) {
    for (const part of root.querySelectorAll("details")) part.open = true;
    await settle(root);
  }
  const { violations, passes } = await axe.run(document, { runOnly: rules, resultTypes: ["violations", "passes"] });
  const said = violations.map(({ id, nodes }) => [id, nodes.map(({ target, failureSummary: why }) => [target, why])]);
  const root = document.documentElement;
  const overflow = root.scrollWidth - root.clientWidth;
  const ends = ({ right, left }) => Math.max(right - root.clientWidth, -left);
  const wide = [...document.body.querySelectorAll("*")].filter((each) => ends(each.getBoundingClientRect()) > 0);
  const widest = overflow ? wide.slice(-3).map(({ outerHTML }) => outerHTML.slice(0, 200)) : [];
  return { said, passed: passes.map(({ id }) => id), lang: root.lang, overflow, widest };
}"""
)


class Reader(NamedTuple):
    """Who looks at pages in a tab, in a language."""

    tab: Tab
    tag: str

    def check(self, state: str, *looked_for: str) -> None:
        """Hold that nothing is found on the page as it stands, every part that opens being open.

        Nor is it wider than the tab. `looked_for`: rules that must have had something to look at.
        """
        if not self.tab.run("() => 'axe' in globalThis"):
            self.tab.run(f"() => {{ {read_axe()}; }}")
        found: dict[str, Any] = self.tab.run(_FIND, _RULES)
        assert not found["said"], f"{state}: {found['said']}"
        assert found["lang"] == self.tag, f"{state}: {found['lang']}"
        assert found["overflow"] == 0, f"{state}: {found['overflow']} pixels too wide: {found['widest']}"
        missing = {"color-contrast", "html-has-lang", *looked_for} - set(found["passed"])
        assert not missing, f"{state}: nothing to look at for {missing}"
