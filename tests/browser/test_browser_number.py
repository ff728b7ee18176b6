"""A number on the survey page: typed, refused where it is none of the range, reviewed, sent, or left out."""

import re

import pytest
from playwright.sync_api import expect

from asked import publish, sleep, stored_reports, wait_for_reports
from chromium import Devices
from collecting import Served
from visit import Visit
from wire import Wire

RANGE = "A number from 0 to 16, in steps of 0.25."


@pytest.mark.rare
def test_a_number_is_typed_reviewed_and_sent(collector: Served, wire: Wire, devices: Devices) -> None:
    survey = publish(collector, sleep("sleep"))
    context, _ = devices(wire.url)
    visit = Visit(context.new_page(), wire.url, survey).open()
    hours = visit.question("hours").get_by_role("textbox")
    expect(hours).to_have_accessible_description(RANGE)
    assert [hours.get_attribute(name) for name in ("inputmode", "autocomplete", "dir")] == ["decimal", "off", "ltr"]
    degrees = visit.question("degrees").get_by_role("textbox")
    assert degrees.get_attribute("inputmode") is None  # a minus is on few phones' keyboards for numbers
    expect(visit.question("degrees")).to_contain_text("Skipping counts as “20”")
    expect(visit.question("hours")).to_contain_text("hours")
    for typed in ("", "17", "-1", "0.3", "1e9", "-"):
        hours.fill("")
        hours.press_sequentially(typed)
        visit.page.locator("#review-button").click()
        expect(visit.page.locator("#q1-error")).to_contain_text(RANGE)
        expect(hours).to_have_attribute("aria-invalid", "true")
        assert "Question 1: " in visit.page.locator("#problems-list").inner_text()
    hours.fill("7.75")
    hours.press("Tab")
    expect(visit.page.locator("#q1-error")).to_be_hidden()
    visit.review()
    assert visit.page.locator("td.answered").all_inner_texts() == ["7.75 hours", "Skipped, which counts as “20”"]
    sent = visit.page.locator("td.sent").all_inner_texts()
    assert re.fullmatch(r"“Near [\d.]+( to [\d.]+)? hours”, which may be wrong", sent[0])
    assert re.fullmatch("“(Low|High)”: your device sends only “low” or “high”", sent[1])
    receipt = visit.send()
    visit.expect_delivered()
    wait_for_reports(collector, survey, receipt)
    assert len(stored_reports(collector, survey)) == 1
    assert [visit.page.locator(field).input_value() for field in ("#q1-1", "#q2-1")] == ["", ""]
