"""`<sotto-survey>` in what bundlers make of the documented examples and the packed package: answered in Arabic."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from asked import configure, publish
from cases import rare
from chromium import UNREACHABLE, Devices
from collecting import Served
from component_site import page_of, policy_for
from component_visit import FORGIVEN, HEAR, WARD, heard_on, receipt_on
from embedded import EXAMPLES, LUNCH
from examples import DOCUMENTED
from node import require_node, run
from npm_package import make_project, pack
from own_site import site_of
from sotto_protocol import compile_toml
from visit import report_in
from wire import Wire

REACT_19 = {"react": "react", "react-dom": "react-dom", "scheduler": "scheduler"}
REACT_18 = {"react": "react-18", "react-dom": "react-dom-18"}
BUILDS = {
    "vite": ("vite", "react.tsx", REACT_19),
    "vite-react-18": ("vite", "react.tsx", REACT_18),
    "webpack": ("webpack", "react.tsx", REACT_19),
    "esbuild": ("esbuild", "Canteen.vue", {}),
}
"""By name: the bundler, the example, and the packages of ours that the project has beside sottovoce."""
COLLECTOR = "http://collector.invalid:8000"
"""Stands in the built programs for the collector of a test."""
SCRIPTS = {
    "vite": '<script type="module" src="/react.tsx"></script>',
    "esbuild": '<script type="module" src="main.js"></script>',
    "webpack": '<script src="main.js"></script>',
}
ASKED = compile_toml(WARD.format(id="bundled"))

PROTECTS = "كيف يحميك هذا"
"""The words that stand above how a survey protects."""


@pytest.fixture(scope="module")
def tarball(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return pack(tmp_path_factory.mktemp("packed"))


@pytest.fixture(scope="module", params=["vite", rare("vite-react-18"), rare("webpack"), rare("esbuild")])
def built(request: pytest.FixtureRequest, tarball: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What a bundler made of an example that asks ASKED, by path."""
    bundler, name, beside = BUILDS[request.param]
    folder = make_project(tmp_path_factory.mktemp(request.param) / "project", tarball, **beside)
    source = (EXAMPLES / "component" / name).read_text().replace(DOCUMENTED, COLLECTOR)
    (folder / name).write_text(source.replace(LUNCH.fingerprint, ASKED.fingerprint).replace(LUNCH.id, ASKED.id))
    body = '<div id="app"></div>' + SCRIPTS[bundler]
    page = page_of(body, policy_for(COLLECTOR), lang="ar", script="")
    (folder / "index.html").write_bytes(page)
    program = Path(__file__).parent / "build_example.mjs"
    said = run([require_node(), str(program), bundler, str(folder), name], timeout_s=300)
    assert said == "", "a bundler that warns has not found something"
    made = {f"/{path.relative_to(folder / 'dist')}": path.read_bytes() for path in (folder / "dist").rglob("*.*")}
    return {"/index.html": page, **made}


@pytest.fixture(scope="module")
def asking(collector: Served) -> Served:
    """The collector, asking ASKED."""
    publish(collector, ASKED)
    return collector


@pytest.fixture
def site(built: dict[str, bytes], wire: Wire, asking: Served) -> Iterator[str]:
    """The address of a page of the build, which may ask."""
    with site_of({path: made.replace(COLLECTOR.encode(), wire.url.encode()) for path, made in built.items()}) as url:
        configure(asking, ASKED, cors_origins=[url])
        yield url


@pytest.fixture
def page(site: str, wire: Wire, devices: Devices) -> Page:
    """A page that hears of the element before it is there, on a new device."""
    context, watch = devices(wire.url, site)
    watch.forgive(UNREACHABLE, *FORGIVEN)
    page = context.new_page()
    page.add_init_script(f"({HEAR})();")
    return page


@pytest.mark.few(1, "rare")
def test_it_is_answered_in_arabic(page: Page, site: str, wire: Wire) -> None:
    page.goto(f"{site}/index.html")
    body = page.locator("sotto-survey .survey")
    expect(page.get_by_text(PROTECTS)).to_be_visible()
    expect(body).to_have_attribute("dir", "rtl")
    expect(page.locator("sotto-survey")).to_have_attribute("max-epsilon", "6")
    page.get_by_label("نعم", exact=True).check()
    page.locator("button.primary").click()
    page.get_by_label("سلطة").check()
    page.locator("button.primary").click()
    page.get_by_role("button", name="إرسال", exact=True).click()
    expect(page.get_by_role("status").filter(has_text=f"Thank you for answering {ASKED.id}.")).to_be_visible()
    said = body.inner_text()
    assert re.findall(r"\b(?:Yes|No|Next|Send|Review|Erase|answer\w*|report\w*)\b", said) == []
    (post,) = wire.posts()
    assert report_in(post.body.decode())["id"] == receipt_on(page)
    assert [name for name, _ in heard_on(page)] == ["ready", "prepared", "sent", "delivered"]


@pytest.mark.parametrize("built", ["vite", *map(rare, list(BUILDS)[1:])], indirect=True)
def test_what_encrypts_is_a_file_of_its_own(built: dict[str, bytes]) -> None:
    (encrypts,) = (made for made in built.values() if b"message/bhttp request" in made)
    assert b"sotto-survey" not in encrypts


@pytest.mark.parametrize("built", ["vite", *map(rare, list(BUILDS)[1:])], indirect=True)
def test_words_that_are_missing_are_said_and_asked_for_again(page: Page, site: str, built: dict[str, bytes]) -> None:
    written = (PROTECTS.encode(), json.dumps(PROTECTS)[1:-1].encode())
    (words,) = (path for path, made in built.items() if any(form in made.lower() for form in written))
    page.route(f"**{words}", lambda route: route.abort())
    page.goto(f"{site}/index.html")
    notice = page.locator("[part=notice]")
    expect(notice).to_contain_text("Buttons and hints couldn't be loaded in this language: العربية.")
    expect(page.get_by_text("How this protects you")).to_be_visible()
    (error, ready) = heard_on(page)
    assert (error[0], error[1]["survey"], error[1]["name"]) == ("error", ASKED.id, "WordsMissing")
    assert error[1]["message"].startswith('the words in "ar" could not be loaded: ')
    assert ready[0] == "ready"
    page.unroute(f"**{words}")
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_text(PROTECTS)).to_be_visible()
    expect(notice).to_have_count(0)
