"""The survey page in the languages of a survey: chosen, changed midway, and of no matter to what is sent."""

import pytest
from playwright.sync_api import Page, expect

from asked import invite, publish, stored_reports
from cases import rare
from chromium import Devices
from collecting import Served
from sotto_protocol import compile_survey
from visit import Visit, report_in
from wards import ANSWERS, TEXTS, ward

CHOSEN = "() => [...document.querySelectorAll('#fields :checked')].map(({ id }) => id)"
SHOWN = "() => [document.documentElement.lang, document.documentElement.dir, document.title]"


def open_ward(page: Page, collector: Served, survey_id: str, *languages: str, after: str = "") -> Visit:
    survey = publish(collector, ward(survey_id, *languages, parts=False))
    return Visit(page, collector.url, survey).open(after)


def review(visit: Visit) -> str:
    """Go on to what will be sent, whatever the language; return its text."""
    visit.page.locator("#review-button").click()
    expect(visit.page.locator("#review")).to_be_visible()
    return visit.body.text_content() or ""


@pytest.mark.parametrize("tags", [("en", "ar", "de"), rare((*TEXTS,))], ids=["three", "all"])
def test_the_same_answers_are_the_same_report_in_every_language(
    tags: tuple[str, ...], collector: Served, devices: Devices
) -> None:
    """By pointer, on words of that language: a device's noise is that of an answer, and so one word off would show."""
    visit = open_ward(devices()[0].new_page(), collector, f"same-{len(tags)}")
    bodies = set()
    for tag in tags:
        texts = TEXTS[tag]
        visit.open(f"?lang={tag}")
        for question, answered in (("drunk", "true"), ("leave", "false")):
            visit.question(question).locator(f"input[value={answered}]").check()
        visit.question("pills").get_by_label(texts[7][2], exact=True).check()
        for place in (1, 2):
            visit.question("seen").get_by_label(texts[9][place], exact=True).check()
        visit.question("overtime").get_by_role("textbox").fill("12")
        visit.question("change").get_by_role("textbox").fill("pay")
        bodies.add(review(visit))
        shown = visit.page.locator("td.answered").all_inner_texts()
        assert (shown[1], shown[3], shown[5]) == (texts[7][2], f"12 {texts[11]}", "pay")
        assert texts[9][1] in shown[2]
    assert len(bodies) == 1
    visit.page.locator("#send-button").click()
    receipt = visit.receipt()
    visit.page.wait_for_function("() => document.getElementById('erasure').hidden === false")
    assert list(stored_reports(collector, visit.survey)) == [receipt]


@pytest.mark.parametrize(
    ("locale", "tag", "direction"), [("ar-EG", "ar", "rtl"), rare("de-AT", "de", "ltr"), rare("sw", "en", "ltr")]
)
def test_the_page_is_in_the_language_that_the_browser_prefers(
    locale: str, tag: str, direction: str, collector: Served, devices: Devices
) -> None:
    page = devices(locale=locale)[0].new_page()
    visit = open_ward(page, collector, f"prefers-{tag}", "en", "de", "ar")
    assert page.evaluate(SHOWN) == [tag, direction, TEXTS[tag][0]]
    expect(page.locator(".languages [aria-current]")).to_have_attribute("lang", tag)
    visit.page.goto(f"{visit.address}?lang=de")
    assert page.evaluate(SHOWN)[0] == "de"


def test_a_language_is_changed_midway_and_every_answer_stays(collector: Served, devices: Devices) -> None:
    survey = publish(collector, ward("midway", "en", "ar", "zh"))
    page = devices()[0].new_page()
    visit = Visit(page, collector.url, survey).open()
    visit.fill(ANSWERS)
    page.get_by_role("button", name="Next").click()
    chosen = page.evaluate(CHOSEN)
    page.get_by_role("link", name="العربية").click()
    expect(page.locator("html")).to_have_attribute("dir", "rtl")
    assert page.url == f"{visit.address}?lang=ar"
    expect(page.locator("#part-2-title")).to_contain_text(TEXTS["ar"][3])
    expect(page.locator("#part-2")).to_be_visible()
    expect(page.get_by_role("link", name="العربية")).to_be_focused()
    assert page.evaluate(CHOSEN) == chosen
    page.locator("#next-button").click()
    body = review(visit)
    page.get_by_role("link", name="中文").click()
    expect(page.locator("html")).to_have_attribute("lang", "zh")
    expect(page.locator("#part-3")).to_be_visible()
    assert review(visit) == body
    assert page.locator("td.answered").nth(1).inner_text() == TEXTS["zh"][7][2]
    page.locator("#send-button").click()
    assert visit.receipt() == report_in(body)["id"]


@pytest.mark.rare
def test_the_last_day_is_written_as_the_language_does(collector: Served, devices: Devices) -> None:
    survey = publish(collector, ward("days", parts=False, closes="2099-12-31"))
    visit = Visit(devices()[0].new_page(), collector.url, survey)
    days = {"en": "December 31, 2099", "de": "31. Dezember 2099", "ar": "31 ديسمبر 2099", "zh": "2099年12月31日"}
    for tag, day in days.items():
        visit.open(f"?lang={tag}")
        expect(visit.page.locator("time")).to_have_text(day)


def test_a_language_that_cannot_be_fetched_takes_nothing_away(collector: Served, devices: Devices) -> None:
    context, watch = devices()
    watch.forgive("error: Failed to load resource")
    page = context.new_page()
    visit = open_ward(page, collector, "unfetched", "en", "de")
    visit.fill(ANSWERS)
    context.set_offline(True)
    page.get_by_role("link", name="Deutsch").click()
    expect(visit.alarm).to_contain_text("Please try again later.")
    context.set_offline(False)
    visit.review()


@pytest.mark.rare
def test_invitation_and_wave_outlive_a_change_of_language(collector: Served, devices: Devices) -> None:
    survey = publish(collector, ward("both", "en", "fr", parts=False, invited=True))
    (invitation,) = invite(collector, survey)
    page = devices()[0].new_page()
    visit = Visit(page, collector.url, survey).open(f"#{invitation}")
    visit.fill(ANSWERS)
    page.get_by_role("link", name="Français").click()
    expect(page.locator("html")).to_have_attribute("lang", "fr")
    expect(page.locator("#invitation-came")).to_be_visible()
    assert invitation not in page.url
    assert report_in(review(visit))["invitation"] == invitation


@pytest.mark.rare
def test_options_of_any_characters_are_reviewed_and_outlive_a_change_of_language(
    collector: Served, devices: Devices
) -> None:
    """On boxes, buttons and a list; every option of each is in a report of these mechanisms soon."""
    marks = ["it's", 'a "quote"', "<b>", "a&amp;b", "back\\slash", "\u0027", "é", "اثنان"]
    questions = [
        {"id": "boxes", "type": "any-of", "mechanism": "bit-flips", "options": marks, "max_selected": 8},
        {"id": "radios", "type": "one-of", "mechanism": "oue", "options": marks},
        {"id": "list", "type": "one-of", "mechanism": "oue", "options": [*marks, *"bcdefg"]},
    ]
    for question in questions:
        options = question.pop("options")
        question |= {"epsilon": 1, "text": {"en": "?", "de": "Was?"}, "options": {"en": options, "de": options}}
    survey = compile_survey({"id": "marks", "title": {"en": "Marks", "de": "Zeichen"}, "questions": questions})
    visit = Visit(devices()[0].new_page(), publish(collector, survey) and collector.url, survey).open()
    visit.fill({"boxes": marks, "radios": None, "list": None})
    for mark in marks:
        visit.fill({"boxes": [], "radios": mark, "list": mark})
        visit.page.get_by_role("link", name="Deutsch" if mark == marks[0] else "English").first.click()
        review(visit)
        shown = visit.page.locator("td.answered").all_inner_texts()
        assert shown[1:] == [mark, mark]
        assert all(each in shown[0] for each in marks)
        visit.page.go_back()
