"""The page at /: what this is, in the reader's language, and nothing of the surveys."""

from pathlib import Path

import pytest

from collecting import SMALL, SURVEY
from house import House, assert_refused, open_house
from page_reading import read_page
from reading_html import read_html
from sotto_collector.pages.headers import root_from
from sotto_protocol.language import LANGUAGES

HOSTILE = "<script>alert(1)</script>\"&'"


def test_stranger_is_told_what_this_is_and_where_to_sign_in(house: House) -> None:
    response = house.http.get("/")
    page = read_page(response)
    assert "A sottovoce collector" in page.words
    assert "be sure" not in page.words  # that depends on a survey's epsilon
    assert [link["href"] for link in page.all("a")] == ["./s"]
    assert house.http.get("/s").status_code == 401
    for link in page.all("link"):
        assert house.http.get(link["href"].removeprefix(".")).status_code == 200
    assert page.all("script") == []
    assert "default-src 'none'" in response.headers["Content-Security-Policy"]
    assert "Set-Cookie" not in response.headers
    assert house.http.get("/", headers={"If-None-Match": response.headers["ETag"]}).status_code == 304


def test_page_is_the_same_whichever_surveys_there_are(tmp_path: Path) -> None:
    told = []
    for number, surveys in enumerate([(SURVEY,), (SMALL, SURVEY)]):
        with open_house(tmp_path / f"{number}.db", *surveys) as house:
            response = house.http.get("/")
            told.append((response.data, {name: said for name, said in response.headers if name != "Date"}))
    assert told[0] == told[1]


@pytest.mark.few(5)
@pytest.mark.parametrize("tag", LANGUAGES)
def test_page_is_in_the_language_of_the_reader(house: House, tag: str) -> None:
    by_browser = house.http.get("/", headers={"Accept-Language": f"{tag}-XX, en;q=0.5"})
    page = read_page(by_browser)
    assert page.all("html") == [{"lang": tag, "dir": LANGUAGES[tag].direction}]
    assert by_browser.data == house.http.get(f"/?lang={tag}").data
    assert "Accept-Language" in by_browser.headers["Vary"]


@pytest.mark.parametrize(
    ("contact", "link"),
    [
        ("ann@clinic.example", "mailto:ann@clinic.example"),
        ("https://clinic.example/ask?a=1", "https://clinic.example/ask?a=1"),
        ("Ann, room 7", None),
        ("javascript:alert(1)", None),
        ("a@b.c?bcc=eve@evil.example", None),
        (HOSTILE, None),
    ],
)
def test_contact_is_shown_and_leads_where_it_says(tmp_path: Path, contact: str, link: str | None) -> None:
    with open_house(tmp_path / "survey.db", SURVEY, contact=contact, title=HOSTILE) as house:
        page = read_page(house.http.get("/"))
    assert contact in page.words
    assert page.words.count(HOSTILE) >= 1 + (contact == HOSTILE)
    assert page.all("script") == []
    assert [anchor["href"] for anchor in page.all("a")] == ["./s", *([link] if link else [])]


@pytest.mark.parametrize("path", ["/nowhere", "/a/b/", "/static/", "/survey/lunch"])
def test_browsers_are_shown_a_page_at_addresses_that_there_are_not(house: House, path: str) -> None:
    response = house.http.get(path, headers={"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"})
    assert (response.status_code, response.content_type) == (404, "text/html; charset=utf-8")
    assert response.headers["Content-Security-Policy"].startswith("default-src 'none'")
    page = read_html(response.text)
    assert page.one("h1").text == "There is no such page here"
    assert {link.attributes["href"] for link in page.find("link")} == {
        f"{root_from(path)}static/{name}" for name in ("icon.svg", "page.css")
    }


def test_programs_are_told_elsewhere_that_there_is_nothing(house: House) -> None:
    for path in ("/nowhere", "/v1", "/v1/", "/static/"):
        assert_refused(house.http.get(path), 404, "not_found")
    for path in ("/v1", "/v1/", "/v1/nowhere"):
        assert_refused(house.http.get(path, headers={"Accept": "text/html"}), 404, "not_found")
    assert house.http.post("/").status_code == 405
