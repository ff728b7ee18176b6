"""The survey page in every engine: answered, reviewed, sent, opened again; and its results."""

import json
from pathlib import Path

import pytest

from asked import ANSWERS, HABITS, named, publish, sleep, stored_reports, wait_for_reports
from collecting import Served
from engines import ENGINES, Tab, engines, until
from visit import report_in
from wire import Wire

SHOWN = "(id) => document.getElementById(id)?.checkVisibility() && document.getElementById(id).textContent"


def answer(tab: Tab) -> None:
    """Give ANSWERS by pointer and by typing."""
    for question in HABITS.questions:
        given, place = ANSWERS[question.id], f'[data-question="{question.id}"]'
        if question.type == "text":
            tab.type(f"{place} input", given)
        elif len(question.options) > 10:
            tab.choose(f"{place} select", given)
        else:
            for value in given if question.type == "any-of" else [given]:
                tab.click(f"{place} input[value='{json.dumps(value)}']")


@pytest.mark.parametrize("engine", ENGINES)
def test_survey_page_is_answered_in_every_engine(engine: str, collector: Served, wire: Wire, tmp_path: Path) -> None:
    survey = publish(collector, named(f"in-{engine}", public_results=True))
    with ENGINES[engine](tmp_path / "profile") as tab:
        tab.goto(f"{wire.url}/s/{survey.id}")
        until(tab, "() => !document.getElementById('fields').disabled")
        answer(tab)
        tab.click("#review-button")
        until(tab, SHOWN, "review")
        cells = tab.run("() => [...document.querySelectorAll('td.answered')].map((cell) => cell.textContent)")
        assert cells == [
            "Yes",
            "persimmons-leftovers",
            "greenhouse-13",
            "elderflower-wine, elderflower-gin",
            "kaleidoscope",
        ]
        body = tab.run("() => document.getElementById('body').textContent")
        tab.click("#send-button")
        receipt = until(tab, SHOWN, "receipt-code")
        until(tab, f"() => ({SHOWN})('delivery') === 'Your report was delivered.'")
        wait_for_reports(collector, survey, receipt)
        assert [post.body.decode() for post in wire.posts()] == [body]
        assert report_in(body)["id"] == receipt
        tab.reload()
        assert until(tab, SHOWN, "receipt-code") == receipt
        tab.goto(f"{wire.url}/s/{survey.id}/results")
        until(tab, "() => document.getElementById('results')?.dataset.n")
    assert list(stored_reports(collector, survey)) == [receipt]


@pytest.mark.parametrize("engine", engines("webkit"))
def test_numbers_are_sent_from_every_engine(engine: str, collector: Served, wire: Wire, tmp_path: Path) -> None:
    survey = publish(collector, sleep(f"sleep-{engine}"))
    with ENGINES[engine](tmp_path / "profile") as tab:
        tab.goto(f"{wire.url}/s/{survey.id}")
        until(tab, "() => !document.getElementById('fields').disabled")
        tab.type("#q1-1", "6,25")
        tab.type("#q2-1", "-٣")
        tab.click("#review-button")
        until(tab, "() => document.getElementById('review').checkVisibility()")
        cells = tab.run("() => [...document.querySelectorAll('td.answered')].map((cell) => cell.textContent)")
        assert cells == ["6.25 hours", "-3"]
        tab.click("#send-button")
        receipt = until(
            tab,
            "() => document.getElementById('receipt').checkVisibility() && "
            "document.getElementById('receipt-code').textContent",
        )
        wait_for_reports(collector, survey, receipt)
    assert list(stored_reports(collector, survey)) == [receipt]
