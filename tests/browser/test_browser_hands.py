"""The survey page by keyboard alone, and by touch on a small phone."""

import pytest
from playwright.sync_api import Locator, Page, expect

from asked import ANSWERS, HABITS, named, publish, wait_for_reports
from chromium import Devices
from collecting import Served
from visit import Visit

PHONE = {"viewport": {"width": 360, "height": 740}, "device_scale_factor": 2, "is_mobile": True, "has_touch": True}
MAX_STEPS = 60
SMALLEST_PX = 24
"""WCAG 2.2, success criterion 2.5.8."""

IS_FOCUS_SEEN = """() => {
  const seen = (element) => getComputedStyle(element).outlineStyle !== "none";
  const focused = document.activeElement;
  return seen(focused) || Boolean(focused.closest("label") && seen(focused.closest("label")));
}"""
WIDTHS = "() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]"


class Keys:
    """Somebody with a keyboard, and nothing else."""

    def __init__(self, page: Page) -> None:
        self._page = page

    def press(self, *keys: str) -> None:
        for key in keys:
            self._page.keyboard.press(key)

    def go_to(self, target: Locator) -> None:
        """Press Tab until the target has the focus; on the way the focus can be seen wherever it is."""
        for _ in range(MAX_STEPS):
            self._page.keyboard.press("Tab")
            assert self._page.evaluate(IS_FOCUS_SEEN), "the focus cannot be seen"
            if target.evaluate("element => element === document.activeElement"):
                return
        raise AssertionError(f"{MAX_STEPS} tabs do not lead to {target}.")


def test_a_survey_is_answered_by_keyboard_alone(collector: Served, devices: Devices) -> None:
    survey = publish(collector, named("keyboard"))
    context, _ = devices()
    visit = Visit(context.new_page(), collector.url, survey).open()
    page, keys = visit.page, Keys(visit.page)
    keys.go_to(visit.question("paid").get_by_label("Yes"))
    keys.press("Space")
    keys.go_to(visit.question("paid").locator("summary"))
    keys.press("Enter")
    expect(visit.question("paid").get_by_text("How sure somebody can become")).to_be_visible()
    keys.go_to(visit.question("dish").get_by_label("persimmons-soup"))
    keys.press("ArrowDown", "ArrowDown")
    keys.go_to(visit.question("place").get_by_role("combobox"))
    page.keyboard.type("greenhouse-13")
    for option in ("elderflower-wine", "elderflower-gin"):
        keys.go_to(visit.question("drinks").get_by_label(option))
        keys.press("Space")
    keys.go_to(visit.question("word").get_by_role("textbox"))
    page.keyboard.type("kaleidoscope")
    keys.press("Enter")  # nothing comes of it
    keys.go_to(page.get_by_role("button", name="Review what will be sent"))
    keys.press("Enter")
    expect(page.get_by_role("heading", name="What will be sent")).to_be_focused()
    answered = page.locator("table.review td.answered").all_inner_texts()
    assert answered == [
        "Yes",
        "persimmons-leftovers",
        "greenhouse-13",
        "elderflower-wine, elderflower-gin",
        "kaleidoscope",
    ]
    keys.go_to(page.get_by_role("button", name="Send"))
    keys.press("Enter")
    receipt = visit.receipt()
    expect(page.get_by_role("heading", name="Thank you")).to_be_focused()
    keys.go_to(page.get_by_role("button", name="Copy the receipt"))
    wait_for_reports(collector, survey, receipt)


@pytest.mark.rare
def test_the_keyboard_leads_from_an_error_to_its_question(collector: Served, devices: Devices) -> None:
    context, _ = devices()
    visit = Visit(context.new_page(), collector.url, HABITS).open()
    keys = Keys(visit.page)
    keys.go_to(visit.page.get_by_role("button", name="Review what will be sent"))
    keys.press("Enter")
    expect(visit.page.get_by_role("group", name="There is a problem")).to_be_focused()
    keys.go_to(visit.page.get_by_role("link", name="Question 3:"))
    keys.press("Enter")
    expect(visit.question("place").get_by_role("combobox")).to_be_focused()


def assert_fits(page: Page) -> None:
    """Hold that nothing is wider than the screen, and everything that is pressed large enough for a finger."""
    needed, there = page.evaluate(WIDTHS)
    assert needed <= there == 360
    targets = page.locator("main :is(label.choice, button, select, summary, input[type=text])").all()
    boxes = [box for target in targets if target.is_visible() and (box := target.bounding_box()) is not None]
    assert boxes
    for box in boxes:
        assert min(box["width"], box["height"]) >= SMALLEST_PX, box
        assert 0 <= box["x"] <= box["x"] + box["width"] <= 360, box


def test_a_survey_is_answered_by_touch_on_a_small_phone(collector: Served, devices: Devices) -> None:
    survey = publish(collector, named("phone"))
    context, _ = devices(**PHONE)
    visit = Visit(context.new_page(), collector.url, survey).open()
    page = visit.page
    page.get_by_role("button", name="Review what will be sent").tap()
    assert_fits(page)
    for summary in reversed(page.locator("summary:visible").all()):  # the first opens into another
        summary.tap()
    page.get_by_text("All details, with numbers").tap()
    assert_fits(page)
    for label in ("Yes", "persimmons-leftovers", "elderflower-wine", "elderflower-gin"):
        page.get_by_label(label, exact=True).tap()
    visit.question("place").get_by_role("combobox").select_option(ANSWERS["place"])  # its list is the system's own
    visit.question("word").get_by_role("textbox").tap()
    page.keyboard.type(ANSWERS["word"])
    page.get_by_role("button", name="Review what will be sent").tap()
    expect(page.get_by_role("heading", name="What will be sent")).to_be_in_viewport()
    page.get_by_text("The exact text that is sent").tap()
    assert_fits(page)
    page.get_by_role("button", name="Send").tap()
    receipt = visit.receipt()
    visit.expect_delivered()
    page.get_by_text("Erase my report").tap()
    assert_fits(page)
    wait_for_reports(collector, survey, receipt)
