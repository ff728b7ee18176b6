"""Who sees a survey's results: analysts, or everybody where it says so; nobody below its least number of reports."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from collecting import SMALL, STRINGS, make_reports, tally_of
from house import House, assert_refused, bearer, open_house
from page_reading import Page, password, read_page
from sotto_collector.store.releases import read_released_waves
from sotto_collector.tokens import create_token
from sotto_protocol import Report, Survey, Tally, compile_toml

PUBLIC = replace(SMALL, id="public", public_results=True)
LEAST = replace(SMALL, id="least", min_reports=100)
PUBLIC_LEAST = replace(LEAST, id="public-least", public_results=True)
WAVES = replace(STRINGS, id="waves", questions=STRINGS.questions[:1], min_reports=50)
COHORTS = compile_toml("""
id = "cohorts"
title = "Two cohorts"
min_reports = 10
[[questions]]
id = "home"
type = "text"
mechanism = "rappor"
text = "Which page do you see first?"
n_bits = 16
n_cohorts = 2
epsilon = 2.0
""")
FILES = ["results.csv", "results.json", "results/rating/shares.svg", "results/rating/shares.png"]
PATHS = ["results", "results.csv", "results/rating/shares.svg"]
READERS = [
    "nobody",
    "stranger",
    "admin",
    "analyst",
    "analyst of small",
    "analyst of public",
    "monitor",
    "reader of small",
]


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with open_house(tmp_path / "survey.db", SMALL, PUBLIC, LEAST, PUBLIC_LEAST, WAVES, COHORTS) as opened:
        yield opened


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """One collector, with results, for who sees them."""
    with open_house(tmp_path_factory.mktemp("shared") / "survey.db", SMALL, PUBLIC) as opened:
        for survey in (SMALL, PUBLIC):
            opened.collect(survey, 20)
        yield opened


def see(house: House, survey: Survey, query: str = "", reader: dict[str, str] | None = None) -> Page:
    headers = password(house.analyst) if reader is None else reader
    return read_page(house.http.get(f"/s/{survey.id}/results{query}", headers=headers))


def token_of(house: House, reader: str) -> dict[str, str]:
    """Return the header of a Bearer; none for nobody."""
    role, _, survey_id = reader.partition(" of ")
    if reader == "stranger":
        return bearer("sotto_analyst_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")
    return (
        {}
        if reader == "nobody"
        else bearer(create_token(house.collector.tokens, role, survey_id=survey_id or None, expires_in_s=60))
    )


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("path", PATHS)
def test_results_are_for_analysts_of_the_survey(shared: House, reader: str, path: str) -> None:
    may = reader in ("analyst", "analyst of small")
    unknown = reader in ("nobody", "stranger")
    token = token_of(shared, reader)
    response = shared.http.get(f"/s/small/{path}", headers=token)
    assert response.status_code == (200 if may else 401 if unknown else 403)
    response = shared.http.get(f"/s/small/{path}", headers=password(token) if token else {})
    assert response.status_code == (200 if may else 401)
    assert ("WWW-Authenticate" in response.headers) is not may


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("path", PATHS)
def test_public_results_are_for_everybody(shared: House, reader: str, path: str) -> None:
    token = token_of(shared, reader)
    for headers in (token, password(token) if token else {}):
        assert shared.http.get(f"/s/public/{path}", headers=headers).status_code == 200


def test_who_is_not_signed_in_is_asked_to_be_and_told_where_tokens_come_from(shared: House) -> None:
    response = shared.http.get("/s/small/results")
    assert (response.status_code, response.mimetype) == (401, "text/html")
    assert response.headers["WWW-Authenticate"] == 'Basic realm="results of small, for: analyst", charset="UTF-8"'
    assert "sotto token create --role analyst --survey small" in Page(response.text).words
    wrong = shared.http.get("/s/small/results", headers=password(shared.admin))
    assert "the token must have the role analyst, not admin." in Page(wrong.text).words
    assert shared.admin["Authorization"].split()[1] not in wrong.text


def test_a_program_is_told_in_json_what_keeps_it_from_the_json(house: House) -> None:
    house.collect(LEAST, 30)
    paths = ("small/results.json", {}, 401, "unauthorized"), ("least/results.json", house.analyst, 403, "below_minimum")
    for path, token, status, code in (*paths, ("none/results.json", house.analyst, 404, "no_such_survey")):
        assert_refused(house.http.get(f"/s/{path}", headers=token), status, code)
        browser = house.http.get(f"/s/{path}", headers=token | {"Accept": "text/html,*/*;q=0.8"})
        assert (browser.status_code, browser.mimetype) == (status, "text/html")


def test_any_name_goes_with_a_token(shared: House) -> None:
    for name in ("", "J\u00f6rg", "x" * 500):
        assert shared.http.get("/s/small/results", headers=password(shared.analyst, name)).status_code == 200


@pytest.mark.parametrize(
    "value", ["Basic", "Basic ", "Basic !!!", "Basic Og==", "Basic OnNvdHRv", "Basic /w==", "Bearer", "Digest x=1", "x"]
)
def test_garbage_for_a_token_is_no_token(shared: House, value: str) -> None:
    response = shared.http.get("/s/small/results", headers={"Authorization": value})
    assert (response.status_code, response.mimetype) == (401, "text/html")


def test_script_that_is_refused_makes_no_browser_ask_for_a_password(shared: House) -> None:
    response = shared.http.get("/s/small/results", headers={"X-Requested-With": "results.js"})
    assert (response.status_code, response.headers["WWW-Authenticate"]) == (401, "Bearer")


def test_password_opens_pages_only(shared: House) -> None:
    """What a browser keeps must not act: no other site's page can then send it along."""
    for path in ("/v1/surveys", "/v1/surveys/small/tally", "/metrics"):
        response = shared.http.get(path, headers=password(shared.analyst))
        assert_refused(response, 401, "unauthorized")
        assert response.headers["WWW-Authenticate"] == "Bearer"
    closed = shared.http.post("/v1/surveys/small/close", headers=password(shared.admin))
    assert_refused(closed, 401, "unauthorized")


def test_below_the_least_an_analyst_is_told_how_many_are_missing(house: House) -> None:
    for n_reports, said in (
        (0, "So far there are 0. At least 100 are missing."),
        (30, "there are 30. At least 70 are missing."),
    ):
        house.collect(LEAST, n_reports) if n_reports else None
        page = see(house, LEAST)
        assert said in page.words
        assert page.tables == {}
        assert page.charts() == []
    for path in FILES:
        response = house.http.get(f"/s/least/{path}", headers=house.analyst)
        assert response.status_code == 403
        assert "results of fewer than 100 reports are not shown" in response.text


def test_below_the_least_a_stranger_is_told_the_least_and_nothing_else(house: House) -> None:
    nothing = see(house, PUBLIC_LEAST, reader={}).text
    house.collect(PUBLIC_LEAST, 37)
    page = see(house, PUBLIC_LEAST, reader={})
    assert page.text == nothing  # not even that there is one, let alone when it came
    shown = page.root.one("div", id="results")
    assert re.findall("[0-9][0-9.]*", shown.text) == ["100"]
    response = house.http.get("/s/public-least/results.json")
    assert (response.status_code, "37" in response.text, "63" in response.text) == (403, False, False)


def test_results_go_in_the_steps_of_the_tally(house: House) -> None:
    reports = make_reports(350, PUBLIC_LEAST)
    seen = []
    for start in range(0, 350, 50):
        assert house.send(PUBLIC_LEAST, reports[start : start + 50]).status_code == 200
        page = see(house, PUBLIC_LEAST)
        given = house.read_tally(PUBLIC_LEAST)
        if given.status_code == 200:
            n_reports = Tally.from_json(given.data).n_reports
            seen.append(n_reports)
            assert page.table("Estimates of the shares rating")
            assert f"{n_reports} reports." in page.words
        else:
            assert page.tables == {}
    assert seen == [100, 100, 200, 200, 300, 300]


def test_tallies_by_wave_add_up_to_the_one_that_is_released(house: House) -> None:
    for wave, n_reports in ((1, 60), (2, 49), (3, 70)):
        house.collect(WAVES, n_reports, wave)
    tallies = read_released_waves(house.collector.store, house.stored(WAVES))
    assert {wave: tally.n_reports for wave, tally in tallies.items()} == {1: 60, 3: 70}
    assert tallies[1] + tallies[3] == Tally.from_json(house.read_tally(WAVES).data)
    page = see(house, WAVES)
    assert [row[:2] for row in page.table("Wave by wave: Yes affair")] == [["1", "60"], ["3", "70"]]
    withheld = see(house, WAVES, "?wave=2")
    assert "a wave or a group with fewer than 50 reports is not shown." in withheld.words
    assert "So far there are 179." in withheld.words  # as the list of surveys says; not 49


def test_question_with_cohorts_says_what_it_needs(house: House) -> None:
    house.collect(COHORTS, 3)
    said = "results of fewer than 10 reports are not shown. So far there are 3. At least 7 are missing."
    assert said in see(house, COHORTS).words
    house.collect(COHORTS, 9)  # 12: one of the cohorts has fewer than ten
    said = "This question shows no results until each of its 2 groups has 10 reports. At least 8 more must come."
    page = see(house, COHORTS)
    assert said in page.words
    assert page.all("textarea") == []
    house.collect(COHORTS, 200)
    page = see(house, COHORTS)
    assert "This question shows no results" not in page.words
    assert len(page.all("textarea")) == 1


def test_counts_that_contradict_the_design_are_warned_of_on_the_page(house: House) -> None:
    sent = [{"affair": True, "rating": number % 5} for number in range(200)]
    fakes = [
        Report(number.to_bytes(16, "big"), record.tobytes())
        for number, record in enumerate(SMALL.layout.from_wire(sent))
    ]
    assert house.send(SMALL, fakes).status_code == 200
    page = see(house, SMALL)
    assert "The reports contradict the survey's design, so they say nothing about this question." in page.words
    assert "affair: 200 of 200 reports point to yes. At most 146.2 are expected" in page.words
    told = [question for question in SMALL.questions if question.id != "affair"]
    assert page.words.count("The exact numbers") == len(told)
    assert "rating: 200 of 200 reports" not in page.words
    assert "contradict" not in see(house, PUBLIC).words


def test_reading_changes_no_report(house: House) -> None:
    reports = make_reports(120, PUBLIC_LEAST)
    assert house.send(PUBLIC_LEAST, reports).status_code == 200
    for _ in range(3):
        see(house, PUBLIC_LEAST, reader={})
    assert house.collector.store.recount(house.stored(PUBLIC_LEAST)) == tally_of(PUBLIC_LEAST, reports)


def test_page_is_the_same_under_every_address(house: House) -> None:
    house.collect(PUBLIC, 20)
    tags = [house.http.get("/s/public/results", headers={"Host": host}).headers["ETag"] for host in ("a", "b.example")]
    assert tags[0] == tags[1]
