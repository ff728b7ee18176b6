"""What axe-core finds on a page with `<sotto-survey>`, in every language, width, scheme and engine: nothing."""

from decimal import Decimal
from pathlib import Path

import pytest

from asked import configure, end, named, publish
from axe import CHOSEN, FIREFOX_FIRST, Reader
from chromium import FIND
from collecting import Served
from component_site import asking, element, page_of
from engines import ENGINES, Tab, engines, until
from wards import ward

POLICY = "default-src * 'unsafe-inline' 'unsafe-eval' data:"
"""Of a page that lets axe-core look at it."""
NEXT = "sotto-survey >> button.primary"
SEND = "sotto-survey >> [part~=send]"
TEXT = f"(path) => ({FIND})(path)?.textContent"
IS_SHOWN = """(selector) => [...document.querySelector("sotto-survey").shadowRoot.querySelectorAll(selector)].some(
  (found) => found.checkVisibility())"""
FILL = """() => {
  for (const field of document.querySelector("sotto-survey").shadowRoot.querySelectorAll("[data-question] :enabled")) {
    if (field.matches("[type=radio], [type=checkbox]")) field.value === "1" && field.click();
    else field.value = field.matches("select") ? "1" : "12";
  }
}"""


@pytest.mark.parametrize(("engine", "scheme"), FIREFOX_FIRST)
def test_nothing_is_found_in_any_language(engine: str, scheme: str, collector: Served, tmp_path: Path) -> None:
    asked = {
        (tag, width): publish(collector, ward(f"element-{engine}-{scheme}-{tag}-{width}", epsilon=Decimal("0.3")))
        for tag, width in CHOSEN[engine, scheme]
    }
    last = publish(collector, named(f"element-{engine}-{scheme}"))
    pages = {
        f"/{survey.id}.html": page_of(element(collector.url, survey), POLICY, lang=tag)
        for (tag, _), survey in [*asked.items(), (("en", 0), last)]
    }
    with asking(pages) as site, ENGINES[engine](tmp_path / "profile", scheme) as tab:
        for survey in (*asked.values(), last):
            configure(collector, survey, cors_origins=[site])
        for (tag, width), survey in asked.items():
            tab.resize(width)
            tab.goto(f"{site}/{survey.id}.html")
            answer(Reader(tab, tag))
        tab.goto(f"{site}/{last.id}.html")
        until(tab, IS_SHOWN, "[data-question]")
        end(collector, last)
        be_refused(Reader(tab, "en"))


def answer(reader: Reader) -> None:
    """Go through the states of a survey that is answered, delivered, and then asked where it may not be."""
    tab = reader.tab
    until(tab, IS_SHOWN, f"[lang={reader.tag}] [data-question]")
    reader.check("form", "label", "select-name", "summary-name", "button-name", "target-size")
    tab.click(NEXT)
    until(tab, IS_SHOWN, ".problems")
    reader.check("problems")
    review(tab, n_parts=3)
    reader.check("review")
    tab.click(SEND)
    until(tab, IS_SHOWN, "[part=receipt-code]")
    reader.check("receipt")
    tab.run("() => document.querySelector('sotto-survey').setAttribute('max-epsilon', '0.1')")
    until(tab, IS_SHOWN, "[role=alert]")
    reader.check("a fault")


def be_refused(reader: Reader) -> None:
    """Answer a survey in one part that has ended meanwhile."""
    review(reader.tab, n_parts=1)
    reader.tab.click(SEND)
    until(reader.tab, f"() => ({TEXT})('sotto-survey >> [part=delivery]') === \"Your report wasn't accepted.\"")
    reader.check("refused")


def review(tab: Tab, n_parts: int) -> None:
    """Answer all, and go on to what will be sent."""
    tab.run(FILL)
    for _ in range(n_parts):
        tab.click(NEXT)
    until(tab, IS_SHOWN, "dd.sent")


@pytest.mark.parametrize("engine", engines("webkit"))
def test_a_fault_within_the_element_is_found(engine: str, collector: Served, tmp_path: Path) -> None:
    survey = publish(collector, named(f"element-fault-{engine}"))
    pages = {"/index.html": page_of(element(collector.url, survey), POLICY)}
    with asking(pages) as site, ENGINES[engine](tmp_path / "profile") as tab:
        configure(collector, survey, cors_origins=[site])
        tab.goto(f"{site}/index.html")
        until(tab, IS_SHOWN, "[data-question]")
        tab.run("() => document.querySelector('sotto-survey').shadowRoot.append(document.createElement('input'))")
        with pytest.raises(AssertionError, match="label"):
            Reader(tab, "en").check("an input without a name")
