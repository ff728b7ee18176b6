"""A real Firefox for tests, driven by WebDriver BiDi: with what a respondent's has, its session store above all."""

import itertools
import json
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

from chromium import ENTER, FIND, HEIGHT, TIMEOUT_MS, miss

_TIMEOUT_S = TIMEOUT_MS / 1000
_PREFERENCES: dict[str, Any] = {
    "remote.prefs.recommended": False,  # else a Firefox under automation keeps no session
    "browser.sessionstore.interval": 500,  # ms, for 15 s: how often it writes, so that a test need not wait; not what
    "network.proxy.type": 1,  # nobody else can be asked: all but this machine is behind a proxy that is not there
    "network.proxy.http": "127.0.0.1",
    "network.proxy.http_port": 9,
    "network.proxy.ssl": "127.0.0.1",
    "network.proxy.ssl_port": 9,
    "network.proxy.no_proxies_on": "lecture.test",  # this machine, by a name that no browser trusts
    "network.dns.localDomains": "lecture.test",
    "browser.shell.checkDefaultBrowser": False,
    "browser.aboutwelcome.enabled": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "termsofuse.bypassNotification": True,
}
_READY = re.compile(r"WebDriver BiDi listening on (ws://\S+)")


class Firefox:
    """One tab of a Firefox."""

    def __init__(self, socket: ClientConnection, tab: str, ids: Iterator[int]) -> None:
        self._socket = socket
        self._tab = tab
        self._ids = ids

    def beside(self) -> "Firefox":
        """Return another tab of the same browser."""
        return Firefox(self._socket, self._ask("browsingContext.create", type="tab")["context"], self._ids)

    def goto(self, url: str) -> None:
        self._ask("browsingContext.navigate", context=self._tab, url=url, wait="complete")

    def reload(self) -> None:
        self._ask("browsingContext.reload", context=self._tab, wait="complete")

    def resize(self, width: int) -> None:
        self._ask("browsingContext.setViewport", context=self._tab, viewport={"width": width, "height": HEIGHT})

    def run(self, function: str, *given: Any) -> Any:
        called = f"async () => JSON.stringify(await ({function})(...{json.dumps(given)}))"
        return json.loads(self._call(called)["result"].get("value", "null"))

    def click(self, selector: str) -> None:
        found = self._find(selector)
        at = {"type": "element", "element": found}
        steps = [{"type": "pointerMove", "x": 0, "y": 0, "origin": at}]
        steps += [{"type": kind, "button": 0} for kind in ("pointerDown", "pointerUp")]
        self._act({"type": "pointer", "id": "mouse", "actions": steps})

    def choose(self, selector: str, option: str) -> None:
        """Choose an option of a list by typing what it begins with."""
        self.type(selector, option)

    def type(self, selector: str, text: str) -> None:
        self._find(selector, "(element) => element.focus()")
        keys = [{"type": kind, "value": key} for key in text.replace("\n", ENTER) for kind in ("keyDown", "keyUp")]
        self._act({"type": "key", "id": "keyboard", "actions": keys})

    def _find(self, selector: str, do: str = "(element) => element.scrollIntoView({ block: 'center' })") -> Any:
        node = self._call(FIND, {"type": "string", "value": selector})["result"]
        found = {"sharedId": node["sharedId"]}
        self._call(do, found)
        return found

    def _call(self, function: str, *given: Any) -> Any:
        said = self._ask(
            "script.callFunction",
            functionDeclaration=function,
            awaitPromise=True,
            target={"context": self._tab},
            arguments=list(given),
        )
        assert said["type"] == "success", said["exceptionDetails"]["text"]
        return said

    def _act(self, *sources: Any) -> None:
        self._ask("input.performActions", context=self._tab, actions=list(sources))

    def _ask(self, method: str, **params: Any) -> Any:
        number = next(self._ids)
        self._socket.send(json.dumps({"id": number, "method": method, "params": params}))
        while (said := json.loads(self._socket.recv(_TIMEOUT_S))).get("id") != number:
            continue  # an event
        assert said["type"] == "success", f"{method}: {said.get('message')}"
        return said["result"]

    def quit(self) -> None:
        """Quit as the menu does: what Firefox keeps for its next start is written."""
        self._ask("browser.close")


@contextmanager
def open_firefox(folder: Path, scheme: str = "light") -> Iterator[Firefox]:
    """Start a Firefox whose profile is in a folder; it is quit when the block ends."""
    program = (
        shutil.which("firefox-esr") or shutil.which("firefox") or miss("Firefox (Debian: apt-get install firefox-esr)")
    )
    folder.mkdir(parents=True, exist_ok=True)
    preferences = _PREFERENCES | {"layout.css.prefers-color-scheme.content-override": ("dark", "light").index(scheme)}
    lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in preferences.items()]
    (folder / "user.js").write_text("\n".join(lines))
    log = folder.with_suffix(".log")
    words = [program, "--headless", "--no-remote", "--remote-debugging-port", "0", "--profile", folder]
    with log.open("wb") as written, subprocess.Popen(words, stdout=written, stderr=written) as process:
        try:
            with connect(f"{_await_address(process, log)}/session", max_size=None, proxy=None) as socket:
                ids = itertools.count()
                first = Firefox(socket, "", ids)
                first._ask(
                    "session.new", capabilities={"alwaysMatch": {"unhandledPromptBehavior": {"default": "accept"}}}
                )
                tab = first._ask("browsingContext.getTree")["contexts"][0]["context"]
                yield (opened := Firefox(socket, tab, ids))
                opened.quit()
            process.wait(_TIMEOUT_S)
        finally:
            process.kill()


def _await_address(process: "subprocess.Popen[bytes]", log: Path) -> str:
    deadline = time.monotonic() + _TIMEOUT_S
    while not (found := _READY.search(log.read_text(errors="replace"))):
        assert process.poll() is None, log.read_text()
        assert time.monotonic() < deadline, log.read_text()
        time.sleep(0.02)
    return found[1]
