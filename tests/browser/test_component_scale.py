"""A scale in `<sotto-survey>`: its options stand in one row, end to end, and below one another on a phone."""

import pytest
from playwright.sync_api import Page, expect

from asked import publish
from collecting import Served
from component_visit import Ask, press
from sotto_protocol import compile_toml

SCALE = """
id = "scale-{lang}"
lang = "{lang}"
title = "Work"
[[questions]]
id = "proud"
type = "likert"
text = "I am proud to work here."
options = ["strongly disagree", "disagree", "neither", "agree", "strongly agree"]
epsilon = 2
[[questions]]
id = "dish"
type = "one-of"
text = "What do you eat?"
options = ["soup", "salad"]
epsilon = 1
"""


def places(page: Page, question_id: str) -> list[tuple[float, float]]:
    """Return where the options begin, from the left and from the top."""
    boxes = [choice.bounding_box() for choice in page.locator(f'[data-question="{question_id}"] .choice').all()]
    return [(box["x"], box["y"]) for box in boxes if box]


@pytest.mark.parametrize("lang", ["en", "ar"])
def test_scale_stands_in_a_row_where_there_is_room(ask: Ask, collector: Served, lang: str) -> None:
    page = ask(publish(collector, compile_toml(SCALE.format(lang=lang))))
    expect(page.locator('[data-question="proud"] .choice')).to_have_count(5)
    page.set_viewport_size({"width": 1000, "height": 800})
    row = places(page, "proud")
    assert len({top for _, top in row}) == 1
    assert [left for left, _ in row] == sorted((left for left, _ in row), reverse=lang == "ar")
    assert len({top for _, top in places(page, "dish")}) == 2  # only a scale has an order
    page.set_viewport_size({"width": 360, "height": 800})
    column = places(page, "proud")
    assert len({left for left, _ in column}) == 1
    assert [top for _, top in column] == sorted(top for _, top in column)
    page.get_by_label("agree", exact=True).focus()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_label("strongly agree")).to_be_checked()
    page.get_by_role("radio", name="soup").check()
    if lang == "en":
        press(page, "Review what will be sent")
        expect(page.locator("dd.answered").first).to_have_text("strongly agree")
