"""Attributes of `<sotto-survey>` that no survey can have: whoever made the page is told which, and what it may be."""

import pytest
from playwright.sync_api import expect

from asked import named, publish
from cases import rare
from collecting import Served
from component_visit import Ask, heard_on


@pytest.mark.parametrize("wave", ["2", rare("x"), rare("1.5"), rare("0")])
def test_a_wave_that_the_survey_has_not_is_said_to_whoever_made_the_page(
    wave: str, ask: Ask, collector: Served
) -> None:
    survey = publish(collector, named(f"misused-{wave.replace('.', '-')}"))
    page = ask(survey, wave=wave)
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("For the people who made this page: wave must be an integer in [1, 1].")
    expect(alert).not_to_contain_text("another browser")
    expect(page.get_by_role("button", name="Try again")).to_have_count(0)
    said = {"survey": survey.id, "name": "RangeError", "message": "wave must be an integer in [1, 1]."}
    assert heard_on(page) == [["error", said]]


@pytest.mark.rare
def test_words_that_have_no_address_are_said_to_whoever_made_the_page(ask: Ask, collector: Served) -> None:
    page = ask(publish(collector, named("misused-words", lang="de")), words="https://[")
    expect(page.get_by_role("alert")).to_contain_text("For the people who made this page:")
    ((name, detail),) = heard_on(page)
    assert (name, detail["name"]) == ("error", "TypeError")
    assert detail["message"]


def test_who_listens_once_the_element_is_in_the_page_hears_of_it(ask: Ask, collector: Served) -> None:
    """As React does."""
    page = ask(publish(collector, named("misused-late")))
    put = """() => new Promise((resolve) => {
      const element = document.createElement("sotto-survey");
      document.body.append(element);
      element.addEventListener("sotto-error", ({ detail }) => resolve(detail.message));
    })"""
    assert page.evaluate(put) == "the attribute collector is missing."
