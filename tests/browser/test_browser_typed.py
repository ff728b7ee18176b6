"""What is typed on the survey page and its element: read as it was meant in any language, or refused in its words."""

import pytest
from playwright.sync_api import Locator, Page, expect

from asked import publish, sleep, stored_reports, wait_for_reports
from chromium import Devices
from collecting import Served
from component_visit import Ask, press
from sotto_protocol import Survey, compile_toml
from sotto_protocol.language import language
from visit import Visit

HALVES = """
id = "{id}"
lang = "de"
title.de = "Zahl"
title.ar = "رقم"
[[questions]]
id = "n"
type = "number"
text.de = "Wie viele Stunden?"
text.ar = "كم ساعة؟"
minimum = 0
maximum = 100
step = 0.5
epsilon = 1
[[questions]]
id = "why"
type = "text"
text.de = "Warum?"
text.ar = "لماذا؟"
epsilon = 1
"""
HOW = "Use digits with at most one point or comma, and nothing between thousands."
TOO_LONG = "This is too long: %(n)s of at most %(most)s characters."
UNFIT = "This has a character that isn't allowed, perhaps an invisible one. Please type it again."
TYPED = ("7.5", "7,5", "٧٫٥", "۷٫۵", "७.५", "07,50")
REFUSED = ("1,500", "1.234,5", "1 500", "--5", "٧٬٥٠٠")
BREAK = """(field) => {  // good where it is judged, and too long where the client takes it
  let nRead = 0;
  Object.defineProperty(field, "value", { get: () => (nRead++ ? "x".repeat(201) : "x"), set: () => {} });
}"""


def halves(collector: Served, survey_id: str) -> Survey:
    return publish(collector, compile_toml(HALVES.format(id=survey_id)))


def retype(field: Locator, text: str) -> None:
    """Type by keys, one by one: a browser takes each, or swallows it."""
    field.clear()
    field.press_sequentially(text)


def turn_wheel(page: Page, field: Locator) -> None:
    """Scroll with the pointer over a field that has the focus; wait until the browser has done what it does."""
    field.focus()
    field.hover()
    for _ in range(6):
        page.mouse.wheel(0, 100)
        page.evaluate("() => new Promise((shown) => requestAnimationFrame(() => requestAnimationFrame(shown)))")


@pytest.mark.rare
@pytest.mark.parametrize(("locale", "tag"), [("en-US", "de"), ("de-DE", "de"), ("ar-EG", "ar")])
def test_a_number_is_what_was_typed_in_every_language(
    locale: str, tag: str, collector: Served, devices: Devices
) -> None:
    survey = halves(collector, f"typed-{tag}-{locale.lower()}")
    page = devices(locale=locale)[0].new_page()
    Visit(page, collector.url, survey).open(f"?lang={tag}")
    page.locator("#q2-1").fill("x")
    for typed in TYPED:
        retype(page.locator("#q1-1"), typed)
        page.locator("#review-button").click()
        expect(page.locator("td.answered").first).to_have_text(language(tag).number("7.5"))
        page.locator("#change-button").click()


def test_what_is_typed_is_the_same_report_as_the_number_with_a_point(collector: Served, devices: Devices) -> None:
    survey = publish(collector, sleep("typed-same"))
    page = devices()[0].new_page()
    visit = Visit(page, collector.url, survey).open()
    bodies = set()
    for hours, degrees in (("1.5", "-3"), ("1,5", "−3"), ("١٫٥", "-٣"), ("१.50", "-३")):
        retype(page.locator("#q1-1"), hours)
        retype(page.locator("#q2-1"), degrees)
        bodies.add(visit.review())
        assert page.locator("td.answered").all_inner_texts() == ["1.5 hours", "-3"]
        page.locator("#change-button").click()
    assert len(bodies) == 1
    visit.review()
    wait_for_reports(collector, survey, visit.send())
    assert len(stored_reports(collector, survey)) == 1


@pytest.mark.rare
@pytest.mark.parametrize("tag", ["de", "ar"])
def test_a_number_that_can_be_read_in_two_ways_is_refused(tag: str, collector: Served, devices: Devices) -> None:
    page = devices()[0].new_page()
    Visit(page, collector.url, halves(collector, f"ambiguous-{tag}")).open(f"?lang={tag}")
    said = language(tag)
    for typed in REFUSED:
        retype(page.locator("#q1-1"), typed)
        page.locator("#review-button").click()
        expect(page.locator("#q1-error")).to_contain_text(said.gettext(HOW))
        assert page.locator("#q1-1").input_value() == typed
        retype(page.locator("#q1-1"), "7,3")
        page.locator("#review-button").click()
        expect(page.locator("#q1-error")).not_to_contain_text(said.gettext(HOW))
        expect(page.locator("#q1-error")).to_have_text(page.locator("#q1-hint").inner_text())


def test_scrolling_changes_no_number(collector: Served, devices: Devices) -> None:
    page = devices()[0].new_page()
    visit = Visit(page, collector.url, publish(collector, sleep("wheel"))).open()
    page.locator("#q1-1").fill("8")
    page.locator("#q2-1").fill("20")
    turn_wheel(page, page.locator("#q2-1"))
    page.locator("#q2-1").press("ArrowUp")
    visit.review()
    assert page.locator("td.answered").all_inner_texts() == ["8 hours", "20"]


@pytest.mark.rare
def test_what_is_typed_stays_as_typed_in_another_language(collector: Served, devices: Devices) -> None:
    page = devices()[0].new_page()
    Visit(page, collector.url, halves(collector, "as-typed")).open("?lang=de")
    shown, other = ("de", "العربية"), ("ar", "Deutsch")
    for typed in ("1000", "1.234,5", "7,50", "kaum", ""):
        page.locator("#q1-1").fill(typed)
        page.locator("#q2-1").fill(f" {typed}\u202e")
        page.get_by_role("link", name=shown[1]).click()
        shown, other = other, shown
        expect(page.locator("html")).to_have_attribute("lang", shown[0])
        expect(page.locator(".languages [aria-current]")).to_be_focused()
        assert [page.locator(field).input_value() for field in ("#q1-1", "#q2-1")] == [typed, f" {typed}\u202e"]


@pytest.mark.rare
@pytest.mark.parametrize("tag", ["de", "ar"])
def test_a_text_is_refused_in_the_readers_language(tag: str, collector: Served, devices: Devices) -> None:
    page = devices()[0].new_page()
    Visit(page, collector.url, halves(collector, f"refused-{tag}")).open(f"?lang={tag}")
    page.locator("#q1-1").fill("7")
    said = language(tag)
    refused = {"x" * 201: said.gettext(TOO_LONG, n=201, most=200), "a\u202eb": said.gettext(UNFIT)}
    for typed, words in (refused | {"a\u2028b": said.gettext(UNFIT)}).items():
        page.locator("#q2-1").fill(typed)
        page.locator("#review-button").click()
        expect(page.locator("#q2-error")).to_have_text(words)
        assert page.locator("#q2-error").get_attribute("lang") is None
        expect(page.locator("#problems-list a")).to_contain_text(words)
    page.locator("#q2-1").fill("x" * 200)
    page.locator("#q2-1").press("Tab")
    expect(page.locator("#q2-error")).to_be_hidden()
    page.locator("#review-button").click()
    expect(page.locator("#review")).to_be_visible()


@pytest.mark.rare
def test_what_the_client_alone_refuses_is_marked_as_english(collector: Served, devices: Devices) -> None:
    page = devices()[0].new_page()
    Visit(page, collector.url, halves(collector, "english")).open("?lang=ar")
    page.locator("#q1-1").fill("7")
    page.locator("#q2-1").evaluate(BREAK)
    page.locator("#review-button").click()
    for place in (page.locator("#q2-error"), page.locator("#problems-list a")):
        expect(place).to_contain_text("The answer must be a text of 1 to 200 characters")
        assert [place.get_attribute(name) for name in ("lang", "dir")] == ["en", "ltr"]


def test_the_element_reads_numbers_as_the_page_does(ask: Ask, collector: Served) -> None:
    survey = publish(collector, sleep("component-typed"))
    page = ask(survey)
    hours, degrees = (page.locator(f"[data-question={name}] input") for name in ("hours", "degrees"))
    degrees.fill("7")
    turn_wheel(page, degrees)
    for typed in ("1,5", "1.5", "١٫٥", "१.५"):
        retype(hours, typed)
        press(page, "Review what will be sent")
        expect(page.locator("dd.answered")).to_have_text(["1.5 hours", "7"])
        press(page, "Change answers")
    for typed in REFUSED:
        retype(hours, typed)
        press(page, "Review what will be sent")
        expect(page.locator("#q1-error")).to_have_text(f"A number from 0 to 16, in steps of 0.25. {HOW}")


@pytest.mark.rare
def test_the_element_refuses_in_the_readers_language(ask: Ask, collector: Served) -> None:
    page = ask(halves(collector, "typed-refused"), lang="ar")
    said = language("ar")
    number, text = page.locator("[data-question=n] input"), page.locator("[data-question=why] input")
    number.fill("1.500")
    text.fill("x" * 201)
    page.locator("button.primary").click()
    expect(page.locator("#q1-error")).to_contain_text(said.gettext(HOW))
    expect(page.locator("#q2-error")).to_have_text(said.gettext(TOO_LONG, n=201, most=200))
    page.locator("[part~=chooser] select").select_option(label="Deutsch")
    expect(page.locator("[part=survey]")).to_have_attribute("lang", "de")
    assert [field.input_value() for field in (number, text)] == ["1.500", "x" * 201]
    number.fill("7,5")
    text.fill("a\u2028b")
    page.locator("button.primary").click()
    expect(page.locator("#q2-error")).to_have_text(language("de").gettext(UNFIT))
    text.evaluate(BREAK)
    page.locator("button.primary").click()
    for place in (page.locator("#q2-error span"), page.locator(".problems a")):
        expect(place).to_contain_text("The answer must be a text of 1 to 200 characters")
        assert [place.get_attribute(name) for name in ("lang", "dir")] == ["en", "ltr"]
