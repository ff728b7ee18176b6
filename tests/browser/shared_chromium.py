"""One Chromium for all tests in a row that use it: to start it takes longer than most of them."""

from contextlib import ExitStack

from playwright.sync_api import Browser, Playwright, expect, sync_playwright

from chromium import TIMEOUT_MS, launch_options


class SharedChromium:
    """What was started, until `end`. Not for the session: while Playwright is there, no other test can run a loop."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._playwright: Playwright | None = None
        self._browser: Browser | None = None

    def playwright(self) -> Playwright:
        if self._playwright is None:
            launch_options()  # no need to start anything without a browser
            expect.set_options(timeout=TIMEOUT_MS)
            self._playwright = self._stack.enter_context(sync_playwright())
        return self._playwright

    def browser(self) -> Browser:
        """Return a Chromium that runs: the next, if the one before has crashed."""
        if self._browser is None or not self._browser.is_connected():
            self._browser = self._stack.enter_context(self.playwright().chromium.launch(**launch_options()))
        return self._browser

    def end(self) -> None:
        self._playwright = self._browser = None
        self._stack.close()
