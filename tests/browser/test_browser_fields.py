"""Which fields `keepOffDisk` reaches, and what it leaves alone."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from cases import rare
from chromium import CLIENT
from own_site import site_of

PAGE = """<!doctype html><html lang="en"><link rel="icon" href="data:,"><title>Fields</title>
<div id="asked"><input name="loose"><form><select name="owned" autocomplete="on"></select></form></div>
<div id="other"><form><input name="theirs"></form></div>
<script type="module">
  import * as sotto from "./sottovoce.min.js";
  globalThis.sotto = sotto;
</script>"""
SAID = """() => Object.fromEntries([...document.querySelectorAll("input, select, textarea")].map(
  (field) => [field.name, [field.autocomplete, field.form?.getAttribute("autocomplete") ?? ""]]))"""
KEPT = ["off", "off"]


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    files = {"/page.html": PAGE.encode(), "/sottovoce.min.js": (CLIENT / "sottovoce.min.js").read_bytes()}
    with site_of(files) as site, browser.new_context() as context:
        opened = context.new_page()
        opened.goto(f"{site}/page.html")
        opened.wait_for_function("globalThis.sotto !== undefined")
        yield opened


def test_fields_that_are_meant_are_kept_off_the_disk_and_others_left_alone(page: Page) -> None:
    page.evaluate("() => void sotto.keepOffDisk(document.querySelector('#asked'))")
    assert page.evaluate(SAID) == {"loose": KEPT, "owned": KEPT, "theirs": ["", ""]}
    assert page.evaluate("document.querySelector('[name=owned]').form.id") == ""  # its own


def test_fields_that_come_later_or_say_otherwise_are_kept_off_the_disk_too(page: Page) -> None:
    page.evaluate("() => { globalThis.end = sotto.keepOffDisk(document.body); }")
    page.evaluate("() => { document.querySelector('#other').innerHTML = '<textarea name=later></textarea>'; }")
    page.evaluate("() => { document.querySelector('[name=owned]').autocomplete = 'on'; }")
    page.evaluate("() => document.querySelector('[name=owned]').form.removeAttribute('autocomplete')")
    assert page.evaluate(SAID) == dict.fromkeys(("loose", "owned", "later"), KEPT)
    page.evaluate("() => globalThis.end()")
    page.evaluate("() => { document.querySelector('#other').innerHTML = '<textarea name=last></textarea>'; }")
    assert page.evaluate(SAID)["last"] == ["", ""]


def test_field_that_was_without_a_form_sends_nothing(page: Page) -> None:
    page.evaluate("() => void sotto.keepOffDisk(document.body)")
    address = page.url
    page.locator("[name=loose]").fill("turnip")
    page.locator("[name=loose]").press("Enter")
    assert page.evaluate("location.href") == address
    assert page.locator("[name=loose]").input_value() == "turnip"


def test_field_that_was_without_a_form_sends_nothing_where_the_browser_has_no_dialog(page: Page) -> None:
    """Such a browser reads the form's method as GET, and Enter would put the answer into the address."""
    page.evaluate("() => void sotto.keepOffDisk(document.body)")
    page.evaluate("() => { document.querySelector('[name=loose]').form.method = 'get'; }")
    page.evaluate("() => addEventListener('submit', (event) => { globalThis.isPrevented = event.defaultPrevented; })")
    page.locator("[name=loose]").fill("turnip")
    page.locator("[name=loose]").press("Enter")
    page.wait_for_function("globalThis.isPrevented === true")
    assert page.locator("[name=loose]").input_value() == "turnip"


@pytest.mark.parametrize("kind", ["submit", rare("image"), rare("button"), rare("reset")])
def test_buttons_are_left_alone(page: Page, kind: str) -> None:
    page.evaluate(f"document.querySelector('#asked').innerHTML = '<input name=act type={kind}><input name=answer>'")
    page.evaluate("() => void sotto.keepOffDisk(document.querySelector('#asked'))")
    assert page.evaluate(SAID) == {"act": ["", ""], "answer": KEPT, "theirs": ["", ""]}


@pytest.mark.rare
def test_field_that_no_form_can_own_does_not_hold_the_page_up(page: Page) -> None:
    """As in a part of a page that is not in it yet."""
    page.evaluate("""() => {
      globalThis.part = document.createElement("div");
      part.innerHTML = "<input name=detached>";
      sotto.keepOffDisk(part);
    }""")
    page.evaluate("() => document.body.append(part)")
    assert page.evaluate(SAID)["detached"] == KEPT
