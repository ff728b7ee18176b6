"""Delivery from a real browser: through closed tabs, cut wires, a second tab, and browsers that keep nothing."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, Playwright, expect

from asked import ANSWERS, named, publish, stored_reports, wait_for_reports
from chromium import UNREACHABLE, Devices, Watch, open_profile
from collecting import Served
from sotto_protocol import Survey
from visit import Visit, report_in
from wire import Wire


def answer_all(visit: Visit) -> str:
    """Answer, and send; return the receipt."""
    visit.fill(ANSWERS)
    visit.review()
    return visit.send()


def test_what_was_answered_offline_is_delivered_when_the_browser_is_opened_again(
    collector: Served, wire: Wire, playwright: Playwright, tmp_path: Path
) -> None:
    survey = publish(collector, named("offline"))
    with open_profile(playwright, tmp_path) as context:
        watch = Watch(context, wire.url)
        visit = Visit(context.pages[0], wire.url, survey).open()
        watch.forgive(UNREACHABLE)
        wire.cut()
        context.set_offline(True)
        visit.fill(ANSWERS)
        body = visit.review()
        receipt = visit.send()
        visit.expect_waiting()
        expect(visit.delivery).to_contain_text("You may close this page")
        assert watch.complaints == []
    assert stored_reports(collector, survey) == {}
    wire.mend()
    with open_profile(playwright, tmp_path) as context:
        watch = Watch(context, wire.url)
        visit = Visit(context.pages[0], wire.url, survey).open()
        assert visit.receipt() == receipt
        visit.expect_delivered()
        assert watch.complaints == []
    assert {post.body.decode() for post in wire.posts()} == {body}
    wait_for_reports(collector, survey, receipt)


def expect_no_questions(page: Page, collector: Served, survey: Survey) -> None:
    page.goto(f"{collector.url}/s/{survey.id}")
    expect(page.get_by_role("alert")).to_contain_text("This browser couldn't save what it needs")
    expect(page.locator("#fields")).to_have_attribute("disabled", "")


@pytest.mark.rare
def test_a_browser_whose_database_fails_reports_no_second_time(
    collector: Served, playwright: Playwright, tmp_path: Path
) -> None:
    """It keeps nothing in memory instead: that would be a new device, with new noise."""
    survey = publish(collector, named("broken"))
    with open_profile(playwright, tmp_path) as context:
        receipt = answer_all(Visit(context.pages[0], collector.url, survey).open())
        wait_for_reports(collector, survey, receipt)
    kept = tmp_path / "Default" / "IndexedDB"
    kept.rename(tmp_path / "aside")
    kept.write_text("no folder")
    with open_profile(playwright, tmp_path) as context:
        expect_no_questions(context.pages[0], collector, survey)
    kept.unlink()
    (tmp_path / "aside").rename(kept)
    with open_profile(playwright, tmp_path) as context:
        assert Visit(context.pages[0], collector.url, survey).open().receipt() == receipt
    assert len(stored_reports(collector, survey)) == 1


def test_a_browser_whose_database_fails_asks_nothing(collector: Served, playwright: Playwright, tmp_path: Path) -> None:
    survey = publish(collector, named("broken-first"))
    with open_profile(playwright, tmp_path) as context:
        (tmp_path / "Default" / "IndexedDB").write_text("no folder")
        expect_no_questions(context.pages[0], collector, survey)


@pytest.mark.rare
def test_a_report_is_delivered_as_soon_as_the_device_is_online_again(
    collector: Served, wire: Wire, devices: Devices
) -> None:
    survey = publish(collector, named("online"))
    context, watch = devices(wire.url)
    visit = Visit(context.new_page(), wire.url, survey).open()
    watch.forgive(UNREACHABLE)
    wire.cut()
    context.set_offline(True)
    receipt = answer_all(visit)
    visit.expect_waiting()
    wire.mend()
    context.set_offline(False)
    visit.expect_delivered()
    wait_for_reports(collector, survey, receipt)


@pytest.mark.rare
def test_an_answer_that_was_lost_costs_a_repeat_of_the_same_bytes(
    collector: Served, wire: Wire, devices: Devices
) -> None:
    """The collector counts the report, and the connection breaks before it can say so."""
    survey = publish(collector, named("unheard"))
    context, watch = devices(wire.url)
    visit = Visit(context.new_page(), wire.url, survey).open()
    watch.forgive(UNREACHABLE)
    wire.mute()
    receipt = answer_all(visit)
    wait_for_reports(collector, survey, receipt)
    visit.expect_waiting()
    wire.mend()
    wire.cut()
    wire.mend()
    visit.expect_delivered()
    bodies = [post.body for post in wire.posts()]
    assert len(bodies) >= 2
    assert len(set(bodies)) == 1
    wait_for_reports(collector, survey, receipt)


@pytest.mark.parametrize("is_left", [False, pytest.param(True, marks=pytest.mark.rare)], ids=["closed", "left"])
def test_a_page_that_goes_as_soon_as_it_has_sent_has_delivered(
    is_left: bool, collector: Served, devices: Devices
) -> None:
    survey = publish(collector, named(f"gone-{is_left}".lower()))
    receipts = []
    for _ in range(2):
        context, _ = devices()
        visit = Visit(context.new_page(), collector.url, survey).open()
        visit.fill(ANSWERS)
        receipts.append(report_in(visit.review())["id"])
        visit.page.get_by_role("button", name="Send").click()
        expect(visit.page.locator("#receipt")).to_be_visible()
        if is_left:
            visit.page.goto("about:blank")
        else:
            visit.page.close()
    wait_for_reports(collector, survey, *receipts)


def two_tabs(devices: Devices, collector: Served, survey_id: str) -> tuple[Visit, Visit]:
    """Open a new survey's page twice on one new device."""
    survey = publish(collector, named(survey_id))
    context, _ = devices()
    first, second = (Visit(context.new_page(), collector.url, survey).open() for _ in range(2))
    return first, second


@pytest.mark.rare
def test_two_tabs_make_one_report(collector: Served, devices: Devices) -> None:
    first, second = two_tabs(devices, collector, "two-tabs")
    bodies = []
    for visit, answers in ((first, ANSWERS), (second, ANSWERS | {"dish": "persimmons-soup"})):
        visit.fill(answers)
        bodies.append(report_in(visit.review()))
    assert bodies[0]["id"] == bodies[1]["id"]
    receipt = first.send()
    assert second.send() == receipt
    expect(second.page.get_by_role("heading", name="This device has already answered")).to_be_visible()
    second.expect_delivered()
    wait_for_reports(collector, first.survey, receipt)


def test_two_tabs_that_send_at_once_make_one_report(collector: Served, devices: Devices) -> None:
    visits = two_tabs(devices, collector, "at-once")
    for visit in visits:
        visit.fill(ANSWERS)
        visit.review()
    for visit in visits:
        visit.page.evaluate("() => setTimeout(() => document.getElementById('send-button').click())")
    receipt, other = (visit.receipt() for visit in visits)
    assert receipt == other
    for visit in visits:
        visit.expect_delivered()
    wait_for_reports(collector, visits[0].survey, receipt)


def test_two_tabs_send_all_that_waits_once(collector: Served, wire: Wire, devices: Devices) -> None:
    context, watch = devices(wire.url)
    surveys = [publish(collector, named(f"tab-{n}")) for n in range(2)]
    visits = [Visit(context.new_page(), wire.url, survey).open() for survey in surveys]
    watch.forgive(UNREACHABLE)
    wire.cut()
    context.set_offline(True)
    receipts = [answer_all(visit) for visit in visits]
    for visit in visits:
        visit.expect_waiting()
    wire.mend()
    context.set_offline(False)  # all tabs hear of it
    for visit in visits:
        visit.expect_delivered()
    sent = [report_in(post.body.decode())["id"] for post in wire.posts()]
    assert sorted(sent) == sorted(receipts)


@pytest.mark.rare
def test_a_private_window_delivers_and_forgets(collector: Served, devices: Devices) -> None:
    """Two of them are two devices."""
    survey = publish(collector, named("private"))
    receipts = []
    for _ in range(2):
        context, _ = devices()
        visit = Visit(context.new_page(), collector.url, survey).open()
        receipts.append(answer_all(visit))
        visit.expect_delivered()
        context.close()
    wait_for_reports(collector, survey, *receipts)


def assert_says_nothing_is_kept(page: Page) -> None:
    expect(page.get_by_text("This window saves nothing. Keep it open until your report is delivered")).to_be_visible()


def test_a_browser_that_may_store_nothing_says_so_and_delivers(
    collector: Served, wire: Wire, playwright: Playwright, tmp_path: Path
) -> None:
    survey = publish(collector, named("blocked"))
    with open_profile(playwright, tmp_path, cookies=2) as context:
        watch = Watch(context, wire.url)
        visit = Visit(context.pages[0], wire.url, survey).open()
        assert_says_nothing_is_kept(visit.page)
        visit.fill(ANSWERS)
        visit.review()
        watch.forgive(UNREACHABLE)
        wire.cut()
        receipt = visit.send()
        visit.expect_waiting()
        expect(visit.delivery).to_contain_text("Keep this page open until then")
        assert_says_nothing_is_kept(visit.page)
        wire.mend()
        visit.expect_delivered()
        visit.open()
        expect(visit.page.get_by_role("button", name="Review")).to_be_enabled()
        assert watch.complaints == []
    wait_for_reports(collector, survey, receipt)
