"""What axe-core finds on the survey page in every language, width, scheme and engine, by WCAG 2.2 AA: nothing.

With SOTTO_TEST_FULL all 96 of their combinations. Without it eight, in which each language, width, scheme and engine is
at least once; test_browser_axe.py has the other states of the page.
"""

import os
from collections.abc import Iterator
from decimal import Decimal
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from asked import end, publish
from chromium import read_axe
from collecting import Served, serve
from engines import ENGINES, Tab, until
from visit import FILL
from wards import ANSWERS, TEXTS, ward

WIDTHS, SCHEMES = (360, 1280), ("light", "dark")
COVERING = {
    ("chromium", "light"): [("ar", 360), ("hi", 1280), ("zh", 360)],
    ("firefox", "dark"): [("de", 360), ("fr", 1280), ("en", 360)],
    ("webkit", "light"): [("es", 1280), ("pt", 360)],
}
ALL = {(engine, scheme): list(product(TEXTS, WIDTHS)) for engine, scheme in product(ENGINES, SCHEMES)}
CHOSEN = ALL if os.environ.get("SOTTO_TEST_FULL") else COVERING
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
SHOWN = "(id) => Boolean(document.getElementById(id)?.checkVisibility())"
FIND = """async (rules) => {
  for (const part of document.querySelectorAll("details")) part.open = true;
  await Promise.allSettled(document.getAnimations().map((animation) => animation.finished));
  const { violations, passes } = await axe.run(document, { runOnly: rules, resultTypes: ["violations", "passes"] });
  const said = violations.map(({ id, nodes }) => [id, nodes.map(({ target, failureSummary: why }) => [target, why])]);
  const root = document.documentElement;
  return { said, passed: passes.map(({ id }) => id), lang: root.lang, overflow: root.scrollWidth - root.clientWidth };
}"""


class Place(NamedTuple):
    """Where the page is looked at."""

    url: str
    tab: Tab
    axe: str
    tag: str

    def check(self, state: str, *looked_for: str) -> None:
        """Hold that nothing is found on the page as it stands, every part that opens being open."""
        self.tab.run(f"() => {{ {self.axe}; }}")
        found: dict[str, Any] = self.tab.run(FIND, RULES)
        assert (state, found["said"]) == (state, [])
        assert (found["lang"], found["overflow"]) == (self.tag, 0), state
        assert {"color-contrast", "html-has-lang", *looked_for} <= set(found["passed"])


def test_the_covering_has_each_at_least_once() -> None:
    cases = [(engine, scheme, *rest) for (engine, scheme), places in COVERING.items() for rest in places]
    assert [set(each) for each in zip(*cases, strict=True)] == [set(ENGINES), set(SCHEMES), set(TEXTS), set(WIDTHS)]
    assert sum(map(len, ALL.values())) == 96


@pytest.fixture(scope="module")
def wards(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A collector of its own: its surveys take so little that one device may answer them all."""
    survey = ward("closed", closes="2099-12-31", public_results=True)
    with serve(tmp_path_factory.mktemp("wards") / "survey.db", survey=survey) as served:
        end(served, survey)
        yield served


@pytest.mark.parametrize(("engine", "scheme"), CHOSEN)
def test_nothing_is_found_in_any_language(engine: str, scheme: str, wards: Served, tmp_path: Path) -> None:
    axe = read_axe()
    with ENGINES[engine](tmp_path / "profile", scheme) as tab:
        assert tab.run("() => matchMedia('(prefers-color-scheme: dark)').matches") == (scheme == "dark")
        for tag, width in CHOSEN[engine, scheme]:
            tab.resize(width)
            survey = publish(wards, ward(f"{engine}-{scheme}-{tag}-{width}", epsilon=Decimal("0.8")))
            assert visit(Place(wards.url, tab, axe, tag), survey.id) == width


def visit(place: Place, survey_id: str) -> int:
    """Go through the states of a survey's page; return how wide it was."""
    tab, query = place.tab, f"?lang={place.tag}"
    for path in (f"nowhere{query}", f"closed{query}"):
        tab.goto(f"{place.url}/s/{path}")
        until(tab, "() => !document.getElementById('loading')")
        place.check(path)
    tab.goto(f"{place.url}/s/{survey_id}{query}")
    until(tab, "() => !document.getElementById('fields').disabled")
    place.check("questions", "target-size", "label")
    tab.click("#next-button")
    until(tab, SHOWN, "problems")
    place.check("errors")
    tab.run(FILL, ANSWERS)
    for part in (2, 3):
        tab.click("#next-button")
        until(tab, SHOWN, f"part-{part}")
    place.check("last part")
    tab.click("#review-button")
    until(tab, SHOWN, "review")
    place.check("review")
    tab.click("#send-button")
    until(tab, SHOWN, "erasure")
    place.check("receipt")
    width: int = tab.run("() => innerWidth")
    return width
