"""Long lists, and many boxes: what searches them, what that keeps to itself, and the review of all of them."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from asked import publish
from cases import rare
from chromium import Devices
from collecting import Served
from component_visit import Ask, press
from sotto_protocol import Survey, compile_survey

TOWNS = ["Zürich", "Zug", *(f"Town {number}" for number in range(4000))]


def towns(survey_id: str, n_options: int = len(TOWNS)) -> Survey:
    questions: list[dict[str, Any]] = [
        {"id": "town", "type": "one-of", "text": "Where?", "options": TOWNS[:n_options]},
        {"id": "been", "type": "any-of", "text": "Where else?", "options": TOWNS[:60], "max_selected": 3},
    ]
    return compile_survey(
        {"id": survey_id, "title": "Towns", "questions": [{**each, "epsilon": 2} for each in questions]}
    )


@pytest.fixture
def opened(request: pytest.FixtureRequest, collector: Served, devices: Devices, ask: Ask) -> Page:
    """The survey on its page, or in the element."""
    survey = publish(collector, towns(f"towns-{request.node.name.partition('[')[0][-24:].strip('_')}-{request.param}"))
    if request.param == "element":
        return ask(survey)
    page = devices()[0].new_page()
    page.goto(f"{collector.url}/s/{survey.id}")
    return page


@pytest.mark.parametrize("opened", ["page", rare("element")], indirect=True)
def test_a_list_is_shortened_to_what_is_typed_and_keeps_what_is_chosen(opened: Page) -> None:
    search, town = opened.get_by_label("Find an option").first, opened.get_by_role("combobox")
    expect(town.locator("option")).to_have_count(len(TOWNS) + 1)
    search.fill("zur")  # without its accent
    assert town.locator("option").all_text_contents()[1:] == ["Zürich"]
    expect(opened.get_by_role("status").filter(has_text="1 of 4,002")).to_be_visible()
    search.press("Enter")  # the only one
    expect(town).to_be_focused()
    assert town.evaluate("(it) => it.selectedOptions[0].textContent") == "Zürich"
    search.fill("no such town")
    assert town.locator("option").all_text_contents()[1:] == ["Zürich"]
    search.fill("town 39")
    assert town.locator("option").count() == 1 + 1 + 111
    assert town.evaluate("(it) => it.selectedOptions[0].textContent") == "Zürich"
    town.select_option(label="Town 3999")
    search.fill("")
    expect(town.locator("option")).to_have_count(len(TOWNS) + 1)
    assert town.evaluate("(it) => it.selectedOptions[0].textContent") == "Town 3999"


@pytest.mark.parametrize("opened", [rare("page"), "element"], indirect=True)
def test_boxes_are_shortened_and_the_review_says_all_and_nothing_that_was_sought_stays(opened: Page) -> None:
    opened.get_by_label("Find an option").first.fill("town 7")  # options that are sent as well are not in the list now
    opened.get_by_role("combobox").select_option(label="Town 7")
    search = opened.get_by_label("Find an option").last
    search.fill("zu")
    boxes = opened.locator("label.choice:visible")
    expect(boxes).to_have_text(["Zürich", "Zug"])
    search.press("Enter")
    expect(opened.get_by_label("Zürich")).to_be_focused()
    opened.get_by_label("Zug", exact=True).check()
    search.fill("town 50")
    expect(boxes).to_have_text(["Zug", "Town 50"])
    opened.get_by_label("Town 50", exact=True).check()
    press(opened, "Review what will be sent")
    expect(opened.locator(".answered").last).to_have_text("Zug, Town 50")
    assert all(word in TOWNS for word in _words_in(opened))
    press(opened, "Send")
    expect(opened.get_by_text("Your report was delivered.")).to_be_visible()
    assert opened.locator("input[type=search]").evaluate_all("(all) => all.map((it) => it.value).join()") in ("", ",")


def _words_in(page: Page) -> list[str]:
    """Return the words of options that are sent, whatever the search shows."""
    opened: list[str] = page.locator(".sent details").first.evaluate(
        "(it) => it.querySelector('div') ? [...it.querySelectorAll('div')].map((each) => each.textContent)"
        " : it.lastChild.textContent.split(', ')"
    )
    assert len(opened) > 1
    return opened


@pytest.mark.rare
def test_a_short_list_has_no_search(collector: Served, devices: Devices) -> None:
    survey = compile_survey(
        {
            "id": "short-list",
            "title": "Short",
            "questions": [{"id": "q", "type": "one-of", "text": "Q?", "options": TOWNS[:24], "epsilon": 1}],
        }
    )
    page = devices()[0].new_page()
    page.goto(f"{collector.url}/s/{publish(collector, survey).id}")
    expect(page.get_by_role("combobox")).to_be_enabled()
    expect(page.get_by_label("Find an option")).to_have_count(0)
