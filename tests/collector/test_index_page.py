"""The operator's index: the surveys that a token is for, for people."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from collecting import INVITED, SMALL, STRINGS, invite_reports, make_reports
from house import House, bearer, open_house
from page_reading import Page, password, read_page
from sotto_collector.tokens import create_token

HOSTILE = "<script>alert('1')</script>\"&"
SURVEYS = (
    SMALL,
    replace(STRINGS, invited=True, min_reports=1000),
    replace(SMALL, id="hostile", title=HOSTILE, public_results=True),
)

FACTS = {
    "hostile": "closed, for everybody",
    "small": "open, for everybody",
    "strings": "open, by invitation, 3 waves, results by every 1,000 reports",
}


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with open_house(tmp_path / "survey.db", *SURVEYS) as opened:
        yield opened


@pytest.mark.parametrize("role", ["admin", "analyst"])
def test_index_lists_surveys_as_the_route_for_programs_does(house: House, role: str) -> None:
    assert house.send(SMALL, make_reports(1200, SMALL)).status_code == 200
    house.administer("POST", "/v1/surveys/hostile/close")
    token = getattr(house, role)
    rows = read_page(house.http.get("/s", headers=password(token))).table("3 surveys")
    listed = house.http.get("/v1/surveys", headers=token).get_json()["surveys"]
    of_admin = " needs an analyst's token" if role == "admin" else ""
    assert [[" ".join(str(cell).split()) for cell in row] for row in rows] == [
        [
            f"{survey['title']} {survey['id']}: {FACTS[survey['id']]}; fingerprint {survey['fingerprint'][:12]}",
            n_reports,
            results,
        ]
        for survey, n_reports, results in zip(
            listed,
            ("0", "1,200", "0"),
            (
                "View results of hostile (public)",
                f"View results of small (analysts only){of_admin}",
                f"View results of strings (analysts only){of_admin}",
            ),
            strict=True,
        )
    ]
    assert [survey["n_reports"] for survey in listed] == [0, 1200, 0]


def test_index_tells_how_many_of_those_invited_took_part(tmp_path: Path) -> None:
    with open_house(tmp_path / "survey.db", INVITED) as house:
        reports = invite_reports(house.collector.store, house.stored(INVITED), make_reports(7, INVITED))
        assert house.send(INVITED, reports[:3]).status_code == 200
        ((_, told, _),) = read_page(house.http.get("/s", headers=password(house.analyst))).table("1 survey")
        assert str(told).strip() == "3 of 7 invited"


@pytest.mark.parametrize(
    ("reader", "by_bearer", "by_password"),
    [
        ("nobody", 401, 401),
        ("monitor", 403, 401),
        ("admin", 200, 200),
        ("analyst", 200, 200),
        ("admin of small", 200, 200),
    ],
)
def test_index_is_for_who_may_list(house: House, reader: str, by_bearer: int, by_password: int) -> None:
    role, _, survey_id = reader.partition(" of ")
    token = (
        {} if reader == "nobody" else bearer(create_token(house.collector.tokens, role, survey_id=survey_id or None))
    )
    assert house.http.get("/s", headers=token).status_code == by_bearer
    response = house.http.get("/s", headers=password(token) if token else {})
    assert response.status_code == by_password
    if by_password == 401:
        assert response.headers["WWW-Authenticate"].startswith('Basic realm="surveys, for: admin, analyst"')
        assert "sotto token create --role analyst" in Page(response.text).words


def test_token_of_one_survey_lists_that_one(house: House) -> None:
    token = bearer(create_token(house.collector.tokens, "analyst", survey_id="small"))
    page = read_page(house.http.get("/s", headers=password(token)))
    assert len(page.table("1 survey")) == 1
    assert "For analysts of one survey" in page.words


def test_every_link_of_the_index_leads_somewhere(house: House) -> None:
    response = house.http.get("/s", headers=password(house.analyst))
    links = [link["href"] for tag in ("a", "link") for link in read_page(response).all(tag)]
    assert {"./s/small", "./s/small/results"} <= {*links}
    for link in links:
        assert house.http.get(link.removeprefix("."), headers=password(house.analyst)).status_code == 200, link


def test_what_authors_write_is_text_in_the_index(house: House) -> None:
    response = house.http.get("/s", headers=password(house.admin))
    page = read_page(response)
    assert page.all("script") == []
    assert HOSTILE in page.words
    assert "://" not in response.text
    assert response.headers["Cache-Control"] == "no-store"
    assert "form-action 'none'" in response.headers["Content-Security-Policy"]
    assert "Set-Cookie" not in response.headers


def test_pages_in_english_say_so_to_whoever_reads_them(house: House) -> None:
    arabic = {"Accept-Language": "ar"}
    for headers in (arabic, arabic | password(house.admin)):
        page = Page(house.http.get("/s", headers=headers).text)
        assert page.all("html") == [{"lang": "en", "dir": "ltr"}]


def test_collector_without_surveys_says_so(tmp_path: Path) -> None:
    with open_house(tmp_path / "survey.db", SMALL) as house:
        house.administer("POST", "/v1/surveys/small/close")
        house.administer("DELETE", "/v1/surveys/small")
        assert "No survey is published." in read_page(house.http.get("/s", headers=password(house.admin))).words
