"""The files that pages load: the client's for any page, the pages' own for them alone, and no other file at all."""

import importlib.util
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urljoin

import pytest

from house import House, assert_refused, open_house
from reading_html import read_html
from sotto_collector.pages import assets, release
from sotto_collector.pages.release import STATIC, find_client_js
from sotto_collector.pages.survey import SCRIPTS

ROOT = Path(__file__).parents[2]
CLIENT = ROOT / "client" / "js"
IMPORTED = re.compile(r"""(?:^(?:import|export)\b[^;]*?from |\bimport\()"(\.[^"]+)"\)?[;,]""", re.MULTILINE)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with open_house(tmp_path_factory.mktemp("assets") / "survey.db") as opened:
        yield opened


def imports_from(house: House, path: str) -> set[str]:
    """Return the addresses of all modules that one loads, itself too: every one of them is served."""
    found, waiting = set[str](), [path]
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            response = house.http.get(path)
            assert (response.status_code, response.content_type) == (200, "text/javascript; charset=utf-8"), path
            waiting += [urljoin(path, name) for name in IMPORTED.findall(response.text)]
    return found


@pytest.mark.parametrize(
    "entry",
    ["/js/sottovoce.js", "/js/surveyjs.js", "/js/sottovoce.min.js", "/js/sotto-survey.js", "/js/sotto-survey.min.js"],
)
def test_client_is_served_whole_to_pages_of_any_origin(house: House, entry: str) -> None:
    modules = imports_from(house, entry)
    assert len(modules) == 1 if ".min." in entry else len(modules) > 1
    for path in modules:
        headers = house.http.get(path, headers={"Origin": "https://page.example"}).headers
        assert headers["Access-Control-Allow-Origin"] == "*"
        assert headers["Cross-Origin-Resource-Policy"] == "cross-origin"


def test_the_web_components_words_are_served_to_pages_of_any_origin(house: House) -> None:
    for path in (CLIENT / "words").glob("??.js"):
        response = house.http.get(f"/js/words/{path.name}")
        assert (response.status_code, response.content_type) == (200, "text/javascript; charset=utf-8")
        assert response.data == path.read_bytes()
        assert response.headers["Access-Control-Allow-Origin"] == "*"


def test_page_names_its_two_modules_and_its_sources_are_served_too(house: House) -> None:
    page = read_html(house.http.get("/s/habits").text)
    named = [urljoin("/s/habits", link.attributes["href"]) for link in page.find("link", rel="modulepreload")]
    assert named == ["/static/survey.min.js", "/js/sottovoce.min.js"]
    sources = {"/".join(Path(path).parts[-2:]) for path in imports_from(house, "/static/survey.js")}
    assert imports_from(house, "/static/survey.min.js") == {"/static/survey.min.js"}
    silent = {
        "form/chance.js",
        "form/invitation.js",
        "form/leaving.js",
        "src/invitation.js",
        "src/fields.js",
        "static/language.js",
        "static/place.js",
        "form/words.js",
    }
    silent |= {"src/text.js", "src/documents.js", "src/decimals.js", "src/errors.js"}  # of texts
    assert sources - set(SCRIPTS) == silent
    assert set(SCRIPTS) <= sources


def test_pages_own_files_are_for_the_collectors_origin(house: House) -> None:
    kinds = {"page.css": "text/css", "survey.js": "text/javascript", "icon.svg": "image/svg+xml"}
    for name, kind in kinds.items():
        response = house.http.get(f"/static/{name}", headers={"Origin": "https://page.example"})
        assert (response.status_code, response.content_type) == (200, f"{kind}; charset=utf-8")
        assert response.data == (STATIC / name).read_bytes()
        assert response.headers["Cross-Origin-Resource-Policy"] == "same-origin"
        assert "Access-Control-Allow-Origin" not in response.headers


@pytest.mark.parametrize("path", ["/static/page.css", "/js/sottovoce.js", "/js/src/client.js"])
def test_file_is_asked_for_again_soon_and_sent_again_only_when_it_has_changed(house: House, path: str) -> None:
    first = house.http.get(path)
    assert first.headers["Cache-Control"] == f"public, max-age={assets.MAX_AGE_S}"
    assert first.headers["X-Content-Type-Options"] == "nosniff"
    again = house.http.get(path, headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")


@pytest.mark.parametrize(
    "path",
    [
        "/js/package.json",
        "/js/src",
        "/js/src/",
        "/js/test/coins.test.js",
        "/js/words/",
        "/js/words/..%2fpackage.json",
        "/js/words/nothing.js",
        "/js/component/../package.json",
        "/js/types/sottovoce.d.ts",
        "/js/src/questions",
        "/js/src/questions/",
        "/js/src/../sottovoce.js",
        "/js/src/questions/../../sottovoce.js",
        "/js/src/questions//text.js",
        "/js/src//text.js",
        "/js/src/..%2fsottovoce.js",
        "/js/%2e%2e/%2e%2e/README.md",
        "/js/..%2f..%2fREADME.md",
        "/js/node_modules/typescript/package.json",
        "/js/.npmrc",
        "/js/sottovoce.js%00.css",
        "/static/",
        "/static/..%2fapp.py",
        "/static/survey.html",
        "/static/..",
        "/static/nothing.js",
        "/static/%2fetc%2fpasswd",
    ],
)
def test_no_other_file_is_served(house: House, path: str) -> None:
    assert_refused(house.http.get(path), 404, "not_found")


def test_client_is_found_in_a_checkout_and_in_an_installed_package(tmp_path: Path) -> None:
    assert find_client_js() == CLIENT
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "release.py").write_bytes(Path(release.__file__).read_bytes())
    (tmp_path / "js").mkdir()
    spec = importlib.util.spec_from_file_location("installed_release", tmp_path / "pages" / "release.py")
    assert spec is not None
    assert spec.loader is not None
    installed = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(installed)
    assert installed.find_client_js() == tmp_path / "js"


def test_wheel_holds_the_client_where_it_is_looked_for_and_none_of_its_tests() -> None:
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert wheel["sources"]["client/js"] == "sotto_collector/js"
    assert set(wheel["packages"]) < set(wheel["only-include"])
    shipped = {path for path in wheel["only-include"] if path.startswith("client/js/")}
    folders = ("src", "form", "component", "words")
    assert shipped == {f"client/js/{path}" for path in (*(file.name for file in CLIENT.glob("*.js")), *folders)}
    assert not [test for folder in folders for test in (CLIENT / folder).rglob("*.test.js")]
