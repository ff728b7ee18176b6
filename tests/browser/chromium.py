"""A real Chromium for tests: how it is found and started, and what a page must never do."""

import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, NoReturn

import pytest
from playwright.sync_api import BrowserContext, ConsoleMessage, Page, Playwright, Request, sync_playwright

ROOT = Path(__file__).parents[2]
CLIENT = ROOT / "client" / "js"
TIMEOUT_MS = 300_000
"""How long a test waits before it fails: reached only where something hangs."""
FIND = """(path) => path.split(" >> ").reduce(
  (found, selector) => (found?.shadowRoot ?? found)?.querySelector(selector), document)"""
"""What a CSS selector finds first in a page; after ` >> ` one within the shadow root of what the first has found."""
ENTER = "\ue007"
"""The key, as WebDriver has it."""
HEIGHT = 740
"""Of a page that is resized, in CSS pixels."""
UNREACHABLE = "error: Failed to load resource: net::ERR_"
"""How a browser's complaint begins that nobody answers."""
NO_COOKIES = "warning: While navigator.cookieEnabled does return true for this file:// URL"
"""How Chromium's remark begins where the client asks, in a file on a disk, whether its user allows storage."""
_LAUNCH = {
    "args": [
        "--no-sandbox",  # tests may run as root
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--disable-features=AutofillServerCommunication",  # what Chromium itself asks of every form, whatever the page
        "--host-resolver-rules=MAP lecture.test 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",  # nobody else is asked
    ]
}


def miss(what: str) -> NoReturn:
    """Skip the test for want of something; fail it where SOTTO_TEST_BROWSER says that it must be there."""
    if os.environ.get("SOTTO_TEST_BROWSER"):
        pytest.fail(f"SOTTO_TEST_BROWSER is set, and there is no {what}.", pytrace=False)
    pytest.skip(f"no {what}")


def launch_options() -> dict[str, Any]:
    """Return how Chromium is started."""
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    return _LAUNCH | {"executable_path": path or miss("chromium (Debian: apt-get install chromium)")}


SETTLE = """async function settle(root) {
  const running = () => root.getAnimations().filter(({ playState }) => playState === "running");
  for (let found = running(); found.length; found = running())
    await Promise.allSettled(found.map(({ finished }) => finished));
}"""
"""Waits until nothing moves any more; that the page cancels an animation, or begins another meanwhile, is no fault."""


def read_axe() -> str:
    """Return axe-core's script."""
    path = CLIENT / "node_modules" / "axe-core" / "axe.min.js"
    return path.read_text() if path.is_file() else miss("axe-core (npm ci --prefix client/js)")


def open_profile(playwright: Playwright, folder: Path, **blocked: int) -> BrowserContext:
    """Start a browser that keeps what it stores in a folder, as a respondent's does.

    `blocked`: what its user forbids to all sites, 2 for each: `cookies` (all storage with them), `javascript`.
    """
    preferences = folder / "Default" / "Preferences"
    if not preferences.exists():
        preferences.parent.mkdir(parents=True)
        preferences.write_text(json.dumps({"profile": {"default_content_setting_values": blocked}}))
    return playwright.chromium.launch_persistent_context(folder, **launch_options())


class Chromium:
    """One tab of a Chromium, as tests of every engine use it."""

    def __init__(self, page: Page) -> None:
        self._page = page
        page.set_default_timeout(TIMEOUT_MS)
        page.on("dialog", lambda dialog: dialog.accept())

    def beside(self) -> "Chromium":
        return Chromium(self._page.context.new_page())

    def goto(self, url: str) -> None:
        self._page.goto(url)

    def reload(self) -> None:
        self._page.reload()

    def resize(self, width: int) -> None:
        self._page.set_viewport_size({"width": width, "height": HEIGHT})

    def run(self, function: str, *given: Any) -> Any:
        return self._page.evaluate(f"(given) => ({function})(...given)", list(given))

    def click(self, selector: str) -> None:
        self._page.bring_to_front()
        self._page.locator(selector).first.click()

    def choose(self, selector: str, option: str) -> None:
        self._page.locator(selector).first.select_option(option)

    def type(self, selector: str, text: str) -> None:
        self._page.bring_to_front()
        self._page.locator(selector).first.press_sequentially(text)


@contextmanager
def open_chromium(folder: Path, scheme: Literal["light", "dark"] = "light") -> Iterator[Chromium]:
    """Start a Chromium whose profile is in a folder; it is quit when the block ends."""
    launch_options()
    with sync_playwright() as playwright, open_profile(playwright, folder) as context:
        context.pages[0].emulate_media(color_scheme=scheme)
        yield Chromium(context.pages[0])


Devices = Callable[..., tuple[BrowserContext, "Watch"]]
"""What the fixture `devices` is."""


class Watch:
    """Notes all that pages of a context complain of, and whoever they ask but for the hosts that are allowed."""

    def __init__(self, context: BrowserContext, *allowed: str) -> None:
        self.complaints: list[str] = []
        self.asked: list[str] = []
        self._allowed = allowed
        self._forgiven: tuple[str, ...] = ()
        context.set_default_timeout(TIMEOUT_MS)
        context.on("console", self._hear)
        context.on("weberror", lambda fault: self._complain(f"uncaught: {fault.error}"))
        context.on("request", self._see)

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning", "assert"):
            self._complain(f"{message.type}: {message.text}")

    def _see(self, request: Request) -> None:
        self.asked.append(request.url)
        if not request.url.startswith(self._allowed):
            self._complain(f"asked elsewhere: {request.url}")

    def _complain(self, what: str) -> None:
        if not what.startswith(self._forgiven):
            self.complaints.append(what)

    def forgive(self, *beginnings: str) -> None:
        """Take what begins so for no complaint, from now on."""
        self._forgiven += beginnings
