"""The examples of docs/embedding.md with `<sotto-survey>`: a plain page, and pages that React and Vue render."""

import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from asked import configure
from chromium import CLIENT, Devices
from collecting import TIMEOUT_S, Served
from component_site import asking, integrity_of, page_of, policy_for
from embedded import CANARY, CHOSEN, EXAMPLES, LUNCH
from examples import DOCUMENTED, place_of_pages
from node import require_node, require_package, run
from visit import report_in
from wire import Wire

FRAMEWORKS = {"react": "react.tsx", "vue": "Canteen.vue"}


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


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_framework_renders_it_and_hears_of_it(
    framework: str, lunch: Served, wire: Wire, devices: Devices, tmp_path: Path
) -> None:
    require_package("esbuild")
    source = EXAMPLES / "component" / FRAMEWORKS[framework]
    (tmp_path / source.name).write_text(source.read_text().replace(DOCUMENTED, wire.url))
    bundler = Path(__file__).parent / "bundle_example.mjs"
    run([require_node(), str(bundler), str(tmp_path / source.name), str(tmp_path / "made.js")], timeout_s=300)
    program = (tmp_path / "made.js").read_bytes()
    body = '<div id="app"></div>'
    with asking({"/index.html": page_of(body, policy_for(wire.url), program=program)}, program=program) as url:
        configure(lunch, LUNCH, cors_origins=[url])
        context, _ = devices(wire.url, url)
        page = context.new_page()
        page.goto(f"{url}/index.html")
        receipt = answer(page)
        expect(page.get_by_role("status").filter(has_text="Thank you for answering lunch-page.")).to_be_visible()
        (post,) = wire.posts()
        assert report_in(post.body.decode())["id"] == receipt


def test_the_documented_command_prints_the_integrity() -> None:
    command = "openssl dgst -sha384 -binary client/js/sotto-survey.min.js | openssl base64 -A"
    assert command in (EXAMPLES.parent / "embedding.md").read_text()
    done = subprocess.run(
        ["sh", "-c", command], check=True, capture_output=True, cwd=EXAMPLES.parents[1], timeout=TIMEOUT_S
    )
    assert f"sha384-{done.stdout.decode()}" == integrity_of((CLIENT / "sotto-survey.min.js").read_bytes())
