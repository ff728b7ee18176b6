"""`asked_in` on the page and in the element: a device is asked in its wave alone, and reads when to come back."""

import pytest
from playwright.sync_api import Page, expect

from asked import named, publish
from chromium import Devices
from collecting import Served
from component_visit import Ask
from sotto_protocol import Survey
from wire import Wire

ROUNDS = 3


def open_wave(page: Page, url: str, survey: Survey, wave: int) -> bool:
    """Open one wave's page; return whether the questions are asked."""
    page.goto(f"{url}/s/{survey.id}?wave={wave}")
    expect(page.locator("#loading")).to_have_count(0)
    said = page.get_by_text("Your device asks you in only 1 of the 3 waves")
    expect(said.filter(visible=True).or_(page.get_by_text("You are not asked this time"))).to_be_visible()
    return page.locator("#questions").is_visible()


def test_the_page_asks_in_one_wave_and_says_when_in_the_others(collector: Served, wire: Wire, devices: Devices) -> None:
    survey = publish(collector, named("asked-in", waves=ROUNDS, asked_in=1))
    context, _ = devices(wire.url)
    page = context.new_page()
    asked = {}
    for wave in (1, 2, 3, 1):
        is_asked = open_wave(page, wire.url, survey, wave)
        assert asked.setdefault(wave, is_asked) == is_asked, "for good"
        if not is_asked:
            expect(page.locator("#alert")).to_contain_text("You are not asked this time")
            own = next((other for other in asked if asked[other]), None)
            if own is not None and own < wave:
                expect(page.locator("#alert")).to_contain_text("It will not ask you in a later wave.")
    assert sum(asked.values()) == 1


def test_the_element_asks_in_one_wave_and_says_when_in_the_others(ask: Ask, collector: Served) -> None:
    survey = publish(collector, named("asked-in-element", waves=ROUNDS, asked_in=1))
    n_asked = 0
    page = ask(survey)
    for wave in range(1, ROUNDS + 1):
        page.evaluate("wave => document.querySelector('sotto-survey').setAttribute('wave', wave)", str(wave))
        expect(page.get_by_text(f"Wave {wave} of {ROUNDS}")).to_be_visible()
        expect(
            page.locator("[data-question]").first.or_(page.get_by_role("alert").get_by_text("not asked"))
        ).to_be_visible()
        n_asked += page.locator("[data-question]").count() > 0
    assert n_asked == 1


pytestmark = pytest.mark.thorough
