"""The survey page in a hurry: what is pressed while a step is in hand, and answers that come late."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect

from asked import ANSWERS, invite, named, publish, wait_for_reports
from chromium import UNREACHABLE, Devices
from collecting import Served
from sotto_protocol import Survey
from visit import Visit
from wards import ANSWERS as OF_WARD, ward
from wire import Wire

SLOW = """() => {  // while `gate` is closed no report is made
  const { importKey } = SubtleCrypto.prototype;
  let open = () => undefined;
  let gate = Promise.resolve();
  globalThis.closeGate = () => (gate = new Promise((resolve) => (open = resolve)));
  globalThis.openGate = () => open();
  SubtleCrypto.prototype.importKey = async function (...given) {
    await gate;
    return importKey.apply(this, given);
  };
}"""
TURNS = """async () => {
  for (let turn = 0; turn < 40; turn += 1) await new Promise((resolve) => setTimeout(resolve, 10));
}"""
REVIEW_AND_LEAVE = """async () => {
  closeGate();
  document.getElementById("review-button").click();
  for (const kind of ["pagehide", "pageshow"]) dispatchEvent(new PageTransitionEvent(kind));
  openGate();
}"""
REVIEW_AND_GO_BACK = """async () => {
  closeGate();
  document.getElementById("review-button").click();
  const isBack = new Promise((resolve) => addEventListener("popstate", resolve));
  history.back();
  await isBack;
  openGate();
}"""
CLICK_REVIEW = "() => document.getElementById('review-button').click()"


def open_ward(page: Page, url: str, collector: Served, survey_id: str, *, parts: bool = False) -> Visit:
    return Visit(page, url, publish(collector, ward(survey_id, "en", "de", parts=parts)))


def hold(page: Page, ends: str) -> Callable[[], None]:
    """Keep the first request to an address of this end waiting; return what lets it go on."""
    held: list[Route] = []
    page.route(lambda url: url.endswith(ends), lambda route: route.continue_() if held else held.append(route))
    return lambda: held[0].continue_()


@pytest.mark.rare
def test_a_language_that_is_chosen_while_the_page_gets_ready_is_shown(collector: Served, devices: Devices) -> None:
    page = devices()[0].new_page()
    visit = open_ward(page, collector.url, collector, "early")
    let_go = hold(page, f"/v1/surveys/{visit.survey.id}")
    page.goto(visit.address)
    with page.expect_request(lambda request: request.url.endswith(f"/v1/surveys/{visit.survey.id}")):
        page.wait_for_load_state()
    page.get_by_role("link", name="Deutsch").click()
    let_go()
    expect(page.locator("html")).to_have_attribute("lang", "de")
    expect(page.locator("#fields")).not_to_have_attribute("disabled", "")


@pytest.mark.rare
def test_of_languages_that_are_chosen_one_after_the_other_the_last_is_shown(
    collector: Served, devices: Devices
) -> None:
    page = devices()[0].new_page()
    survey = publish(collector, ward("hasty", "en", "de", "fr", parts=False))
    visit = Visit(page, collector.url, survey).open()
    visit.fill(OF_WARD)
    let_go = hold(page, "lang=de")
    with page.expect_request(lambda request: request.url.endswith("lang=de")):
        page.get_by_role("link", name="Deutsch").click()
    expect(page.locator("#send-button")).to_be_disabled()
    page.get_by_role("link", name="français").click()
    let_go()
    expect(page.locator("html")).to_have_attribute("lang", "fr")
    expect(page.locator("#fields")).not_to_have_attribute("disabled", "")
    expect(page.locator("#review-button")).to_be_visible()
    assert page.locator("#fields :checked").count() > 0


@pytest.mark.rare
def test_a_language_that_cannot_be_had_opens_no_form_whose_survey_was_not_read(
    collector: Served, wire: Wire, devices: Devices
) -> None:
    context, watch = devices(wire.url)
    watch.forgive(UNREACHABLE)
    page = context.new_page()
    visit = open_ward(page, wire.url, collector, "unread")
    page.route(lambda url: url.endswith(f"/v1/surveys/{visit.survey.id}"), lambda route: route.abort())
    visit.open()
    expect(visit.alarm).to_contain_text("The survey can't be loaded now")
    wire.cut()
    with page.expect_event("requestfailed"):
        page.get_by_role("link", name="Deutsch").click()
    expect(visit.alarm).to_contain_text("Please try again later.")
    expect(page.locator("#fields")).to_have_attribute("disabled", "")


def test_who_comes_back_to_a_page_that_was_left_in_the_middle_of_a_step_sees_no_answers(
    collector: Served, devices: Devices
) -> None:
    page = devices()[0].new_page()
    page.add_init_script(f"({SLOW})()")
    visit = open_ward(page, collector.url, collector, "left-midway").open()
    visit.fill(OF_WARD)
    page.evaluate(REVIEW_AND_LEAVE)
    page.evaluate(TURNS)
    expect(page.locator("td.answered")).to_have_count(0)
    expect(page.locator("#review")).to_be_hidden()


@pytest.mark.rare
def test_who_goes_back_while_the_review_is_made_stays_at_the_questions(collector: Served, devices: Devices) -> None:
    page = devices()[0].new_page()
    page.add_init_script(f"({SLOW})()")
    visit = open_ward(page, collector.url, collector, "back-midway", parts=True).open()
    visit.fill(OF_WARD)
    for number in (2, 3):
        page.locator("#next-button").click()
        expect(page.locator(f"#part-{number}")).to_be_visible()
    page.evaluate(REVIEW_AND_GO_BACK)
    page.evaluate(TURNS)
    expect(page.locator("#review")).to_be_hidden()
    expect(page.locator("#part-2")).to_be_visible()
    page.locator("#next-button").click()
    page.evaluate(CLICK_REVIEW)
    expect(page.locator("#review")).to_be_visible()


@pytest.mark.rare
def test_an_erased_report_is_said_to_be_erased_when_the_device_is_online_again(
    collector: Served, devices: Devices
) -> None:
    page = devices()[0].new_page()
    visit = Visit(page, collector.url, publish(collector, named("erased-online"))).open()
    visit.fill(ANSWERS)
    visit.review()
    visit.send()
    visit.expect_delivered()
    page.get_by_text("Erase my report").click()
    for _ in range(2):
        with page.expect_response(lambda response: response.url.endswith("/erase")):
            page.get_by_role("button", name="Erase it now").click()
    page.evaluate("() => dispatchEvent(new Event('online'))")
    page.evaluate(TURNS)
    expect(page.locator("#erased")).to_have_text("Your report was erased and is no longer counted.")
    expect(page.locator("#receipt-title")).to_have_text("Your report was erased")


def open_invited(page: Page, url: str, collector: Served, survey_id: str) -> tuple[Visit, list[str]]:
    survey: Survey = publish(collector, named(survey_id, invited=True))
    return Visit(page, url, survey), invite(collector, survey, 2)


@pytest.mark.rare
def test_an_invited_report_is_seen_to_be_delivered_when_the_device_is_online_again(
    collector: Served, wire: Wire, devices: Devices
) -> None:
    context, watch = devices(wire.url)
    visit, (good, _) = open_invited(context.new_page(), wire.url, collector, "invited-offline")
    visit.open(f"#{good}")
    visit.fill(ANSWERS)
    visit.review()
    watch.forgive(UNREACHABLE)
    wire.cut()
    context.set_offline(True)
    receipt = visit.send()
    visit.expect_waiting()
    wire.mend()
    context.set_offline(False)
    visit.expect_delivered()
    expect(visit.alarm).to_be_empty()
    wait_for_reports(collector, visit.survey, receipt)


@pytest.mark.rare
def test_what_is_said_late_of_an_invitation_is_not_said_of_another(collector: Served, devices: Devices) -> None:
    page = devices()[0].new_page()
    visit, (used, good) = open_invited(page, collector.url, collector, "replaced")
    spent = Visit(devices()[0].new_page(), collector.url, visit.survey).open(f"#{used}")
    spent.fill(ANSWERS)
    spent.review()
    spent.send()
    spent.expect_delivered()
    visit.open()
    field = page.get_by_label("Your invitation")
    let_go = hold(page, "/invitations/check")
    with page.expect_request("**/invitations/check"):
        field.fill(used)
        field.press("Tab")
    with page.expect_response("**/invitations/check"):
        field.fill(good)
        field.press("Tab")
    with page.expect_response("**/invitations/check"):
        let_go()
    page.evaluate(TURNS)
    expect(page.locator("#invitation-error")).to_be_hidden()
    expect(visit.alarm).to_be_empty()
