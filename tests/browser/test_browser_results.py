"""The results page in a real browser: signed in by the browser's own means, and fresh while it is open."""

import pytest
from click.testing import CliRunner
from playwright.sync_api import Page, expect

from asked import publish
from chromium import Devices, Watch
from collecting import Served, make_reports
from sotto_client.cli import main
from sotto_protocol import Survey, compile_toml

EVERY_MS = 30_000
WAVES = compile_toml("""
id = "waves"
title = "Asked three times"
waves = 3
closes = 9999-12-31
[[questions]]
id = "facts"
type = "any-of"
mechanism = "bit-flips"
text = "Which are so?"
options = ["a", "b", "c"]
epsilon = 2
""")


def collect(collector: Served, survey: Survey, n_reports: int, wave: int) -> None:
    assert collector.send(make_reports(n_reports, survey, wave), survey)[0] == 200


@pytest.fixture
def opened(collector: Served, devices: Devices) -> tuple[Page, Watch]:
    """A page of results of two waves, whose clock the test winds, opened with an analyst's token."""
    if collector.ask("GET", "/v1/surveys/waves")[0] == 404:
        publish(collector, WAVES)
        for wave in (1, 2):
            collect(collector, WAVES, 100, wave)
    secret = {"username": "anybody", "password": collector.analyst}
    context, watch = devices(collector.url, http_credentials=secret, viewport={"width": 360, "height": 700})
    page = context.new_page()
    page.clock.install()
    page.goto(f"{collector.url}/s/waves/results")
    expect(page.locator("h1")).to_have_text("Asked three times")
    return page, watch


def n_shown(page: Page) -> int:
    return int(page.locator("#results").get_attribute("data-n") or "")


def wind(page: Page) -> None:
    """Let half a minute pass, and wait for what the page asks then."""
    with page.expect_response(lambda response: "/results" in response.url):
        page.clock.fast_forward(EVERY_MS + 1)


def test_new_reports_appear_and_are_announced_and_focus_stays(opened: tuple[Page, Watch], collector: Served) -> None:
    page, _ = opened
    n_before = n_shown(page)
    page.locator("#q1-opens").click()
    page.locator("#q1-table").focus()
    collect(collector, WAVES, 50, 3)
    wind(page)
    expect(page.locator("#news")).to_have_text(f"Now {n_before + 50} reports.")
    assert n_shown(page) == n_before + 50
    expect(page.locator("#q1-table")).to_be_focused()
    expect(page.locator("#q1-numbers")).to_have_attribute("open", "")


@pytest.mark.rare
def test_the_last_day_is_written_as_readers_write_it_and_stays_so(
    opened: tuple[Page, Watch], collector: Served
) -> None:
    page, _ = opened
    last = page.get_by_text("The survey is open until")
    expect(last).to_contain_text("The survey is open until December 31, 9999.")
    n_before = n_shown(page)
    collect(collector, WAVES, 10, 1)
    wind(page)
    expect(page.locator("#results")).to_have_attribute("data-n", str(n_before + 10))
    expect(last).to_contain_text("The survey is open until December 31, 9999.")


@pytest.mark.rare
def test_nothing_is_sent_or_announced_while_nothing_is_new(opened: tuple[Page, Watch]) -> None:
    page, _ = opened
    with page.expect_response(lambda response: response.status == 304):
        page.clock.fast_forward(EVERY_MS + 1)
    expect(page.locator("#news")).to_have_text("")


@pytest.mark.rare
def test_a_choice_that_is_being_made_is_left_alone(opened: tuple[Page, Watch], collector: Served) -> None:
    page, _ = opened
    page.get_by_text("Advanced: how the ranges are computed").click()
    page.get_by_label("Level").select_option("0.99")
    page.get_by_label("Level").focus()
    collect(collector, WAVES, 10, 3)
    wind(page)
    expect(page.locator("#news")).not_to_have_text("")
    expect(page.get_by_label("Level")).to_be_focused()
    page.get_by_role("form", name="How the ranges are computed").get_by_role("button", name="Show").click()
    expect(page.locator("#advanced")).to_contain_text("99 % confidence in each range, for the population")
    assert "level=0.99" in page.url


@pytest.mark.rare
def test_files_are_saved_under_their_names_and_the_page_stays(opened: tuple[Page, Watch]) -> None:
    page, _ = opened
    page.locator("#q1-opens").click()
    for link, name in (("#csv", "waves-results.csv"), ("#q1-png", "waves-facts-shares.png")):
        with page.expect_download() as download:
            page.locator(link).click()
        assert download.value.suggested_filename == name
    expect(page.locator("h1")).to_have_text("Asked three times")


def test_page_that_may_be_seen_no_longer_says_so_and_asks_no_more(
    opened: tuple[Page, Watch], collector: Served
) -> None:
    page, watch = opened
    watch.forgive("error: Failed to load resource: the server responded with a status of 401")
    page.context.set_extra_http_headers({"Authorization": "Bearer none"})
    wind(page)
    expect(page.locator("#news")).to_contain_text("Reload the page to sign in again.")
    n_asked = len(watch.asked)
    page.clock.fast_forward(3 * EVERY_MS)
    page.evaluate("1")  # whatever was to be asked has been
    assert len(watch.asked) == n_asked


def test_reader_of_a_share_link_is_not_told_to_sign_in(
    opened: tuple[Page, Watch], collector: Served, devices: Devices
) -> None:
    shared = CliRunner().invoke(main, ["share", collector.url, "waves", "--token", collector.admin])
    context, watch = devices(collector.url)
    watch.forgive("error: Failed to load resource: the server responded with a status of 410")
    page = context.new_page()
    page.clock.install()
    page.goto(shared.stdout.strip())
    expect(page.locator("h1")).to_have_text("Asked three times")
    page.route("**/results", lambda route: route.fulfill(status=410))
    wind(page)
    expect(page.locator("#news")).to_contain_text("Please open your link again, or ask the people who gave it to you.")
