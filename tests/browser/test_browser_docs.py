"""The site of the documentation: built strictly, and looked at in a browser without a network, in light and dark."""

import fcntl
import importlib.util
import os
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from types import ModuleType

import pytest
from playwright.sync_api import Browser, Page

from cases import rare
from chromium import read_axe
from collecting import TIMEOUT_S

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "scripts" / "docs.py"
pytestmark = pytest.mark.rare
LISTED = {path.stem for path in (ROOT / "docs").glob("*.md")} - {"README"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built by the first process of the tests that asks for it: a warning would have made it fail."""
    own = tmp_path_factory.getbasetemp()
    shared = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    made = shared / "site"
    with (shared / "site.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            build(shared / "site-being-built").rename(made)
    return made


def build(made: Path) -> Path:
    done = subprocess.run(
        [sys.executable, SCRIPT, "build", made], capture_output=True, text=True, check=False, timeout=TIMEOUT_S
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return made


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture
def page(request: pytest.FixtureRequest, browser: Browser, address: str) -> Iterator[Page]:
    """A page of a reader who prefers a scheme, light if nothing is said, on a phone; it asks nobody but the site."""
    asked: list[str] = []
    scheme = getattr(request, "param", "light")
    with browser.new_context(color_scheme=scheme, viewport={"width": 360, "height": 800}) as context:
        context.on("request", lambda sent: asked.append(sent.url))
        opened = context.new_page()
        opened.goto(f"{address}/")
        opened.wait_for_url("**/README.html")
        yield opened
    assert [url for url in asked if not url.startswith((address, "data:"))] == []


def test_every_page_is_listed_beside_the_first(page: Page) -> None:
    links = page.locator(".sidebar-tree a").evaluate_all("all => all.map(({ pathname }) => pathname)")
    assert {Path(link).stem for link in links if link.startswith("/docs/")} - {"README"} == LISTED
    assert {f"/reference/{name}.html" for name in ("commands", "python", "http")} <= {*links}
    assert {f"/reference/typescript/{name}.html" for name in ("component", "react", "types/sottovoce")} <= {*links}


def test_a_search_finds_what_pages_and_the_reference_say(page: Page, address: str) -> None:
    page.goto(f"{address}/search.html?q=confidence_interval")
    page.get_by_text("Search finished").wait_for()
    found = page.locator("#search-results a").evaluate_all("all => all.map(({ href }) => href)")
    assert any("reference/python.html#sotto_estimator.confidence_interval" in link for link in found)
    page.goto(f"{address}/search.html?q=receipt")
    page.get_by_text("Search finished").wait_for()
    found = page.locator("#search-results a").evaluate_all("all => all.map(({ href }) => href)")
    assert any("docs/survey-page.html" in link for link in found)


PLACES = [("README", "article"), ("reference/python", "article section section")]
"""Pages, and what is looked at: a page as people write them, and of the generated ones a package."""
MORE = [(path, "article") for path in ("docs/explain", "reference/python", "reference/typescript/types/sottovoce")]


@pytest.mark.parametrize(
    ("page", "path", "part"),
    [
        *(("light", *place) for place in PLACES),
        ("dark", *PLACES[0]),
        rare("dark", *PLACES[1]),
        *(rare(scheme, *place) for scheme in ("light", "dark") for place in MORE),
    ],
    indirect=["page"],
)
def test_a_page_is_read_on_a_phone_in_both_schemes(page: Page, address: str, path: str, part: str) -> None:
    page.goto(f"{address}/{path}.html")
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0
    page.evaluate(f"() => {{ {read_axe()}; }}")
    found = page.evaluate("(part) => axe.run(document.querySelector(part), {runOnly: ['wcag2a', 'wcag2aa']})", part)
    assert [(of["id"], [node["html"] for node in of["nodes"]][:3]) for of in found["violations"]] == []
    assert "color-contrast" in {of["id"] for of in found["passes"]}


@pytest.fixture(scope="module")
def script() -> ModuleType:
    """The program that builds the site."""
    found = importlib.util.spec_from_file_location("building_docs", SCRIPT)
    assert found is not None
    assert found.loader is not None
    loaded = importlib.util.module_from_spec(found)
    found.loader.exec_module(loaded)
    return loaded


def test_a_public_name_without_documentation_is_named(script: ModuleType) -> None:
    class Known:
        """Has documentation."""

        def said(self) -> None:
            """Say so."""

        def silent(self) -> None: ...

    package = ModuleType("package")
    package.__dict__.update({"__all__": ["Known", "bare"], "Known": Known, "bare": lambda: None})
    assert [*script.undocumented(package)] == ["package.Known.silent", "package.bare"]


@pytest.mark.parametrize("written", ["[there](nowhere.md)", "[there](README.md#nowhere)", "[there](../nowhere.py)"])
def test_a_broken_link_stops_the_build(script: ModuleType, tmp_path: Path, written: str) -> None:
    sources = tmp_path / "sources"
    (sources / "docs").mkdir(parents=True)
    (sources / "README.md").write_text("# Home\n")
    (sources / "docs" / "README.md").write_text(f"# Docs\n\n{written}\n")
    with pytest.raises(SystemExit):
        script.write_pages(sources, tmp_path / "site")
