"""A survey with sections: one part at a time, Back and Next, how far one has come, and nothing lost on the way."""

from decimal import Decimal

import pytest
from playwright.sync_api import Page, expect

from asked import publish, wait_for_reports
from cases import rare
from chromium import Devices
from collecting import Served
from visit import Visit, report_in
from wards import ANSWERS, TEXTS, ward

FOLD = {"width": 360, "height": 640}
FITS = "() => [document.documentElement.scrollWidth, document.documentElement.scrollHeight]"
IN_SIGHT = """() => {
  const question = document.querySelector("[data-question]");
  const ends = [".asked", ".choice"].map((part) => question.querySelector(part).getBoundingClientRect().bottom);
  return Math.max(...ends) <= innerHeight && ends.every((end) => end > 0);
}"""
MAX_SCREENS = 4.7
"""Of 640 px: six questions took 6.0 of them before they were laid out for phones."""


def open_ward(collector: Served, devices: Devices, survey_id: str) -> Visit:
    survey = publish(collector, ward(survey_id, "en", "ar"))
    return Visit(devices(viewport=FOLD)[0].new_page(), collector.url, survey).open()


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def test_parts_are_answered_one_by_one_and_back_leads_through_them_all(collector: Served, devices: Devices) -> None:
    visit = open_ward(collector, devices, "parts")
    page, part = visit.page, visit.page.locator(".part:visible")
    expect(page.locator("#progressed")).to_have_text("0 of 6 answered")
    expect(page.get_by_role("progressbar", name="0 of 6 answered")).to_be_visible()
    expect(page.locator("#part-1-title")).to_have_text("Part 1 of 3 Your work")
    visit.question("drunk").get_by_label("Yes").check()
    visit.question("pills").get_by_label("often").check()
    expect(page.get_by_role("progressbar", name="2 of 6 answered")).to_be_visible()
    press(page, "Next")
    expect(page.locator("#part-2-title")).to_be_focused()
    expect(page.locator("[data-first] .lead")).to_be_hidden()
    visit.question("seen").get_by_label("a theft").check()
    visit.question("overtime").get_by_role("textbox").fill("12")
    press(page, "Back")
    expect(part).to_have_attribute("id", "part-1")
    page.go_forward()
    expect(part).to_have_attribute("id", "part-2")
    press(page, "Next")
    visit.question("leave").get_by_label("No").check()
    visit.question("change").get_by_role("textbox").fill("pay")
    expect(page.locator("#progressed")).to_have_text("6 of 6 answered")
    body = visit.review()
    page.go_back()
    expect(part).to_have_attribute("id", "part-3")
    assert visit.review() == body
    press(page, "Change answers")
    expect(part).to_have_attribute("id", "part-3")
    page.wait_for_function("history.state?.isReview === undefined")
    for number in (2, 1):
        page.go_back()
        expect(part).to_have_attribute("id", f"part-{number}")
    press(page, "Next")
    press(page, "Next")
    assert visit.review() == body
    receipt = visit.send()
    page.wait_for_function("!history.state?.part && !history.state?.isReview")
    page.go_forward()
    expect(page.locator("#receipt")).to_be_visible()
    assert report_in(body)["id"] == receipt
    wait_for_reports(collector, visit.survey, receipt)


@pytest.mark.rare
def test_what_is_wrong_in_a_part_is_said_there_and_before_the_next(collector: Served, devices: Devices) -> None:
    visit = open_ward(collector, devices, "wrong")
    page = visit.page
    press(page, "Next")
    expect(page.get_by_role("group", name="There is a problem")).to_be_focused()
    expect(page.locator("#problems-list a")).to_have_count(1)
    page.get_by_role("link", name="Question 1: Please choose one.").click()
    expect(visit.question("drunk").get_by_label("Yes")).to_be_focused()
    page.keyboard.press("Space")
    press(page, "Next")
    expect(page.locator("#problems")).to_be_hidden()
    visit.question("overtime").get_by_role("textbox").fill("81")
    press(page, "Next")
    expect(page.get_by_role("link", name="Question 4: A whole number from 0 to 80.")).to_be_visible()


@pytest.mark.rare
def test_a_problem_of_an_earlier_part_is_shown_there(collector: Served, devices: Devices) -> None:
    visit = open_ward(collector, devices, "earlier")
    visit.fill(ANSWERS)
    press(visit.page, "Next")
    press(visit.page, "Next")
    visit.page.evaluate("() => { for (const box of document.querySelectorAll('#q1 input')) box.checked = false; }")
    visit.page.get_by_role("button", name="Review").click()
    expect(visit.question("drunk")).to_be_visible()
    expect(visit.page.get_by_role("link", name="Question 1: Please choose one.")).to_be_visible()


@pytest.mark.rare
def test_a_reload_begins_anew_with_nothing_answered(collector: Served, devices: Devices) -> None:
    visit = open_ward(collector, devices, "reloaded")
    visit.fill(ANSWERS)
    press(visit.page, "Next")
    visit.page.reload()
    expect(visit.page.locator("#part-1")).to_be_visible()
    expect(visit.page.locator("#progressed")).to_have_text("0 of 6 answered")


@pytest.mark.parametrize("parts", [True, rare(False)])
def test_the_first_question_is_in_sight_on_a_small_phone_in_every_language(
    parts: bool, collector: Served, devices: Devices
) -> None:
    """Of a survey that hides enough: else the sentence that says so comes first."""
    survey = publish(collector, ward(f"fold-{parts}".lower(), parts=parts, epsilon=Decimal(2), closes="2099-12-31"))
    visit = Visit(devices(viewport=FOLD)[0].new_page(), collector.url, survey)
    for tag in TEXTS:
        visit.open(f"?lang={tag}")
        assert visit.page.evaluate(IN_SIGHT), tag
        width, height = visit.page.evaluate(FITS)
        assert (width, height / FOLD["height"] < MAX_SCREENS) == (FOLD["width"], True), (tag, height)


def test_the_first_question_is_seen_before_anything_but_the_page_has_come(collector: Served, devices: Devices) -> None:
    survey = publish(collector, ward("first", "en", "ar", parts=False))
    page = devices(viewport=FOLD)[0].new_page()
    held = []
    page.route(lambda url: "/s/first" not in url, lambda route: held.append(route))
    page.goto(f"{collector.url}/s/{survey.id}", wait_until="commit")
    expect(page.locator("[data-question=drunk] .asked")).to_be_visible()
    assert page.evaluate(IN_SIGHT)
    paper = page.evaluate("() => getComputedStyle(document.documentElement).backgroundColor")
    assert paper == "rgb(250, 248, 244)"  # it has its look, too
    assert {route.request.url.rpartition("/")[2] for route in held} >= {"survey.min.js", "sottovoce.min.js"}
    for route in held:
        route.continue_()
    page.unroute_all()
    expect(page.locator("#fields")).to_be_enabled()
