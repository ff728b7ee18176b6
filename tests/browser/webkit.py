"""A real WebKitGTK for tests, driven by WebKitWebDriver: its MiniBrowser, on a display that nobody sees.

Under automation it stores what pages keep in memory alone; the session, which a browser restores, is written as ever.
"""

import json
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import requests

from chromium import ENTER, FIND, HEIGHT, TIMEOUT_MS, miss
from display import close_windows, open_display

_TIMEOUT_S = TIMEOUT_MS / 1000
_BROWSERS = "/usr/lib/*-linux-*/webkit2gtk-4.1/MiniBrowser"
_NARROW = "* { padding: 0; margin: 0; min-width: 0; font-size: 1px; }"
"""The style of its tool bar, which would keep it wider than a phone."""
_ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
"""How WebDriver marks that a value is an element (W3C WebDriver, section 12.3)."""
_UNLOADED = "Could not parse script result", '"error":"script timeout"'
"""What the driver says of a script whose page was left: at once, or after 30 seconds without its result."""


class UnloadedError(Exception):
    """A page was left while a script ran in it, so the script has no result."""


class WebKit:
    """The window of a MiniBrowser whose session is kept."""

    def __init__(self, http: requests.Session, session: str) -> None:
        self._http = http
        self._session = session

    def beside(self) -> "WebKit":
        """Return the same window: only what is in the history of its one page is restored."""
        return self

    def goto(self, url: str) -> None:
        self.ask("POST", "/url", url=url)

    def reload(self) -> None:
        self.ask("POST", "/refresh")

    def resize(self, width: int) -> None:
        self.ask("POST", "/window/rect", x=0, y=0, width=width, height=HEIGHT)

    def run(self, function: str, *given: Any) -> Any:
        script = f"const end = arguments[0]; (async () => ({function})(...{json.dumps(given)}))().then(end)"
        return self.ask("POST", "/execute/async", script=script, args=[])

    def click(self, selector: str) -> None:
        self.ask("POST", f"/element/{self._find(selector)}/click")

    def choose(self, selector: str, option: str) -> None:
        found = f"(list, words) => [...({FIND})(list).options].findIndex(({{ label }}) => label === words)"
        self.click(f"{selector} option:nth-of-type({self.run(found, selector, option) + 1})")

    def type(self, selector: str, text: str) -> None:
        self.ask("POST", f"/element/{self._find(selector)}/value", text=text.replace("\n", ENTER))

    def _find(self, selector: str) -> str:
        script = f"return ({FIND})(arguments[0])"
        return str(self.ask("POST", "/execute/sync", script=script, args=[selector])[_ELEMENT])

    def ask(self, method: str, path: str, **given: Any) -> Any:
        """Ask the driver for something of this session, and return its answer."""
        body = given if method == "POST" else None
        answer = self._http.request(method, f"{self._session}{path}", json=body, timeout=_TIMEOUT_S)
        if any(words in answer.text for words in _UNLOADED):
            raise UnloadedError(f"{path}: {answer.text}")
        assert answer.ok, f"{path}: {answer.text}"
        return answer.json()["value"]


@contextmanager
def open_webkit(folder: Path, scheme: str = "light") -> Iterator[WebKit]:
    """Start a MiniBrowser that keeps what it writes in a folder; its windows are closed when the block ends."""
    program = next(map(str, Path("/").glob(_BROWSERS[1:])), None) or miss("MiniBrowser (Debian: webkit2gtk-driver)")
    offers = {
        "binary": program,
        "args": [
            "--automation",
            f"--session-file={folder / 'session'}",
            "--proxy=http://127.0.0.1:9",  # nobody else can be asked: it is behind a proxy that is not there
            "--ignore-host=127.0.0.1",
        ],
    }
    wanted = {"webkitgtk:browserOptions": offers, "unhandledPromptBehavior": "accept"}
    with open_display() as display, _drive(folder, display, scheme) as driver, requests.Session() as http:
        http.trust_env = False  # no proxy
        answer = http.post(driver, json={"capabilities": {"alwaysMatch": wanted}}, timeout=_TIMEOUT_S)
        assert answer.ok, answer.text
        opened = WebKit(http, f"{driver}/{answer.json()['value']['sessionId']}")
        kept = set(opened.ask("GET", "/window/handles")) - {opened.ask("GET", "/window")}
        opened.ask("POST", "/window", handle=kept.pop())  # the driver has opened one of its own, that is not restored
        yield opened
        close_windows(display)
        _await_file(folder / "session")


@contextmanager
def _drive(folder: Path, display: str, scheme: str) -> Iterator[str]:
    """Start a driver whose browsers write below a folder; yield the address at which it starts them."""
    program = shutil.which("WebKitWebDriver") or miss("WebKitWebDriver (Debian: apt-get install webkit2gtk-driver)")
    folders = {f"XDG_{kind}_HOME": str(folder / kind.lower()) for kind in ("CACHE", "CONFIG", "DATA", "STATE")}
    environment = os.environ | folders | {"DISPLAY": display, "GDK_BACKEND": "x11", "HOME": str(folder)}
    environment["GTK_THEME"] = "Adwaita:dark" if scheme == "dark" else "Adwaita"
    for path in folders.values():
        Path(path).mkdir(parents=True)
    (folder / "config" / "gtk-3.0").mkdir()
    (folder / "config" / "gtk-3.0" / "gtk.css").write_text(_NARROW)
    with closing(socket.create_server(("127.0.0.1", 0))) as free:
        port = free.getsockname()[1]
    with subprocess.Popen([program, f"--port={port}"], env=environment, stderr=subprocess.DEVNULL) as driver:
        try:
            _await_port(driver, port)
            yield f"http://127.0.0.1:{port}/session"
        finally:
            driver.terminate()


def _await_port(driver: "subprocess.Popen[bytes]", port: int) -> None:
    deadline = time.monotonic() + _TIMEOUT_S
    while True:
        assert driver.poll() is None, "WebKitWebDriver has ended"
        try:
            return socket.create_connection(("127.0.0.1", port), _TIMEOUT_S).close()
        except ConnectionRefusedError:
            assert time.monotonic() < deadline, "WebKitWebDriver does not listen"
            time.sleep(0.02)


def _await_file(path: Path) -> None:
    deadline = time.monotonic() + _TIMEOUT_S
    while not path.is_file():
        assert time.monotonic() < deadline, f"{path.name} is not written"
        time.sleep(0.02)
