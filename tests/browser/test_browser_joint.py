"""Questions asked together, on the survey page and in the element: one by one, reviewed and sent as one answer."""

from playwright.sync_api import expect

from asked import publish, stored_reports, wait_for_reports
from chromium import Devices
from collecting import Served
from component_visit import Ask, receipt_on
from sotto_protocol import Survey, compile_survey
from visit import Visit, report_in
from wire import Wire

QUESTIONS = [
    {"id": "smokes", "type": "yes-no", "text": "Do you smoke?"},
    {"id": "region", "type": "one-of", "text": "Where do you live?", "options": ["north", "south"], "skip": "south"},
]
TOGETHER = [{"questions": ["smokes", "region"], "epsilon": 8}]


def joint(collector: Served, survey_id: str) -> Survey:
    return publish(
        collector,
        compile_survey({"id": survey_id, "title": "Health", "questions": QUESTIONS, "together": TOGETHER}),
    )


def test_the_page_asks_one_by_one_and_sends_one_answer(collector: Served, wire: Wire, devices: Devices) -> None:
    survey = joint(collector, "joint-page")
    context, _ = devices(wire.url)
    visit = Visit(context.new_page(), wire.url, survey).open()
    for question_id in ("smokes", "region"):
        expect(visit.question(question_id).get_by_text("1 other question are changed together")).to_have_count(1)
    visit.page.get_by_role("button", name="Review").click()
    expect(visit.page.get_by_role("link", name="Please choose one.")).to_have_count(1)
    visit.question("smokes").get_by_label("Yes", exact=True).check()
    visit.question("region").get_by_label("north", exact=True).check()
    body = visit.review()
    assert [*report_in(body)["answers"]] == ["smokes-region"]
    row = visit.page.locator("table.review tbody")
    expect(row).to_have_count(1)
    expect(row).to_contain_text("Do you smoke? Where do you live?")
    expect(row.locator(".answered")).to_have_text("Yes, north")
    assert row.locator(".sent").inner_text() in {"No, north", "No, south", "Yes, north", "Yes, south"}
    receipt = visit.send()
    wait_for_reports(collector, survey, receipt)
    assert len(stored_reports(collector, survey)) == 1


def test_the_element_asks_one_by_one_and_says_what_a_skip_is(ask: Ask, collector: Served, wire: Wire) -> None:
    survey = joint(collector, "joint-element")
    page = ask(survey)
    page.locator("[data-question=smokes]").get_by_label("No", exact=True).check()
    page.get_by_role("button", name="Review what will be sent").click()
    expect(page.locator(".row")).to_have_count(1)
    expect(page.locator(".answered")).to_have_text("No, Skipped, which counts as “south”")
    page.get_by_role("button", name="Send").click()
    wait_for_reports(collector, survey, receipt_on(page))
