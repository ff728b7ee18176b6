"""A respondent at `<sotto-survey>`s of a page of another origin, under a strict policy: answers, reviews, sends."""

from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, expect

from asked import ANSWERS, Answers
from sotto_protocol import Survey

WARD = """
id = "{id}"
lang = "en"
title.en = "How is work?"
title.ar = "كيف هو العمل؟"
controller.en = "The staff council"
controller.ar = "مجلس الموظفين"
[[questions]]
id = "paid"
type = "yes-no"
text.en = "Were you asked to work unpaid?"
text.ar = "هل طُلب منك العمل دون أجر؟"
section.en = "Your work"
section.ar = "عملك"
skip = "no"
prob_truth = "3/4"
[[questions]]
id = "dish"
type = "one-of"
text.en = "What do you eat?"
text.ar = "ماذا تأكل؟"
section.en = "Your lunch"
section.ar = "غداؤك"
options.en = ["soup", "salad"]
options.ar = ["حساء", "سلطة"]
epsilon = 1
"""
HEAR = """() => {
  globalThis.heard = [];
  for (const name of ["ready", "prepared", "sent", "delivered", "refused", "error"]) {
    addEventListener(`sotto-${name}`, ({ detail }) => heard.push([name, detail]));
  }
}"""

FORGIVEN = (
    "error: Failed to load resource: the server responded with a status of 4",
    "error: Failed to find a valid digest",
    "error: Fetch API cannot load",
)
"""What a browser notes of what these tests do on purpose."""

Ask = Callable[..., Page]
"""What the fixture `ask` is."""


def answer(page: Page, survey: Survey, answers: Answers = ANSWERS) -> None:
    """Answer by pointer and by typing; a question that is None is left out."""
    for question in survey.questions:
        given, place = answers[question.id], page.locator(f'[data-question="{question.id}"]')
        if question.type == "text":
            place.get_by_role("textbox").fill(given or "")
        elif question.type == "number":
            place.get_by_role("textbox").fill(str(given))
        elif place.get_by_role("combobox").count():
            place.get_by_role("combobox").select_option(label=given)
        elif given is not None:
            for word in given if question.type == "any-of" else [{True: "Yes", False: "No"}.get(given, given)]:
                place.get_by_label(word, exact=True).check()


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def send(page: Page) -> str:
    """Review and send; return the receipt, once the report was delivered."""
    press(page, "Review what will be sent")
    press(page, "Send")
    expect(page.get_by_text("Your report was delivered.")).to_be_visible()
    return receipt_on(page)


def receipt_on(page: Page) -> str:
    return page.locator("[part=receipt-code]").inner_text()


def heard_on(page: Page) -> list[Any]:
    """Return the events that the page has heard, each with what it carries."""
    return list(page.evaluate("heard"))
