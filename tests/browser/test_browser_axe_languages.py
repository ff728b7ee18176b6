"""What axe-core finds on the survey page in every language, width, scheme and engine, by WCAG 2.2 AA: nothing.

test_browser_axe.py has the other states of the page.
"""

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from asked import end, publish
from axe import ALL, CHOSEN, COVERING, SCHEMES, WIDTHS, Reader
from collecting import Served, serve
from engines import ENGINES, until
from sotto_protocol.language import LANGUAGES, direction
from visit import FILL
from wards import ANSWERS, TEXTS, ward

SHOWN = "(id) => Boolean(document.getElementById(id)?.checkVisibility())"


def test_the_covering_has_each_at_least_once() -> None:
    cases = [(engine, scheme, *rest) for (engine, scheme), places in COVERING.items() for rest in places]
    engines, schemes, tags, widths = (set(each) for each in zip(*cases, strict=True))
    assert [engines, schemes, widths] == [set(ENGINES), set(SCHEMES), set(WIDTHS)]
    assert {direction(tag) for tag in tags} == {"ltr", "rtl"}
    assert sum(map(len, ALL.values())) == 156
    assert TEXTS.keys() == LANGUAGES.keys()


@pytest.fixture(scope="module")
def wards(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A collector of its own: its surveys take so little that one device may answer them all."""
    survey = ward("closed", closes="2099-12-31", public_results=True)
    with serve(tmp_path_factory.mktemp("wards") / "survey.db", survey=survey) as served:
        end(served, survey)
        yield served


@pytest.mark.few(1, "rare")
@pytest.mark.parametrize(("engine", "scheme"), CHOSEN)
def test_nothing_is_found_in_any_language(engine: str, scheme: str, wards: Served, tmp_path: Path) -> None:
    with ENGINES[engine](tmp_path / "profile", scheme) as tab:
        assert tab.run("() => matchMedia('(prefers-color-scheme: dark)').matches") == (scheme == "dark")
        for tag, width in CHOSEN[engine, scheme]:
            tab.resize(width)
            survey = publish(wards, ward(f"{engine}-{scheme}-{tag}-{width}", epsilon=Decimal("0.5")))
            assert visit(Reader(tab, tag), wards.url, survey.id) == width


def visit(reader: Reader, url: str, survey_id: str) -> int:
    """Go through the states of a survey's page; return how wide it was."""
    tab, query = reader.tab, f"?lang={reader.tag}"
    for path in (f"nowhere{query}", f"closed{query}"):
        tab.goto(f"{url}/s/{path}")
        until(tab, "() => !document.getElementById('loading')")
        reader.check(path)
    tab.goto(f"{url}/s/{survey_id}{query}")
    until(tab, "() => !document.getElementById('fields').disabled")
    reader.check("questions", "target-size", "label")
    tab.click("#next-button")
    until(tab, SHOWN, "problems")
    reader.check("errors")
    tab.run(FILL, ANSWERS)
    for part in (2, 3):
        tab.click("#next-button")
        until(tab, SHOWN, f"part-{part}")
    reader.check("last part")
    tab.click("#review-button")
    until(tab, SHOWN, "review")
    reader.check("review")
    tab.click("#send-button")
    until(tab, SHOWN, "erasure")
    reader.check("receipt")
    width: int = tab.run("() => innerWidth")
    return width
