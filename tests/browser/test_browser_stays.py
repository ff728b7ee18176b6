"""What stays where it was put: a chosen language, the answers of an element that is moved; and what is not promised."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from asked import end, named, publish
from cases import rare
from chromium import Devices
from collecting import Served
from component_site import element
from component_visit import WARD, Ask, answer, press
from engines import ENGINES, engines, until
from sotto_protocol import compile_toml
from visit import Visit

NOBODY = "http://127.0.0.1:65535"  # no system gives this port to whoever asks for a free one
SHOWN = "(id) => document.getElementById(id)?.checkVisibility()"
SPEAKS = "(lang) => document.documentElement.lang === lang && new URLSearchParams(location.search).get('lang') === lang"
MOVES = {
    "appended": "(it) => document.querySelector('main').append(it)",
    "taken and put back": "(it) => { const home = it.parentElement; it.remove(); home.prepend(it); }",
    "moved": "(it) => { const main = document.querySelector('main'); main.moveBefore(it, main.firstChild); }",
}


@pytest.mark.parametrize("engine", engines("webkit"))
def test_the_language_that_was_chosen_last_stays(engine: str, collector: Served, tmp_path: Path) -> None:
    """On the way back, at the receipt, and after a reload of it."""
    survey = publish(collector, compile_toml(WARD.format(id=f"stays-{engine}")))
    with ENGINES[engine](tmp_path / "profile") as tab:
        tab.goto(f"{collector.url}/s/{survey.id}?lang=en")
        until(tab, "() => !document.getElementById('fields').disabled")
        tab.click("#next-button")
        until(tab, SHOWN, "part-2")
        tab.click("[data-question=dish] input")
        tab.click(".languages [lang=ar]")
        until(tab, SPEAKS, "ar")
        until(tab, "() => !document.getElementById('fields').disabled")
        tab.run("() => history.back()")
        until(tab, SHOWN, "part-1")
        until(tab, SPEAKS, "ar")
        tab.click("#next-button")
        until(tab, SHOWN, "part-2")
        tab.click(".languages [lang=en]")  # the entry of part 1 is still of the other language
        until(tab, SPEAKS, "en")
        until(tab, "() => !document.getElementById('fields').disabled")
        tab.click("#review-button")
        until(tab, SHOWN, "review")
        tab.click("#send-button")
        until(tab, SHOWN, "receipt")
        until(tab, "() => !history.state?.part && !history.state?.isReview")
        until(tab, SPEAKS, "en")
        tab.reload()
        until(tab, SHOWN, "receipt")
        assert tab.run(SPEAKS, "en")


@pytest.mark.parametrize("how", ["appended", rare("taken and put back"), "moved"])
def test_an_element_that_is_moved_keeps_what_was_answered(how: str, ask: Ask, collector: Served) -> None:
    survey = publish(collector, named(f"element-{how.replace(' ', '-')}"))
    page = ask(survey)
    answer(page, survey)
    page.locator("sotto-survey").evaluate(MOVES[how])
    expect(page.get_by_role("textbox")).to_have_value("kaleidoscope")
    press(page, "Review what will be sent")
    expect(page.locator("dd.answered").first).to_have_text("Yes")


def test_an_element_that_was_taken_off_says_that_its_answers_are_gone(ask: Ask, collector: Served) -> None:
    survey = publish(collector, named("element-taken-off"))
    page = ask(survey)
    answer(page, survey)
    page.evaluate("globalThis.it = document.querySelector('sotto-survey'); it.remove()")
    assert page.evaluate("it.shadowRoot.querySelectorAll('input, select').length") == 0
    page.evaluate("document.querySelector('main').append(it)")
    expect(page.get_by_role("alert")).to_contain_text("and your answers with it. Please answer again.")
    expect(page.get_by_role("textbox")).to_have_value("")
    expect(page.get_by_label("Yes", exact=True)).not_to_be_checked()


@pytest.mark.rare
def test_a_refused_report_has_no_receipt_on_the_page(collector: Served, devices: Devices) -> None:
    survey = publish(collector, named("refused-page"))
    context, watch = devices()
    watch.forgive("error: Failed to load resource")
    visit = Visit(context.new_page(), collector.url, survey).open()
    visit.answer({"paid": True, "dish": None, "place": "greenhouse-01", "drinks": [], "word": None})
    visit.review()
    end(collector, survey)
    visit.page.get_by_role("button", name="Send", exact=True).click()
    expect(visit.page.get_by_role("heading", name="Your report wasn't accepted")).to_be_visible()
    expect(visit.page.get_by_text("Your receipt", exact=True)).to_be_hidden()
    expect(visit.page.get_by_text("have the report erased")).to_be_hidden()


@pytest.mark.rare
def test_a_fault_before_anything_was_answered_does_not_speak_of_answers_in_the_element(ask: Ask) -> None:
    page = ask(at=NOBODY, body=element(NOBODY, named("fault-before-in-the-element")))
    expect(page.get_by_role("alert")).to_contain_text("The survey can't be loaded now")
    expect(page.get_by_role("alert")).to_contain_text("No answer was sent.")
    expect(page.get_by_role("alert")).not_to_contain_text("Your answers")


def test_a_fault_before_anything_was_answered_does_not_speak_of_answers(collector: Served, devices: Devices) -> None:
    survey = publish(collector, named("fault-before"))
    context, watch = devices()
    watch.forgive("error: Failed to load resource")
    visit = Visit(context.new_page(), collector.url, survey)
    visit.page.route(lambda url: f"/v1/surveys/{survey.id}" in url, lambda route: route.abort())
    visit.open()
    expect(visit.alarm).to_contain_text("The survey can't be loaded now")
    expect(visit.alarm).to_contain_text("Please try again later. No answer was sent.")
    expect(visit.alarm).not_to_contain_text("Your answers")
