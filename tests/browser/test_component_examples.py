"""The example of docs/embedding.md with `<sotto-survey>` in a plain page; bundlers build those of React and Vue."""

import subprocess

from playwright.sync_api import Page, expect

from asked import configure
from chromium import CLIENT, Devices
from collecting import TIMEOUT_S, Served
from component_site import integrity_of
from embedded import CANARY, CHOSEN, EXAMPLES, LUNCH
from examples import place_of_pages


def answer(page: Page) -> str:
    """Answer LUNCH, and send it; return the receipt."""
    page.get_by_label("Yes", exact=True).check()
    page.get_by_label(CHOSEN).check()
    page.get_by_role("textbox").fill(CANARY)
    page.get_by_role("button", name="Review what will be sent").click()
    page.get_by_role("button", name="Send", exact=True).click()
    expect(page.get_by_text("Your report was delivered.")).to_be_visible()
    return page.locator("[part=receipt-code]").inner_text()


def test_the_plain_page_asks(lunch: Served, devices: Devices) -> None:
    with place_of_pages(lunch) as place:
        configure(lunch, LUNCH, cors_origins=[place.to_site.url])
        context, _ = devices(place.to_collector.url, place.to_site.url)
        page = context.new_page()
        page.goto(f"{place.to_site.url}/component.html")
        place.expect_counted(answer(page))
        place.assert_only_noise_was_sent()


def test_the_documented_command_prints_the_integrity() -> None:
    command = "openssl dgst -sha384 -binary client/js/sotto-survey.min.js | openssl base64 -A"
    assert command in (EXAMPLES.parent / "embedding.md").read_text()
    done = subprocess.run(
        ["sh", "-c", command], check=True, capture_output=True, cwd=EXAMPLES.parents[1], timeout=TIMEOUT_S
    )
    assert f"sha384-{done.stdout.decode()}" == integrity_of((CLIENT / "sotto-survey.min.js").read_bytes())
