"""What axe-core finds in `<sotto-survey>`, in every state, light and dark, narrow and wide: nothing."""

import pytest
from playwright.sync_api import Browser, Page, expect

from asked import configure, end, named, publish
from chromium import read_axe
from collecting import Served
from component_site import asking, element, page_of
from component_visit import WARD, answer, press
from sotto_protocol import compile_toml

TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
FIND = """(tags) => axe.run("sotto-survey", { runOnly: tags, resultTypes: ["violations"] }).then(({ violations }) =>
  violations.map(({ id, nodes }) => [id, nodes.map(({ target, failureSummary }) => `${target}: ${failureSummary}`)]))"""


@pytest.fixture(params=[(scheme, width) for scheme in ("light", "dark") for width in (360, 1280)], ids=str)
def page(request: pytest.FixtureRequest, browser: Browser) -> Page:
    """A page of a reader whose system asks for a scheme, on a screen of a width."""
    scheme, width = request.param
    return browser.new_page(color_scheme=scheme, viewport={"width": width, "height": 800})


def check(page: Page, state: str) -> None:
    """Hold that axe-core finds nothing, every part that opens being open, and that nothing is wider than the screen."""
    page.evaluate(
        "() => document.querySelector('sotto-survey').shadowRoot.querySelectorAll('details')"
        ".forEach((part) => { part.open = true; })"
    )
    page.evaluate(read_axe())
    assert (state, page.evaluate(FIND, TAGS)) == (state, [])
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), state


def test_from_the_form_to_the_receipt(page: Page, collector: Served, request: pytest.FixtureRequest) -> None:
    name = "".join(letter for letter in request.node.name if letter.isalnum()).lower()
    survey = publish(collector, named(f"axe-{name[-30:]}"))
    ward = publish(collector, compile_toml(WARD.format(id=f"ward-{name[-30:]}")))
    bodies = {"/habits.html": element(collector.url, survey), "/ward.html": element(collector.url, ward, lang="ar")}
    pages = {path: page_of(body, "default-src * 'unsafe-inline' 'unsafe-eval' data:") for path, body in bodies.items()}
    with asking(pages) as site:
        for each in (survey, ward):
            configure(collector, each, cors_origins=[site])
        page.goto(f"{site}/ward.html")
        expect(page.locator("[data-question]").first).to_be_visible()
        check(page, "in Arabic")
        page.goto(f"{site}/habits.html")
        expect(page.locator("[data-question]").first).to_be_visible()
        check(page, "form")
        press(page, "Review what will be sent")
        check(page, "problems")
        answer(page, survey)
        press(page, "Review what will be sent")
        expect(page.locator("dd.sent").first).to_be_visible()
        check(page, "review")
        end(collector, survey)
        press(page, "Send")
        expect(page.get_by_role("heading", name="Your report was not accepted")).to_be_visible()
        check(page, "refused")
        page.locator("sotto-survey").evaluate("(it) => it.setAttribute('max-epsilon', '0.1')")
        expect(page.get_by_role("alert")).not_to_be_empty()
        check(page, "a fault")
    page.close()


def test_a_fault_is_found(browser: Browser, collector: Served) -> None:
    page = browser.new_page()
    page.set_content("<title>x</title><main><sotto-survey></sotto-survey></main>")
    page.evaluate(
        "() => { document.querySelector('sotto-survey').attachShadow({ mode: 'open' })"
        ".append(document.createElement('input')); }"
    )
    with pytest.raises(AssertionError, match="label"):
        check(page, "an input without a name")
    page.close()
