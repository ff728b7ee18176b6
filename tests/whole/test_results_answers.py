"""How the results page answers: safely, once, and with a page where there is nothing to see."""

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from werkzeug.test import TestResponse

from collecting import SMALL, SURVEY, end_token, make_reports
from house import House, bearer, open_house
from page_reading import password, read_page
from sotto_collector.tokens import create_token
from sotto_estimator.page import blueprint
from sotto_protocol import Survey
from sotto_protocol.questions.one_of import OneOf

HOSTILE = "<script>alert(1)</script>"
HOSTILE_OPTION = "\"'><img src=x onerror=alert(2)>&amp;</svg>"
HOSTILE_SURVEY = replace(
    SMALL,
    id="hostile",
    title=HOSTILE,
    questions=(
        replace(SMALL.questions[0], text=HOSTILE_OPTION),
        replace(SMALL.questions[1], kind=OneOf((HOSTILE, HOSTILE_OPTION, "{{ 7 * 7 }}", "]]>", "5"))),
    ),
)


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with open_house(tmp_path / "survey.db", SURVEY, SMALL, HOSTILE_SURVEY) as opened:
        yield opened


def see(house: House, survey: Survey, query: str = "") -> TestResponse:
    return house.http.get(f"/s/{survey.id}/results{query}", headers=password(house.analyst))


def test_members_of_others_in_the_query_are_left_alone(house: House) -> None:
    house.collect(SMALL, 30)
    assert read_page(see(house, SMALL, "?level=0.9&fbclid=abc")).table("Estimates of the shares rating")


@pytest.mark.parametrize(
    "path",
    [
        "none/results",
        "none/results.csv",
        "small/results/none/shares.svg",
        "small/results/rating/waves.svg",
        "small/results/rating/lines.svg",
        "small/results/rating/shares.pdf",
        "small/results.exe",
        "small/result",
        "SMALL/results",
        "%3Cscript%3E/results",
    ],
)
def test_what_is_not_there_is_a_page_that_says_so(house: House, path: str) -> None:
    house.collect(SMALL, 30)
    response = house.http.get(f"/s/{path}", headers=house.analyst)
    assert (response.status_code, response.mimetype) == (404, "text/html")
    assert "<script" not in response.text


def test_what_authors_write_is_text_and_nothing_else(house: House) -> None:
    house.collect(HOSTILE_SURVEY, 2000)
    response = see(house, HOSTILE_SURVEY)
    page = read_page(response)
    assert page.all("script") == [
        {"type": "application/json", "id": "words"},
        {"type": "module", "src": "../../static/results/results.js"},
    ]
    assert page.all("img") == []
    assert {cell for row in page.table("Estimates of the shares rating") for cell in row[:1]} == {
        *HOSTILE_SURVEY.questions[1].options
    }
    for chart in page.charts():
        assert {mark.tag for mark in chart.iter()} <= {"svg", "title", "desc", "rect", "line", "text", "circle"}
    title = page.charts()[0].find("title")
    assert title is not None
    assert title.text == HOSTILE_OPTION
    file = house.http.get("/s/hostile/results/rating/shares.svg", headers=house.analyst)
    assert HOSTILE not in file.text
    assert "&lt;script&gt;" in file.text


def test_page_runs_and_loads_nothing_that_the_collector_does_not_serve(house: House) -> None:
    house.collect(SURVEY, 40)
    response = see(house, SURVEY)
    policy = dict(part.split(" ", 1) for part in response.headers["Content-Security-Policy"].split("; "))
    assert policy["default-src"] == policy["base-uri"] == policy["frame-ancestors"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["form-action"] == policy["connect-src"] == "'self'"
    assert "Set-Cookie" not in response.headers
    assert response.headers["Cache-Control"] == "no-store"
    assert response.headers["Referrer-Policy"] == "no-referrer"
    page = read_page(response)
    assert "://" not in response.text
    assert page.all("style") == []
    listed = [element.attributes for element in page.root.inner]
    assert not [name for attributes in listed for name in attributes if name == "style" or name[:2] == "on"]
    ids = [attributes["id"] for attributes in listed if "id" in attributes]
    assert len(ids) == len(set(ids))
    for attributes in listed:
        for name in ("for", "aria-labelledby"):
            assert {*attributes.get(name, "").split()} <= {*ids}
    for link in [*page.all("script")[1:], *page.all("link")]:
        path = (link.get("src") or link["href"]).removeprefix("../..")
        assert house.http.get(path).status_code == 200, path


def test_page_that_is_the_same_is_not_worked_out_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blueprint, "MAX_KEPT_BYTES", 0)
    with open_house(tmp_path / "survey.db", SMALL) as house:
        house.collect(SMALL, 30)
        tag = see(house, SMALL).headers["ETag"]
        monkeypatch.setattr(blueprint, "find_results", lambda given, choices: pytest.fail("worked out"))
        with pytest.raises(pytest.fail.Exception, match="worked out"):
            see(house, SMALL)  # it is not kept
        again = house.http.get("/s/small/results", headers=house.analyst | {"If-None-Match": tag})
        assert again.status_code == 304


def test_answer_is_not_sent_again_while_it_is_the_same(house: House) -> None:
    house.collect(SMALL, 30)
    tag = see(house, SMALL).headers["ETag"]
    again = house.analyst | {"If-None-Match": tag}
    unchanged = house.http.get("/s/small/results", headers=again)
    assert (unchanged.status_code, unchanged.data, unchanged.headers["ETag"]) == (304, b"", tag)
    assert house.http.get("/s/small/results?level=0.9", headers=again).status_code == 200
    first = house.collect(SMALL, 1)
    assert house.http.get("/s/small/results", headers=again).status_code == 200
    tag = see(house, SMALL).headers["ETag"]
    house.erase("small", first[0].id.hex())
    other = next(report for report in make_reports(200, SMALL) if report.record != first[0].record)
    assert house.send(SMALL, [other]).status_code == 200  # as many as before, and others
    assert house.http.get("/s/small/results", headers=house.analyst | {"If-None-Match": tag}).status_code == 200


@pytest.mark.thorough
def test_collector_without_the_estimator_says_what_to_install(tmp_path: Path) -> None:
    code = f"""
import sys
sys.modules["scipy"] = None
sys.path.insert(0, {str(Path(__file__).parents[1] / "support")!r})
from house import open_house
with open_house({str(tmp_path / "survey.db")!r}) as house:
    response = house.http.get("/s/habits/results")
    print(response.status_code, response.mimetype, "sottovoce[collector,estimator]" in response.text)
    print(house.http.get("/s/habits").status_code, house.http.get("/s", headers=house.admin).status_code)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.split("\n")[:2] == ["501 text/html True", "200 200"], done.stderr


def test_token_that_has_ended_is_said_to_have(house: House) -> None:
    token = create_token(house.collector.tokens, "analyst")
    end_token(house.collector.tokens, token)
    response = house.http.get("/s/habits/results", headers=password(bearer(token)))
    assert response.status_code == 401
    assert "the token has ended" in response.text
    assert token not in response.text
