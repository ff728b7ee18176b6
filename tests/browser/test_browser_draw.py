"""`draw` on the survey page: it asks what was drawn and nothing else, after a reload too, and sends exactly that."""

import pytest
from playwright.sync_api import Page, expect

from asked import ANSWERS, named, publish, stored_reports, wait_for_reports
from chromium import Devices
from collecting import Served
from sotto_protocol import Survey
from visit import Visit, report_in
from wire import Wire

OLD_DATABASE = """() => new Promise((resolve, reject) => {
  const request = indexedDB.open("sottovoce", 1);
  request.onupgradeneeded = () => {
    const stores = {
      surveys: ["url", "surveyId"], secrets: ["fingerprint"], ledger: ["fingerprint", "wave"], outbox: ["receipt"],
    };
    for (const [name, key] of Object.entries(stores)) request.result.createObjectStore(name, { keyPath: key });
  };
  request.onsuccess = () => { request.result.close(); resolve(request.result.version); };
  request.onerror = reject;
})"""


def asked_on(page: Page) -> list[str]:
    """Return the ids of the questions that a page shows."""
    shown = page.locator("[data-question]:visible").all()
    return [place.get_attribute("data-question") or "" for place in shown]


def answer_drawn(visit: Visit, survey: Survey, asked: list[str]) -> None:
    drawn = [question for question in survey.questions if question.id in asked]
    for question in drawn:
        place = visit.question(question.id)
        answer = ANSWERS[question.id]
        if question.type == "text":
            place.get_by_role("textbox").fill(answer)
        elif place.get_by_role("combobox").count():
            place.get_by_role("combobox").select_option(answer)
        else:
            for word in answer if question.type == "any-of" else [{True: "Yes"}.get(answer, answer)]:
                place.get_by_label(word, exact=True).check()


def test_the_page_asks_what_was_drawn_the_same_after_a_reload_and_sends_that(
    collector: Served, wire: Wire, devices: Devices
) -> None:
    survey = publish(collector, named("drawn", draw=2))
    context, _ = devices(wire.url)
    visit = Visit(context.new_page(), wire.url, survey).open()
    asked = asked_on(visit.page)
    assert len(asked) == 2
    assert visit.page.locator("#questions .number").all_inner_texts() == ["1", "2"]
    expect(
        visit.page.get_by_text(f"Your device asks you only 2 of these {len(survey.questions)} questions")
    ).to_be_visible()
    visit.page.reload()
    expect(visit.page.locator("#loading")).to_have_count(0)
    assert asked_on(visit.page) == asked
    second = Visit(context.new_page(), wire.url, survey).open()
    assert asked_on(second.page) == asked
    answer_drawn(visit, survey, asked)
    body = visit.review()
    assert [*report_in(body)["answers"]] == sorted(asked)
    expect(visit.page.locator("table.review tbody")).to_have_count(2)
    receipt = visit.send()
    visit.expect_delivered()
    wait_for_reports(collector, survey, receipt)
    [record] = stored_reports(collector, survey).values()
    assert len(record) == survey.layout.n_bytes


@pytest.mark.rare
def test_devices_are_asked_differently(collector: Served, wire: Wire, devices: Devices) -> None:
    survey = publish(collector, named("drawn-apart", draw=1))
    found = set()
    for _ in range(8):
        context, _ = devices(wire.url)
        found |= {*asked_on(Visit(context.new_page(), wire.url, survey).open().page)}
        context.close()
    assert len(found) > 1  # all the same with a probability of 1e-5


@pytest.mark.rare
def test_a_database_of_an_earlier_version_is_taken_over(collector: Served, wire: Wire, devices: Devices) -> None:
    survey = publish(collector, named("drawn-later", draw=2))
    context, _ = devices(wire.url)
    context.add_init_script(f"if (location.protocol === 'http:') globalThis.before = ({OLD_DATABASE})();")
    visit = Visit(context.new_page(), wire.url, survey).open()
    assert visit.page.evaluate("before") == 1
    assert len(asked_on(visit.page)) == 2
    expect(visit.page.locator("#not-durable")).to_be_hidden()
