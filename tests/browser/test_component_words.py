"""The words of `<sotto-survey>`: where they are found, and that all of it is said in the language that is chosen."""

from datetime import date

import pytest
from playwright.sync_api import Page, expect

from asked import end, invite, publish, stored_reports
from cases import rare
from collecting import Served
from component_visit import WARD, Ask, press, receipt_on, send
from sotto_protocol import Survey, compile_toml


def ward(survey_id: str, settings: str = "") -> Survey:
    return compile_toml(WARD.format(id=survey_id).replace('lang = "en"', f'lang = "en"\n{settings}'))


def choose(page: Page, language: str) -> None:
    page.locator("[part~=chooser] select").select_option(label=language)


def answer(page: Page) -> None:
    page.get_by_label("Yes", exact=True).check()
    press(page, "Next")
    page.get_by_label("soup").check()


@pytest.mark.parametrize("words", ["words/", rare("words"), rare("/words/"), rare("/words")])
def test_words_are_found_by_every_address_that_a_page_can_write(words: str, ask: Ask, collector: Served) -> None:
    survey_id = "words-at-" + words.strip("/") + str(words.count("/")) + str(words.find("/") + 1)
    page = ask(publish(collector, ward(survey_id)), lang="ar", words=words)
    expect(page.get_by_text("كيف يحميك هذا")).to_be_visible()


@pytest.mark.rare
def test_the_prompt_for_an_invitation_follows_the_language(ask: Ask, collector: Served) -> None:
    survey = publish(collector, ward("words-invited", "invited = true"))
    page = ask(survey)
    page.get_by_label("Your invitation").fill("aaaa")
    choose(page, "العربية")
    expect(page.get_by_label("دعوتك")).to_have_value("aaaa")
    expect(page.get_by_text("Your invitation")).to_have_count(0)
    page.get_by_role("textbox").fill(invite(collector, survey)[0])
    page.locator("button.primary").click()
    expect(page.locator("[data-question=paid]")).to_be_visible()


def test_the_receipt_follows_the_language_and_is_heard_of_once(ask: Ask, collector: Served) -> None:
    survey = publish(collector, ward("words-receipt"))
    page = ask(survey)
    answer(page)
    receipt = send(page)
    choose(page, "العربية")
    expect(page.get_by_role("heading", name="شكرًا لك")).to_be_visible()
    expect(page.get_by_text("Your report was delivered.")).to_have_count(0)
    assert receipt_on(page) == receipt
    page.locator("[part=receipt] details summary").click()
    page.locator("[part~=erase]").click()
    expect(page.get_by_role("heading", name="مُحي تقريرك")).to_be_visible()
    assert stored_reports(collector, survey) == {receipt: b""}
    choose(page, "English")
    expect(page.get_by_role("heading", name="Your report was erased")).to_be_visible()
    expect(page.get_by_text("Your report was erased and is no longer counted.")).to_be_visible()
    heard = page.evaluate("heard.map(([name]) => name)")
    assert heard == ["ready", "prepared", "sent", "delivered"]


def test_what_went_wrong_is_said_in_the_language_that_is_chosen(ask: Ask, collector: Served) -> None:
    survey = publish(collector, ward("words-alarm"))
    page = ask(survey)
    expect(page.get_by_label("Yes", exact=True)).to_be_visible()
    end(collector, survey)
    page.reload()
    expect(page.get_by_role("alert")).to_contain_text("This survey is closed")
    choose(page, "العربية")
    expect(page.get_by_role("alert")).to_contain_text("هذا الاستبيان مغلق")


def test_days_are_written_as_the_language_does(ask: Ask, collector: Served) -> None:
    survey = publish(collector, ward("words-days", f"closes = {date(2099, 12, 31)}"))
    page = ask(survey)
    expect(page.locator("[part=about]")).to_contain_text("December 31, 2099")
    choose(page, "العربية")
    expect(page.locator("[part=about]")).to_contain_text("31 ديسمبر 2099")


DOSE = """
id = "words-ends"
title = "Dosis"
lang = "de"
[[questions]]
id = "dose"
type = "number"
text = "Wie viel?"
minimum = 0.5
maximum = 7.50
step = 0.5
epsilon = 1
"""


@pytest.mark.rare
def test_the_ends_of_a_range_are_written_as_the_language_does(ask: Ask, collector: Served) -> None:
    page = ask(publish(collector, compile_toml(DOSE)), words="words/")
    expect(page.locator("[data-question=dose]")).to_contain_text("Eine Zahl von 0,5 bis 7,5, in Schritten von 0,5.")
