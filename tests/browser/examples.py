"""The examples of docs/embedding.md, served as they are; and what must be found nowhere once they were answered."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import BrowserContext, Page

import starting
from asked import stored_reports, wait_for_reports
from chromium import CLIENT, Watch
from collecting import SOTTO, TIMEOUT_S, Served
from embedded import CANARY, CHOSEN, EXAMPLES, LUNCH, assert_is_noise, forms_in
from own_site import site_of
from wire import Wire, wire_to

DOCUMENTED = "http://127.0.0.1:8000"
_POLICY = re.compile(r"<meta\s+http-equiv[^>]*>")
_READ_STORAGE = """async () => {
  const found = { local: { ...localStorage }, session: { ...sessionStorage }, cookie: document.cookie };
  found.caches = await caches.keys();
  const settled = (request) => new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  for (const { name } of await indexedDB.databases()) {
    const database = await settled(indexedDB.open(name));
    for (const store of database.objectStoreNames) {
      if (store === "surveys") continue; // what the collector publishes, options and all
      found[`${name} ${store}`] = await settled(database.transaction(store).objectStore(store).getAll());
    }
    database.close();
  }
  return JSON.stringify(found, (_, value) => {
    if (value instanceof CryptoKey) return `key, extractable: ${value.extractable}`;
    if (value instanceof Uint8Array) return String.fromCharCode(...value);
    return typeof value === "bigint" ? String(value) : value;
  });
}"""


@dataclass
class Place:
    """A collector that asks LUNCH, and a site whose page asks it; every byte that is sent to either is kept."""

    collector: Served
    to_collector: Wire
    to_site: Wire
    counted_before: frozenset[str]

    def allow(self) -> None:
        """Let the site's pages ask, by the command that the document names."""
        words = ["configure", self.collector.url, LUNCH.id, "--cors-origin", self.to_site.url]
        environment = os.environ | {"SOTTO_TOKEN": self.collector.admin}
        starting.run([SOTTO, *words], check=True, timeout=TIMEOUT_S, env=environment, capture_output=True)

    def expect_counted(self, *receipts: str) -> None:
        """Wait until the collector has these reports, and no others that are new."""
        wait_for_reports(self.collector, LUNCH, *self.counted_before, *receipts)

    def watch(self, context: BrowserContext) -> Watch:
        return Watch(context, self.to_collector.url, self.to_site.url)

    def posts(self) -> list[str]:
        """Return the bodies of what was posted to the collector."""
        return [post.body.decode() for post in self.to_collector.posts()]

    def assert_only_noise_was_sent(self) -> None:
        """Hold that the site was only read, and that the collector was sent reports, and nothing that was answered."""
        assert {request.method for request in self.to_site.requests()} == {"GET"}
        requests = self.to_collector.requests() + self.to_site.requests()
        assert not [request for request in requests if "cookie" in request.headers or "?" in request.target]
        for stream in self.to_collector.received() + self.to_site.received():
            assert forms_in(stream, CANARY) == forms_in(stream, CHOSEN) == []
        assert self.posts()
        for post in self.posts():
            assert_is_noise(json.loads(post))


def assert_nothing_is_kept(page: Page) -> None:
    """Hold that no answer is in the page any more, nor in anything that its origin stores."""
    typed = page.locator("input:not([type])").evaluate_all("(inputs) => inputs.map((input) => input.value)")
    assert typed == [""] * len(typed)
    assert page.locator("input:checked").count() == 0
    stored: str = page.evaluate(_READ_STORAGE)
    assert LUNCH.fingerprint in stored  # it was looked where something is
    assert "extractable: true" not in stored
    assert forms_in(stored.encode(), CANARY) == forms_in(stored.encode(), CHOSEN) == []
    assert forms_in(page.content().encode(), CANARY) == []


@contextmanager
def place_of_pages(collector: Served) -> Iterator[Place]:
    """Serve the pages of docs/examples/web beside a collector that has a survey, until the block ends."""
    with (
        wire_to(collector.port) as to_collector,
        site_of(_pages(to_collector.url)) as site,
        wire_to(int(site.rsplit(":", 1)[1])) as to_site,
    ):
        yield Place(collector, to_collector, to_site, frozenset(stored_reports(collector, LUNCH)))


@contextmanager
def place_of_flask(collector: Served, folder: Path) -> Iterator[Place]:
    """Serve the Flask app beside a collector, from a copy of the examples in `folder`, until the block ends."""
    shutil.copytree(EXAMPLES, folder / "examples")
    shutil.copy(CLIENT / "sottovoce.min.js", folder / "examples" / "web")
    with (
        wire_to(collector.port) as to_collector,
        _run_flask(folder / "examples", to_collector.url, folder / "flask.log") as port,
        wire_to(port) as to_site,
    ):
        yield Place(collector, to_collector, to_site, frozenset(stored_reports(collector, LUNCH)))


@contextmanager
def _run_flask(folder: Path, collector: str, log: Path) -> Iterator[int]:
    words = [sys.executable, "-m", "flask", "--app", f"flask_app:create_app({collector!r})", "run", "--port", "0"]
    with log.open("wb") as written:
        process = subprocess.Popen(words, cwd=folder, stdout=written, stderr=written)
    try:
        deadline = time.monotonic() + TIMEOUT_S
        while not (found := re.search(r"Running on http://127.0.0.1:(\d+)", log.read_text())):
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < deadline
            time.sleep(0.05)
        yield int(found[1])
    finally:
        process.terminate()
        process.wait(TIMEOUT_S)


def _pages(collector: str) -> dict[str, bytes]:
    """Return the pages, by path, with a collector's address in place of the documented one."""
    texts = {f"/{path.name}": path.read_text() for path in (EXAMPLES / "web").iterdir()}
    for name in ("sottovoce.min.js", "sotto-survey.min.js"):
        texts[f"/{name}"] = (CLIENT / name).read_text()
    unguarded = _POLICY.sub("", texts["/index.html"]).replace('autocomplete="off"', "")
    texts["/bare.html"] = unguarded.replace("page.js", "bare-page.js")  # to see what these are good for
    texts["/bare-page.js"] = texts["/page.js"].replace("./ask.js", "./bare-ask.js")
    texts["/bare-ask.js"] = texts["/ask.js"].replace("\nkeepOffDisk(", "\n// keepOffDisk(")
    assert texts["/bare-ask.js"] != texts["/ask.js"]
    return {path: text.replace(DOCUMENTED, collector).encode() for path, text in texts.items()}
