"""`<sotto-survey>` on a page of another origin, under a strict policy: from the answers to the stored report."""

from playwright.sync_api import Page, expect

from asked import ANSWERS, Answers, configure, named, publish, wait_for_reports
from chromium import Devices
from collecting import Served
from component_site import asking, element, page_of, policy_for
from sotto_protocol import Survey
from wire import Wire


def answer(page: Page, survey: Survey, answers: Answers = ANSWERS) -> None:
    """Answer by pointer and by typing; a question that is None is left out."""
    for question in survey.questions:
        given, place = answers[question.id], page.locator(f'[data-question="{question.id}"]')
        if question.type == "text":
            place.get_by_role("textbox").fill(given or "")
        elif place.get_by_role("combobox").count():
            place.get_by_role("combobox").select_option(label=given)
        elif given is not None:
            for word in given if question.type == "any-of" else [{True: "Yes", False: "No"}.get(given, given)]:
                place.get_by_label(word, exact=True).check()


def test_from_the_answers_to_the_report(collector: Served, wire: Wire, devices: Devices) -> None:
    survey = publish(collector, named("component"))
    with asking({"/index.html": page_of(element(wire.url, survey), policy_for(wire.url))}) as url:
        configure(collector, survey, cors_origins=[url])
        context, _ = devices(wire.url, url)
        page = context.new_page()
        page.goto(f"{url}/index.html")
        expect(page.get_by_role("heading", name="Habits")).to_be_visible()
        answer(page, survey)
        page.get_by_role("button", name="Review what will be sent").click()
        expect(page.locator("dd.answered")).to_have_text(
            ["Yes", "persimmons-leftovers", "greenhouse-13", "elderflower-wine, elderflower-gin", "kaleidoscope"]
        )
        body = page.locator("pre").text_content()
        page.get_by_role("button", name="Send", exact=True).click()
        expect(page.get_by_text("Your report was delivered.")).to_be_visible()
        receipt = page.locator("code").text_content()
        wait_for_reports(collector, survey, receipt)
        assert [post.body.decode() for post in wire.posts()] == [body]
