"""The page's language changed late: a report waits, the survey was closed, its draft was replaced."""

import pytest
from playwright.sync_api import BrowserContext, expect

from asked import end, publish, wait_for_reports
from chromium import UNREACHABLE, Devices
from collecting import Served
from visit import Visit
from wards import ANSWERS, ward

WITHOUT_STORAGE = "Object.defineProperty(globalThis, 'indexedDB', { value: undefined })"
REPORTS = "**/v1/surveys/*/reports"


def wait_with_a_report(context: BrowserContext, collector: Served, survey_id: str) -> Visit:
    """Answer a survey whose collector takes no report now; `context.unroute(REPORTS)` ends that."""
    survey = publish(collector, ward(survey_id, "en", "de", parts=False))
    context.route(REPORTS, lambda route: route.abort())
    visit = Visit(context.new_page(), collector.url, survey).open()
    visit.fill(ANSWERS)
    visit.review()
    visit.send()
    visit.expect_waiting()
    return visit


@pytest.mark.rare
def test_report_that_nothing_keeps_outlives_a_change_of_language(collector: Served, devices: Devices) -> None:
    context, watch = devices()
    watch.forgive(UNREACHABLE)
    context.add_init_script(WITHOUT_STORAGE)
    visit = wait_with_a_report(context, collector, "late-memory")
    receipt = visit.receipt()
    visit.page.get_by_role("link", name="Deutsch").click()
    expect(visit.page.locator("html")).to_have_attribute("lang", "de")
    expect(visit.page.locator("#questions")).to_be_hidden()
    assert visit.receipt() == receipt
    expect(visit.delivery).to_contain_text("Lassen Sie diese Seite")
    asked = []
    visit.page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.dismiss()))
    visit.page.close(run_before_unload=True)
    context.unroute(REPORTS)
    visit.page.evaluate("dispatchEvent(new Event('online'))")
    expect(visit.delivery).to_have_text("Ihre Meldung wurde zugestellt.")
    wait_for_reports(collector, visit.survey, receipt)
    assert asked == ["beforeunload"]
    visit.page.reload()  # nothing is lost by that now, and so nothing asked
    assert asked == ["beforeunload"]


@pytest.mark.rare
def test_language_that_is_chosen_offline_leaves_the_receipt(collector: Served, devices: Devices) -> None:
    context, watch = devices()
    watch.forgive(UNREACHABLE)
    visit = wait_with_a_report(context, collector, "late-offline")
    receipt = visit.receipt()
    context.set_offline(True)
    visit.page.get_by_role("link", name="Deutsch").click()
    expect(visit.alarm).to_contain_text("Please try again later.")
    assert visit.receipt() == receipt
    context.unroute(REPORTS)
    context.set_offline(False)
    visit.expect_delivered()
    visit.page.get_by_role("link", name="Deutsch").click()
    expect(visit.delivery).to_have_text("Ihre Meldung wurde zugestellt.")
    assert visit.receipt() == receipt


@pytest.mark.rare
def test_survey_that_was_closed_meanwhile_is_over_in_the_other_language_too(
    collector: Served, devices: Devices
) -> None:
    survey = publish(collector, ward("late-closed", "en", "de", parts=False))
    visit = Visit(devices()[0].new_page(), collector.url, survey).open()
    visit.fill(ANSWERS)
    end(collector, survey)
    visit.page.get_by_role("link", name="Deutsch").click()
    expect(visit.page.get_by_text("Sie nimmt keine Antworten mehr an.")).to_be_visible()
    expect(visit.page.locator("#loading")).to_have_count(0)
    expect(visit.alarm).to_be_empty()


@pytest.mark.rare
def test_draft_that_was_replaced_meanwhile_can_be_answered_in_the_other_language(
    collector: Served, devices: Devices
) -> None:
    first, second = (ward("late-draft", "en", "de", parts=False, min_reports=n) for n in (2, 3))
    _, _, put = collector.ask("POST", "/v1/drafts", first.canonical, collector.admin)
    visit = Visit(devices()[0].new_page(), collector.url, first).open(f"?preview={put['preview']}")
    visit.fill(ANSWERS)
    collector.ask("POST", "/v1/drafts", second.canonical, collector.admin)
    visit.page.get_by_role("link", name="Deutsch").click()
    expect(visit.page.locator("main")).to_have_attribute("data-fingerprint", second.fingerprint)
    expect(visit.page.locator("#loading")).to_have_count(0)
    visit.fill(ANSWERS)
    visit.page.locator("#review-button").click()
    expect(visit.body).to_contain_text(second.fingerprint)
    expect(visit.alarm).to_be_empty()
