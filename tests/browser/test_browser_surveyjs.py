"""The page of docs/surveyjs.md, its renderer left out, with the real survey-core, in a real browser."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

import starting
from asked import configure, publish, wait_for_reports
from chromium import Watch
from collecting import SOTTO, TIMEOUT_S, Served
from embedded import CANARY, CHOSEN, forms_in
from own_site import site_of
from sotto_protocol import Survey, compile_toml
from surveyjs_site import pages_of
from wire import Wire

FORM = {
    "elements": [
        {"type": "boolean", "name": "Expensed", "title": "A private lunch?", "isRequired": True},
        {"type": "dropdown", "name": "Cuisine", "title": "What?", "choices": ["soup", {"value": 2, "text": CHOSEN}]},
        {"type": "comment", "name": "Place", "title": "Where?"},
    ]
}
ANSWERS = {"Expensed": True, "Cuisine": 2, "Place": CANARY}
COMPLETE = "(answers) => setTimeout(() => { model.data = answers; model.completeLastPage(); })"


@pytest.fixture
def survey(collector: Served, tmp_path: Path) -> Survey:
    """The form as a survey, published as the document says."""
    (tmp_path / "lunch.json").write_text(json.dumps(FORM))
    words = ["survey", "import", tmp_path / "lunch.json", "--to", tmp_path / "lunch.toml"]
    starting.run([SOTTO, *words], check=True, timeout=TIMEOUT_S, capture_output=True)
    return publish(collector, compile_toml((tmp_path / "lunch.toml").read_text()))


@pytest.fixture
def page(browser: Browser, collector: Served, survey: Survey, wire: Wire) -> Iterator[Page]:
    """The document's page on a new device, as soon as its form can be completed; it complains of nothing by the end."""
    with site_of(pages_of(wire.url, FORM)) as site, browser.new_context() as context:
        configure(collector, survey, cors_origins=[site])
        watch = Watch(context, wire.url, site)
        opened = context.new_page()
        opened.goto(f"{site}/form.html")
        opened.wait_for_function("globalThis.model !== undefined")
        yield opened
        assert watch.complaints == []
        assert not [url for url in watch.asked if forms_in(url.encode(), CANARY)]


def review(page: Page, *, is_accepted: bool) -> str:
    """Complete the form, and send or not; return what was shown to be sent."""
    with page.expect_event("dialog") as opened:
        page.evaluate(COMPLETE, ANSWERS)
    shown = opened.value.message
    if is_accepted:
        opened.value.accept()
    else:
        opened.value.dismiss()
    little, _, body = shown.split("\n")
    assert "protected little" in little
    return body


def test_completed_form_is_sent_as_the_noise_that_was_shown_and_emptied(
    page: Page, collector: Served, survey: Survey, wire: Wire
) -> None:
    shown = [review(page, is_accepted=False)]
    assert page.evaluate("[model.state, model.data]") == ["running", ANSWERS]
    assert wire.posts() == []
    shown.append(review(page, is_accepted=True))
    expect(page.locator("#receipt")).to_contain_text("Your receipt: ")
    receipt = (page.locator("#receipt").text_content() or "").rsplit(" ", 1)[1]
    wait_for_reports(collector, survey, receipt)
    (post,) = wire.posts()
    assert shown == [post.body.decode()] * 2
    assert page.evaluate("[model.state, model.data]") == ["completed", {}]
    for stream in wire.received():
        assert forms_in(stream, CANARY) == forms_in(stream, CHOSEN) == []
