"""The pages of docs/embedding.md, as they are, in a real browser, against a real collector on another origin."""

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, expect

from asked import configure
from cases import rare
from chromium import open_profile
from collecting import TIMEOUT_S, Served, serve
from embedded import CANARY, CHOSEN, LUNCH, forms_in
from examples import Place, assert_nothing_is_kept, place_of_flask, place_of_pages
from sotto_protocol.explain import explain

LITTLE = explain(LUNCH).protected_little


@pytest.fixture
def place(lunch: Served) -> Iterator[Place]:
    """The examples' pages, which may ask the collector."""
    with place_of_pages(lunch) as opened:
        configure(lunch, LUNCH, cors_origins=[opened.to_site.url])
        yield opened


@pytest.fixture
def device(browser: Browser) -> Iterator[BrowserContext]:
    """A new device, which remembers nothing."""
    with browser.new_context() as context:
        yield context


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def answer(page: Page) -> None:
    """Answer as people do, whatever the page calls a yes; that answers are protected little was said before."""
    expect(page.locator("[data-survey] .little")).to_have_text(LITTLE)
    page.get_by_label("yes").check()
    page.get_by_label(CHOSEN).check()
    page.get_by_role("textbox").fill(CANARY)


def review(page: Page) -> str:
    """Go on to what will be sent, which stands beside what was answered; return its text."""
    press(page, "Show what will be sent")
    rows = page.get_by_role("dialog").get_by_role("row")
    expect(rows).to_have_count(4)
    expect(page.get_by_role("dialog").get_by_text(LITTLE)).to_be_visible()
    assert [row.get_by_role("cell").nth(1).text_content() for row in rows.all()[1:]] == ["yes", CHOSEN, CANARY]
    return page.locator("dialog pre").text_content() or ""


def receipt_on(page: Page) -> str:
    """Wait for a receipt, and return it."""
    status = page.get_by_role("status")
    expect(status).to_contain_text("receipt: ")
    return (status.text_content() or "").split("receipt: ")[1][:32]


def send(page: Page, address: str) -> tuple[str, str]:
    """Answer on a page, and send; return what was shown and the receipt."""
    page.goto(address)
    answer(page)
    shown = review(page)
    press(page, "Send")
    return shown, receipt_on(page)


def test_page_of_your_own_sends_what_it_shows_and_keeps_no_answer(place: Place, device: BrowserContext) -> None:
    watch, page = place.watch(device), device.new_page()
    shown, receipt = send(page, f"{place.to_site.url}/index.html")
    expect(page.get_by_role("status")).to_contain_text("It was delivered.")
    place.expect_counted(receipt)
    assert place.posts() == [shown]
    place.assert_only_noise_was_sent()
    assert_nothing_is_kept(page)
    assert watch.complaints == []


@pytest.mark.rare
def test_page_shows_the_receipt_to_who_comes_again(place: Place, device: BrowserContext) -> None:
    page = device.new_page()
    _, receipt = send(page, f"{place.to_site.url}/index.html")
    expect(page.get_by_role("status")).to_contain_text("It was delivered.")
    page.reload()
    assert receipt_on(page) == receipt
    expect(page.locator("form")).to_be_hidden()
    assert len(place.posts()) == 1


@pytest.mark.rare
def test_respondent_who_changes_an_answer_and_changes_it_back_sees_the_same_noise(
    place: Place, device: BrowserContext
) -> None:
    page = device.new_page()
    page.goto(f"{place.to_site.url}/index.html")
    answer(page)
    shown = review(page)
    press(page, "Change answers")
    page.get_by_label("No").check()
    press(page, "Show what will be sent")
    press(page, "Change answers")
    page.get_by_label("Yes").check()
    assert review(page) == shown
    assert place.posts() == []


@pytest.mark.rare
def test_question_that_needs_an_answer_is_asked_for_and_the_others_may_be_left_out(
    place: Place, device: BrowserContext
) -> None:
    page = device.new_page()
    page.goto(f"{place.to_site.url}/index.html")
    press(page, "Show what will be sent")
    expect(page.get_by_label("Yes")).to_be_focused()
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.get_by_label("Yes").check()
    press(page, "Show what will be sent")
    press(page, "Send")
    place.expect_counted(receipt_on(page))


@pytest.mark.rare
def test_page_asks_nothing_until_the_operator_allows_its_origin(place: Place, device: BrowserContext) -> None:
    configure(place.collector, LUNCH, cors_origins=[])
    page = device.new_page()
    page.goto(f"{place.to_site.url}/index.html")
    expect(page.get_by_role("status")).to_contain_text("no answer from the collector")
    expect(page.locator("form")).to_be_hidden()
    place.allow()
    page.reload()
    expect(page.locator("form")).to_be_visible()


def test_page_refuses_a_survey_that_is_not_the_one_that_it_pins(tmp_path: Path, device: BrowserContext) -> None:
    weaker = replace(LUNCH, title="Lunch at work, with less noise")
    with serve(tmp_path / "survey.db", survey=weaker) as collector, place_of_pages(collector) as place:
        configure(collector, weaker, cors_origins=[place.to_site.url])
        page = device.new_page()
        page.goto(f"{place.to_site.url}/index.html")
        expect(page.get_by_role("status")).to_contain_text("not the pinned one")
        expect(page.locator("form")).to_be_hidden()
        assert place.posts() == []


@pytest.mark.rare
def test_collector_gives_the_module_to_pages_of_any_origin(place: Place, device: BrowserContext) -> None:
    page = device.new_page()
    page.goto(f"{place.to_site.url}/bare.html")
    load = "async (url) => Object.keys(await import(`${url}/js/sottovoce.js`))"
    assert "SurveyClient" in page.evaluate(load, place.to_collector.url)


LEAKS = [
    "fetch('/leak?' + new URLSearchParams(new FormData(document.querySelector('form'))))",
    "document.body.insertAdjacentHTML('beforeend', '<img src=\"/leak.png\">')",
    "document.body.append(Object.assign(document.createElement('script'), { textContent: 'fetch(\"/leak\")' }))",
    "Object.assign(document.querySelector('form'), { method: 'get', action: '/leak' }).submit()",
]
NAMED = ["fetch", "image", "inline script", "form"]


@pytest.mark.parametrize("leak", [rare(leak) if leak in LEAKS[1:3] else leak for leak in LEAKS], ids=NAMED)
def test_policy_lets_nothing_leave_the_page_but_what_the_client_sends(
    place: Place, device: BrowserContext, leak: str
) -> None:
    for name in ("index.html", "bare.html"):
        page = device.new_page()
        page.goto(f"{place.to_site.url}/{name}")
        answer(page)
        page.evaluate(f"Promise.resolve({leak}).catch(() => null).then(() => null)")
    wait_until(lambda: leaks_from(place) != [])
    assert len(leaks_from(place)) == 1  # of the page that has no policy, which was asked last


def test_form_sends_nothing_by_itself_whatever_the_policy(place: Place, device: BrowserContext) -> None:
    page = device.new_page()
    page.goto(f"{place.to_site.url}/bare.html")
    answer(page)
    page.evaluate("document.querySelector('form').submit()")
    assert review(page)  # it is the page that it was
    assert not [request for request in place.to_site.requests() if "?" in request.target or request.method != "GET"]


def leaks_from(place: Place) -> list[str]:
    return [request.target for request in place.to_site.requests() if "/leak" in request.target]


def wait_until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + TIMEOUT_S
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.rare
def test_what_is_typed_is_in_no_file_of_the_browser(playwright: Playwright, place: Place, tmp_path: Path) -> None:
    """But where a form lets the browser remember what is typed: there it is found."""
    for name in ("index.html", "bare.html"):
        with open_profile(playwright, tmp_path / name) as context:
            page = context.new_page()
            page.goto(f"{place.to_site.url}/{name}")
            answer(page)
            review(page)
            page.goto(f"{place.to_site.url}/page.js")  # leaves it, with all fields filled in
            send(page, f"{place.to_site.url}/{name}")
    kept, remembered = (read_all(tmp_path / name) for name in ("index.html", "bare.html"))
    assert forms_in(kept, LUNCH.fingerprint)  # it was looked where something is
    assert forms_in(kept, CANARY) == []
    assert forms_in(remembered, CANARY)


def read_all(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def test_flask_writes_the_page_and_sees_no_answer(lunch: Served, tmp_path: Path, device: BrowserContext) -> None:
    with place_of_flask(lunch, tmp_path) as place:
        configure(lunch, LUNCH, cors_origins=[place.to_site.url])
        watch, page = place.watch(device), device.new_page()
        shown, receipt = send(page, place.to_site.url)
        expect(page.get_by_role("status")).to_contain_text("It was delivered.")
        place.expect_counted(receipt)
        assert place.posts() == [shown]
        place.assert_only_noise_was_sent()
        assert_nothing_is_kept(page)
        assert watch.complaints == []
    log = (tmp_path / "flask.log").read_bytes()
    assert b"GET /" in log
    assert forms_in(log, CANARY) == []


def begin(page: Page, number: int) -> None:
    page.get_by_label("Respondent's number").fill(str(number))
    press(page, "Begin")


def interview(page: Page, number: int) -> str:
    """Hand the tablet to a respondent; return their receipt."""
    begin(page, number)
    answer(page)
    review(page)
    press(page, "Send")
    expect(page.get_by_role("status")).to_contain_text(f"Respondent {number}, please note")
    return receipt_on(page)


def test_tablet_asks_several_respondents_without_a_network_and_forgets_them(
    place: Place, device: BrowserContext
) -> None:
    page = device.new_page()
    page.goto(f"{place.to_site.url}/tablet.html")
    press(page, "Make 20 places ready")
    said = page.get_by_role("status")
    expect(said).to_have_text("Ready for respondents 1 to 20.")
    place.to_collector.cut()
    first = interview(page, 1)
    press(page, "Deliver and delete")
    expect(said).to_have_text("Nothing was deleted; not delivered: lunch-page-respondent-1")
    begin(page, 1)
    expect(said).to_have_text("Number 1 was used.")
    second = interview(page, 2)
    assert_nothing_is_kept(page)
    place.to_collector.mend()
    press(page, "Deliver and delete")
    expect(said).to_have_text("All is delivered and deleted.")
    place.expect_counted(first, second)
    place.assert_only_noise_was_sent()
    assert page.evaluate("indexedDB.databases()") == []


@pytest.mark.rare
def test_respondent_who_stops_has_sent_nothing_and_the_next_finds_an_empty_form(
    place: Place, device: BrowserContext
) -> None:
    page = device.new_page()
    page.goto(f"{place.to_site.url}/tablet.html")
    begin(page, 1)
    answer(page)
    press(page, "Stop")
    expect(page.get_by_role("status")).to_have_text("Stopped: nothing was sent.")
    begin(page, 2)
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    assert page.locator("input:checked").count() == 0
    expect(page.get_by_role("textbox")).to_have_value("")
    assert place.posts() == []
