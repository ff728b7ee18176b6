"""The survey page as one file: from a disk and from any host it asks its collector alone, and does what the page does.

`test_browser_page.py` runs some tests of the page on the file too.
"""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from asked import ANSWERS, configure, end, invite, named, publish, publish_blind, stored_reports, wait_for_reports
from chromium import NO_COOKIES, Devices
from collecting import Served
from engines import ENGINES, until
from own_site import site_of
from sotto_author.page import make_page
from sotto_protocol import Survey, compile_toml
from test_browser_engines import SHOWN, answer
from visit import Visit, report_in
from wire import Wire

LANGUAGES = """
id = "{id}"
title = {{en = "Lunch", de = "Essen", ar = "غداء"}}
[[questions]]
id = "paid"
type = "yes-no"
text = {{en = "Paid?", de = "Bezahlt?", ar = "دفعت؟"}}
epsilon = 1
"""


def write(folder: Path, collector: Served, url: str, survey: Survey, **settings: Any) -> str:
    """Publish a survey whose collector files on a disk may ask; return the address of its page there."""
    publish(collector, survey)
    configure(collector, survey, cors_origins=["null"])
    (folder / "lunch.html").write_text(make_page(survey, url, **settings), encoding="utf-8")
    return (folder / "lunch.html").as_uri()


@pytest.mark.parametrize("engine", ENGINES)
def test_a_file_on_a_disk_is_answered_in_every_engine(
    engine: str, collector: Served, wire: Wire, tmp_path: Path
) -> None:
    survey = named(f"file-{engine}")
    address = write(tmp_path, collector, wire.url, survey)
    with ENGINES[engine](tmp_path / "profile") as tab:
        tab.goto(address)
        until(tab, "() => !document.getElementById('fields').disabled")
        answer(tab)
        tab.click("#review-button")
        until(tab, SHOWN, "review")
        body = tab.run("() => document.getElementById('body').textContent")
        tab.click("#send-button")
        receipt = until(tab, SHOWN, "receipt-code")
        until(tab, f"() => ({SHOWN})('delivery') === 'Your report was delivered.'")
        wait_for_reports(collector, survey, receipt)
        assert [post.body.decode() for post in wire.posts()] == [body]
        assert report_in(body)["id"] == receipt
        tab.reload()
        assert until(tab, SHOWN, "receipt-code") == receipt
    assert list(stored_reports(collector, survey)) == [receipt]


def test_a_file_speaks_all_languages_and_asks_for_nothing_but_its_survey(
    collector: Served, wire: Wire, devices: Devices, tmp_path: Path
) -> None:
    survey = compile_toml(LANGUAGES.format(id="file-languages"))
    address = write(tmp_path, collector, wire.url, survey)
    context, watch = devices(wire.url, address, locale="de-AT")
    watch.forgive(NO_COOKIES)
    visit = Visit(context.new_page(), wire.url, survey, address).open()
    expect(visit.page).to_have_title("Essen")
    visit.question("paid").get_by_label("Ja").check()
    visit.page.get_by_role("link", name="العربية").click()
    expect(visit.page.locator("html")).to_have_attribute("dir", "rtl")
    expect(visit.question("paid").locator("input").first).to_be_checked()
    expect(visit.page).to_have_url(f"{address}?lang=ar")
    visit.page.reload()
    expect(visit.page).to_have_title("غداء")
    asked = {url for url in watch.asked if not url.startswith(("file:", "data:"))}
    assert asked == {f"{wire.url}/v1/surveys/{survey.id}"}
    refused = visit.page.evaluate(f"fetch('{wire.url}/metrics').then(String, (fault) => fault.name)")
    assert refused == "TypeError"
    watch.complaints.clear()  # of what was just refused


@pytest.mark.parametrize("invitations", ["plain", "blind"])
def test_a_file_on_any_host_takes_invitations_and_says_when_its_survey_is_over(
    invitations: str, collector: Served, wire: Wire, devices: Devices
) -> None:
    is_blind = invitations == "blind"
    survey = (
        publish_blind(collector, "file-blind") if is_blind else publish(collector, named("file-invited", invited=True))
    )
    with site_of({"/lunch.html": make_page(survey, wire.url).encode()}) as site:
        configure(collector, survey, cors_origins=[site])
        context, _ = devices(wire.url, site)
        [code] = invite(collector, survey)
        visit = Visit(context.new_page(), wire.url, survey, f"{site}/lunch.html").open(f"#{code}")
        expect(visit.page).to_have_url(f"{site}/lunch.html")
        visit.answer(ANSWERS)
        body = visit.review()
        receipt = visit.send()
        visit.expect_delivered()
        assert report_in(body)["id"] == receipt
        assert ("token" in report_in(body), "invitation" in report_in(body)) == (is_blind, not is_blind)
        wait_for_reports(collector, survey, receipt)
        visit.page.get_by_text("Erase my report").click()
        visit.page.get_by_role("button", name="Erase it now").click()
        expect(visit.page.locator("#erased")).to_contain_text("erased")
        end(collector, survey)
        other, _ = devices(wire.url, site)
        late = Visit(other.new_page(), wire.url, survey, f"{site}/lunch.html").open()
        expect(late.alarm).to_contain_text("This survey is closed")
        expect(late.page.locator("#questions")).to_be_hidden()
