"""Whether a survey is open is the collector's word: `<sotto-survey>` follows it, whatever the device's clock says."""

from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import expect

from asked import end, named, publish, wait_for_reports
from collecting import Served
from component_visit import Ask, answer, receipt_on, send

YEARS_AHEAD = """
const Real = Date;
globalThis.Date = class extends Real {
  constructor(...given) { given.length ? super(...given) : super(Real.now() + 1e12); }
  static now() { return Real.now() + 1e12; }
};"""
ASKED = "Did you ever let the firm pay for a private lunch?"


@pytest.mark.rare
def test_a_survey_that_was_closed_is_asked_of_nobody(ask: Ask, collector: Served) -> None:
    survey = publish(collector, named("closed-by-hand"))
    page = ask(survey)
    expect(page.get_by_text(ASKED)).to_be_visible()
    end(collector, survey)
    page.reload()
    expect(page.get_by_role("alert")).to_contain_text("This survey is closed")
    expect(page.locator("[data-question]")).to_have_count(0)


@pytest.mark.rare
def test_who_has_answered_sees_the_receipt_after_the_survey_was_closed(ask: Ask, collector: Served) -> None:
    survey = publish(collector, named("closed-after"))
    page = ask(survey)
    answer(page, survey)
    receipt = send(page)
    end(collector, survey)
    page.reload()
    expect(page.get_by_role("heading", name="This device has already answered")).to_be_visible()
    assert receipt_on(page) == receipt


def test_an_open_survey_is_asked_on_a_device_whose_clock_is_years_ahead(ask: Ask, collector: Served) -> None:
    closes = (datetime.now(UTC) + timedelta(days=60)).date().isoformat()
    survey = publish(collector, named("closed-never", closes=closes))
    page = ask(survey, before=YEARS_AHEAD)
    assert page.evaluate("new Date().getUTCFullYear()") > datetime.now(UTC).year + 30
    answer(page, survey)
    wait_for_reports(collector, survey, send(page))


@pytest.mark.rare
def test_a_receipt_promises_no_erasure_once_all_reports_are_erased(ask: Ask, collector: Served) -> None:
    closes = (datetime.now(UTC) + timedelta(days=60)).date().isoformat()
    survey = publish(collector, named("erased-after", closes=closes, erase_after=30))
    for before, n_promises in (("", 1), (YEARS_AHEAD, 0)):
        page = ask(survey, before=before)
        answer(page, survey)
        send(page)
        expect(page.get_by_text("can have the report erased")).to_have_count(n_promises)
