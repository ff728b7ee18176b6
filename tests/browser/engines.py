"""The browsers' engines that tests run in, each driven by its own means, and what all of these can do."""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Protocol

from cases import rare
from chromium import TIMEOUT_MS, open_chromium
from firefox import open_firefox
from webkit import UnloadedError, open_webkit


class Tab(Protocol):
    """What a respondent has a page in."""

    def beside(self) -> "Tab":
        """Return a place for another page: a new tab, or the same one where an engine restores only one."""
        ...

    def goto(self, url: str) -> None: ...

    def reload(self) -> None: ...

    def resize(self, width: int) -> None:
        """Make the page so many CSS pixels wide: as narrow as a phone's, too."""
        ...

    def run(self, function: str, *given: Any) -> Any:
        """Run a function of JavaScript in the page, and return what it returns or resolves to."""
        ...

    def click(self, selector: str) -> None:
        """Click on what a CSS selector finds first, by pointer; `host >> inner` looks within a host's shadow root."""
        ...

    def choose(self, selector: str, option: str) -> None:
        """Choose an option of a list."""
        ...

    def type(self, selector: str, text: str) -> None:
        """Type into a field; a line break is the key Enter."""
        ...


ENGINES: dict[str, Callable[..., AbstractContextManager[Tab]]] = {
    "chromium": open_chromium,
    "firefox": open_firefox,
    "webkit": open_webkit,
}
"""How each is started with all that it keeps in a folder, until the block ends; then it is quit as people quit it.

`scheme`: light or dark, as its user's system has it.
"""


def engines(*chosen: str) -> list[Any]:
    """Return all engines as cases of a test, of which those that are not named wait for a release."""
    return [engine if engine in chosen else rare(engine) for engine in ENGINES]


def until(tab: Tab, function: str, *given: Any) -> Any:
    """Wait until a function of JavaScript returns what is true, and return that."""
    deadline = time.monotonic() + TIMEOUT_MS / 1000
    while True:
        try:
            found = tab.run(function, *given)
        except UnloadedError:
            found = None  # the page that it waits for is still on its way
        if found:
            return found
        assert time.monotonic() < deadline, f"this takes too long: {function} of {given}"
        time.sleep(0.05)
