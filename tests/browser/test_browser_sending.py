"""Send in every engine, and what comes between: the page left, a second Send, Back, another language, the survey's end.

Each holds up the transaction by which the report is kept, does the other thing, and lets it go on.
"""

from decimal import Decimal
from pathlib import Path

import pytest

from asked import end, publish, stored_reports, wait_for_reports
from collecting import Served
from engines import ENGINES, Tab, engines, until
from sotto_protocol import Survey
from visit import ASKS, FILL, HOLD
from wards import ANSWERS, ward
from wire import Wire

SHOWN = "(id) => document.getElementById(id)?.checkVisibility() && document.getElementById(id).textContent"
GO_BACK = """async () => {
  const isBack = new Promise((resolve) => addEventListener("popstate", resolve));
  history.back();
  await isBack;
}"""
SAYS = "([id, words]) => document.getElementById(id)?.textContent.includes(words)"


def open_page(tab: Tab, url: str, survey: Survey) -> None:
    tab.goto(f"{url}/s/{survey.id}")
    until(tab, "() => document.getElementById('fields')?.disabled === false")


def hold_sending(tab: Tab) -> None:
    """Answer all, go on to the review, and press Send: nothing is kept until `letGo`."""
    tab.run(FILL, ANSWERS)
    for _ in range(tab.run("() => document.querySelectorAll('.part').length - 1")):
        tab.click("#next-button")
    tab.click("#review-button")
    until(tab, SHOWN, "review")
    assert tab.run(ASKS) is False
    tab.run(HOLD)
    tab.click("#send-button")
    until(tab, "() => globalThis.isSending === true")
    assert tab.run(ASKS) is True


@pytest.mark.parametrize("engine", engines("webkit"))
def test_what_is_sent_is_sent_once_whatever_comes_between(
    engine: str, collector: Served, wire: Wire, tmp_path: Path
) -> None:
    made = [ward(f"{name}-{engine}", "en", "de", epsilon=Decimal("0.8")) for name in ("left", "back", "over")]
    left, back, over = (publish(collector, survey) for survey in made)
    with ENGINES[engine](tmp_path / "profile") as tab:
        open_page(tab, wire.url, left)
        assert not tab.run(SHOWN, "alert")
        hold_sending(tab)
        open_page(tab, wire.url, left)
        assert until(tab, SHOWN, "alert").startswith("No answer was sent.")
        assert tab.run(ASKS) is False
        assert stored_reports(collector, left) == {}

        hold_sending(tab)
        assert not tab.run(SHOWN, "alert")
        tab.run("() => document.getElementById('send-button').click()")
        tab.click(".languages a[lang=de]")
        tab.run("() => letGo()")
        until(tab, SAYS, ["delivery", "Ihre Meldung wurde zugestellt."])
        wait_for_reports(collector, left, tab.run(SHOWN, "receipt-code"))
        assert tab.run(ASKS) is False

        open_page(tab, wire.url, back)
        hold_sending(tab)
        tab.run(GO_BACK)
        tab.run("() => letGo()")
        until(tab, SAYS, ["delivery", "Your report was delivered."])
        wait_for_reports(collector, back, tab.run(SHOWN, "receipt-code"))
        assert not tab.run(SHOWN, "questions")

        open_page(tab, wire.url, over)
        hold_sending(tab)
        end(collector, over)
        tab.run("() => letGo()")
        until(tab, SAYS, ["delivery", "Your report wasn't accepted."])
        assert not tab.run(SHOWN, "receipt-code")
        assert tab.run(ASKS) is False
        assert stored_reports(collector, over) == {}
    bodies = {post.body: post.target.split("/")[3] for post in wire.posts()}  # what is sent again is the same
    assert list(bodies.values()) == [left.id, back.id, over.id]
