"""The results page: the same numbers as `sotto estimate`, to who may see them, and nothing that somebody wrote runs."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from collecting import SMALL, STRINGS, SURVEY, end_token, make_reports, serve, tally_of
from console import Console
from house import House, bearer, open_house
from page_reading import password, read_page
from sotto_client.cli import main
from sotto_collector.tokens import create_token
from sotto_estimator import Manner, estimate_tally
from sotto_estimator.page import blueprint
from sotto_estimator.page.section import MAX_ROWS
from sotto_estimator.render import epsilon_words
from sotto_protocol import Report, Survey, Tally, compile_toml

WAVES = compile_toml("""
id = "waves"
title = "Asked four times"
waves = 4
[[questions]]
id = "affair"
type = "yes-no"
text = "Have you had an affair?"
epsilon = 2
[[questions]]
id = "facts"
type = "any-of"
text = "Which are so?"
options = ["a", "b", "c"]
epsilon = 2
""")
HOSTILE = "<script>alert(1)</script>"
HOSTILE_OPTION = "\"'><img src=x onerror=alert(2)>&amp;</svg>"
HOSTILE_SURVEY = replace(
    SMALL,
    id="hostile",
    title=HOSTILE,
    questions=(
        replace(SMALL.questions[0], text=HOSTILE_OPTION),
        replace(SMALL.questions[1], options=(HOSTILE, HOSTILE_OPTION, "{{ 7 * 7 }}", "]]>", "5")),
    ),
)
TEXT_ONLY = replace(STRINGS, id="text-only", waves=1, questions=(STRINGS.questions[1],))
QUERIES = ["", "?level=0.9", "?level=0.99&method=wilson&target=respondents", "?method=hoeffding&simultaneous=yes"]


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with open_house(tmp_path / "survey.db", SURVEY, SMALL, WAVES, STRINGS, HOSTILE_SURVEY, TEXT_ONLY) as opened:
        yield opened


def collect(house: House, survey: Survey, n_reports: int, wave: int = 1) -> list[Report]:
    reports = make_reports(n_reports, survey, wave)
    assert house.send(survey, reports).status_code == 200
    return reports


def see(house: House, survey: Survey, query: str = "") -> Any:
    return house.http.get(f"/s/{survey.id}/results{query}", headers=password(house.analyst))


def manner_of(query: str) -> Manner:
    chosen = dict(pair.split("=") for pair in query.removeprefix("?").split("&") if pair)
    return Manner(
        float(chosen.get("level", "0.95")),
        chosen.get("method", "chernoff"),  # type: ignore[arg-type]  # one of them
        chosen.get("target", "population"),  # type: ignore[arg-type]  # so is this
        chosen.get("simultaneous") == "yes",
    )


def rows_of(tally: Tally, question: str, manner: Manner | None = None) -> list[list[Any]]:
    names = ("answer", "share", "low", "high", "standard_error", "shift_up", "shift_down")
    rows = estimate_tally(tally, manner).rows
    return [[getattr(row, name) for name in names] for row in rows if row.question == question]


@pytest.mark.parametrize("query", QUERIES)
def test_tables_hold_the_numbers_of_the_estimator(house: House, query: str) -> None:
    tally = tally_of(SURVEY, collect(house, SURVEY, 500))
    page = read_page(see(house, SURVEY, query))
    for question in SURVEY.questions:
        assert page.table(f"The shares of {question.id}: n = 500") == rows_of(tally, question.id, manner_of(query))
        assert f"n = 500 reports, epsilon {epsilon_words(question.epsilon)}" in page.words


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("kind", ["csv", "json"])
def test_files_are_what_the_command_prints_of_the_same_tally(
    house: House, tmp_path: Path, query: str, kind: str
) -> None:
    collect(house, SURVEY, 300)
    file = tmp_path / "tally.json"
    file.write_bytes(house.read_tally(SURVEY).data)
    manner = manner_of(query)
    options = ["--level", str(manner.level), "--method", manner.method, "--target", manner.target]
    options += ["--simultaneous"] * manner.simultaneous
    printed = CliRunner().invoke(main, ["estimate", str(file), f"--{kind}", *options])
    response = house.http.get(f"/s/habits/results.{kind}{query}", headers=house.analyst)
    assert response.data == printed.stdout_bytes
    assert response.headers["Content-Disposition"] == f'attachment; filename="habits-results.{kind}"'
    assert response.headers["X-Content-Type-Options"] == "nosniff"


def test_waves_are_shown_one_after_the_other_and_the_last_beside_all(house: House) -> None:
    tallies = {wave: tally_of(WAVES, collect(house, WAVES, 100 * wave, wave)) for wave in (1, 2, 3)}
    page = read_page(see(house, WAVES))
    pooled = tallies[1] + tallies[2] + tallies[3]
    for question in WAVES.questions:
        last = [row[1:4] for row in rows_of(tallies[3], question.id)]
        expected = [row + more for row, more in zip(rows_of(pooled, question.id), last, strict=True)]
        assert page.table(f"The shares of {question.id}: n = 600") == expected
        shown = page.table(f"The shares of {question.id}, wave by wave")
        by_answer = [
            [wave, tally.n_reports, *rows_of(tally, question.id)[number][1:5]]
            for number in range(len(question.labels))
            for wave, tally in tallies.items()
        ]
        assert [list(map(float, row[-6:])) for row in shown] == [pytest.approx(row, abs=1e-12) for row in by_answer]
    assert "waves 1, 2, 3 pooled: a device's reports are not independent" in page.words


def test_chart_that_is_downloaded_says_what_it_shows(house: House) -> None:
    for wave in (1, 2):
        collect(house, WAVES, 30, wave)
    said = {
        "shares": ["n = 60 reports, epsilon 2.0000", "95 % intervals by the Chernoff bound", "waves 1, 2 pooled"],
        "waves": ["waves 1 to 2, each by itself; epsilon 2.0000", "95 % intervals by the Chernoff bound"],
    }
    for chart, lines in said.items():
        response = house.http.get(f"/s/waves/results/facts/{chart}.svg", headers=house.analyst)
        assert response.headers["Content-Disposition"] == f'attachment; filename="waves-facts-{chart}.svg"'
        assert [line in response.text for line in lines] == [True] * len(lines)
    assert "pooled" not in response.text


@pytest.mark.parametrize("query", ["", "&method=clopper-pearson&target=respondents", "&simultaneous=yes&method=wilson"])
def test_wave_is_chosen_in_the_address(house: House, query: str) -> None:
    tallies = {wave: tally_of(WAVES, collect(house, WAVES, 90, wave)) for wave in (1, 2)}
    page = read_page(see(house, WAVES, f"?wave=2{query}"))
    assert page.table("The shares of facts: n = 90") == rows_of(tallies[2], "facts", manner_of(query))
    rows = [row[-6:] for row in page.table("The shares of facts, wave by wave")]
    shares = [row[1:5] for row in rows_of(tallies[1], "facts", manner_of(query))]
    assert [row[2:] for row in rows if row[0] == "1"] == [pytest.approx(row, abs=1e-12) for row in shares]
    file = house.http.get(f"/s/waves/results.json?wave=2{query}", headers=house.analyst)
    assert file.get_json()["waves"] == [2]
    assert file.headers["Content-Disposition"] == 'attachment; filename="waves-results-wave-2.json"'
    assert read_page(see(house, WAVES, "?wave=3")).words.count("No reports yet.") == 1


def test_table_of_very_many_answers_has_the_largest_shares_and_the_file_all(tmp_path: Path) -> None:
    options = ", ".join(f'"o{number}"' for number in range(MAX_ROWS + 50))
    survey = compile_toml(
        f'id = "wide"\ntitle = "Wide"\n[[questions]]\nid = "q"\ntype = "one-of"\ntext = "?"\nmechanism = "k-ary"\n'
        f"epsilon = 3\noptions = [{options}]\n"
    )
    with open_house(tmp_path / "wide.db", survey) as house:
        rows = rows_of(tally_of(survey, collect(house, survey, 300)), "q")
        page = read_page(see(house, survey))
        assert "The 1000 largest of 1050 shares" in page.words
        shown = page.table("The shares of q")
        left_out = [row for row in rows if row not in shown]
        assert (len(shown), len(left_out)) == (MAX_ROWS, 50)
        assert max(row[1] for row in left_out) <= min(row[1] for row in shown)
        assert len(house.http.get("/s/wide/results.csv", headers=house.analyst).text.splitlines()) == 1 + len(rows)


def test_closed_survey_shows_what_it_had(house: House) -> None:
    tally = tally_of(SMALL, collect(house, SMALL, 50))
    assert "State open" in read_page(see(house, SMALL)).words
    house.administer("POST", "/v1/surveys/small/close")
    page = read_page(see(house, SMALL))
    assert "State closed" in page.words
    assert page.table("The shares of rating") == rows_of(tally, "rating")


def test_empty_survey_says_so_and_has_no_files(house: House) -> None:
    page = read_page(see(house, SMALL))
    assert "No reports yet." in page.words
    assert page.tables == {}
    for path in ("results.csv", "results.json", "results/rating/shares.svg", "results/rating/shares.png"):
        response = house.http.get(f"/s/small/{path}", headers=house.analyst)
        assert response.status_code == 404
        assert "No reports yet." in response.text


def test_text_question_says_how_its_strings_are_found_and_the_command_finds_them(tmp_path: Path) -> None:
    survey = compile_toml(
        'id = "lunch"\ntitle = "Lunch"\n[[questions]]\nid = "place"\ntype = "text"\ntext = "Where?"\nepsilon = 4\n'
    )
    with serve(tmp_path / "survey.db", survey=survey) as served:
        assert served.send(make_reports(2000, survey), survey)[0] == 200
        status, _, content = served.fetch("GET", "/s/lunch/results", token=served.analyst)
        assert status == 200
        (command,) = re.findall(r"<pre>(.*)</pre>", content.decode())
        assert command == f"sotto decode {served.url} lunch place --candidates candidates.txt"
        listed = tmp_path / "list.txt"
        listed.write_text("\u00e1\nb\n")
        words = command.replace("candidates.txt", str(listed)).split()[1:]
        found = CliRunner().invoke(main, [*words, "--json"], env={"SOTTO_TOKEN": served.analyst})
    assert "\u00e1" in [
        row["string"] for row in json.loads(found.stdout)["strings"]
    ]  # everybody's; of others 5 % may be


def test_survey_of_text_alone_has_no_shares_to_download(house: House) -> None:
    collect(house, TEXT_ONLY, 40)
    page = read_page(see(house, TEXT_ONLY))
    assert "n = 40 reports, epsilon 2.0000" in page.words
    assert "sotto decode http://localhost text-only home --candidates candidates.txt" in page.words
    response = house.http.get("/s/text-only/results.csv", headers=house.analyst)
    assert (response.status_code, "text questions only" in response.text) == (404, True)


def test_strings_on_nobodys_list_can_be_asked_for_in_one_wave(house: House) -> None:
    collect(house, STRINGS, 40)
    command = "sotto decode http://localhost strings street --unknown --wave 1"
    assert command in read_page(see(house, STRINGS, "?wave=1")).words
    assert "--unknown" not in read_page(see(house, STRINGS)).words


def test_fake_reports_are_warned_of_in_the_words_of_the_command(house: House, tmp_path: Path) -> None:
    colour = next(question for question in SURVEY.questions if question.id == "colour")
    fakes = np.array([np.frombuffer(report.record, np.uint8) for report in make_reports(50)])
    start = sum(question.mechanism.n_bytes for question in SURVEY.questions[: SURVEY.questions.index(colour)])
    fakes[:, start : start + 2] = [0xFF, 0x0F]  # all twelve bits
    reports = [Report(report.id, row.tobytes()) for report, row in zip(make_reports(50), fakes, strict=True)]
    assert house.send(SURVEY, reports).status_code == 200
    (tmp_path / "tally.json").write_bytes(house.read_tally(SURVEY).data)
    warned = CliRunner().invoke(main, ["estimate", str(tmp_path / "tally.json")]).stderr
    assert warned.startswith("Warning: 50 reports to colour")
    page = read_page(see(house, SURVEY))
    assert " ".join(warned.split()) in page.words
    assert "quality of colour: 50 of 50 reports implausible" in page.words


@pytest.mark.parametrize(
    ("query", "status", "expected"),
    [
        ("?wave=5", 404, "all or an integer in [1, 4]"),
        ("?wave=0", 404, "all or an integer in [1, 4]"),
        ("?wave=one", 404, "all or an integer in [1, 4]"),
        ("?wave=1&wave=2", 404, "must be given once"),
        ("?level=0.5", 400, "one of 0.9, 0.95, 0.99"),
        ("?level=c4n4ry", 400, "one of 0.9, 0.95, 0.99"),
        ("?method=bootstrap", 400, "one of chernoff, hoeffding, clopper-pearson, wilson"),
        ("?target=", 400, "one of population, respondents"),
        ("?simultaneous=1", 400, "one of no, yes"),
        ("?level=0.9&level=0.9", 400, "must be given once"),
        ("?method=wilson", 400, "chernoff, hoeffding where 2 waves are pooled"),
    ],
)
def test_impossible_choice_is_answered_with_what_can_be_chosen(
    house: House, query: str, status: int, expected: str
) -> None:
    for wave in (1, 2):
        collect(house, WAVES, 30, wave)
    for path in ("results", "results.csv", "results/facts/shares.svg"):
        response = house.http.get(f"/s/waves/{path}{query}", headers=house.analyst)
        assert (response.status_code, response.mimetype) == (status, "text/html")
        assert expected in response.text
        assert "c4n4ry" not in response.text


def test_members_of_others_in_the_query_are_left_alone(house: House) -> None:
    collect(house, SMALL, 30)
    assert read_page(see(house, SMALL, "?level=0.9&fbclid=abc")).table("The shares of rating")


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
    collect(house, SMALL, 30)
    response = house.http.get(f"/s/{path}", headers=house.analyst)
    assert (response.status_code, response.mimetype) == (404, "text/html")
    assert "<script" not in response.text


def test_what_authors_write_is_text_and_nothing_else(house: House) -> None:
    collect(house, HOSTILE_SURVEY, 40)
    response = see(house, HOSTILE_SURVEY)
    page = read_page(response)
    assert page.all("script") == [{"type": "module", "src": "../../static/results/results.js"}]
    assert page.all("img") == []
    assert {cell for row in page.table("The shares of rating") for cell in row[:1]} == {
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
    collect(house, SURVEY, 40)
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
    assert not [name for _, attributes in page.elements for name in attributes if name == "style" or name[:2] == "on"]
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    for _, attributes in page.elements:
        for name in ("for", "aria-labelledby"):
            assert {*attributes.get(name, "").split()} <= {*ids}
    for link in [*page.all("script"), *page.all("link")]:
        path = (link.get("src") or link["href"]).removeprefix("../..")
        assert house.http.get(path).status_code == 200, path


def test_page_that_is_the_same_is_not_worked_out_again(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    collect(house, SMALL, 30)
    tag = see(house, SMALL).headers["ETag"]
    for number, (level, method) in enumerate(product(LEVELS, METHODS)):
        assert see(house, SMALL, f"?level={level}&method={method}&simultaneous=yes"), number
    monkeypatch.setattr(blueprint, "find_results", lambda given, choices: pytest.fail("worked out"))
    with pytest.raises(pytest.fail.Exception, match="worked out"):
        see(house, SMALL)  # it is not kept any more
    again = house.http.get("/s/small/results", headers=house.analyst | {"If-None-Match": tag})
    assert again.status_code == 304


def test_answer_is_not_sent_again_while_it_is_the_same(house: House) -> None:
    collect(house, SMALL, 30)
    tag = see(house, SMALL).headers["ETag"]
    again = house.analyst | {"If-None-Match": tag}
    unchanged = house.http.get("/s/small/results", headers=again)
    assert (unchanged.status_code, unchanged.data, unchanged.headers["ETag"]) == (304, b"", tag)
    assert house.http.get("/s/small/results?level=0.9", headers=again).status_code == 200
    first = collect(house, SMALL, 1)
    assert house.http.get("/s/small/results", headers=again).status_code == 200
    tag = see(house, SMALL).headers["ETag"]
    house.erase("small", first[0].id.hex())
    other = next(report for report in make_reports(200, SMALL) if report.record != first[0].record)
    assert house.send(SMALL, [other]).status_code == 200  # as many as before, and others
    assert house.http.get("/s/small/results", headers=house.analyst | {"If-None-Match": tag}).status_code == 200


def test_collector_without_the_estimator_says_what_to_install(tmp_path: Path) -> None:
    code = f"""
import sys
sys.modules["scipy"] = None
sys.path.insert(0, {str(Path(__file__).parent)!r})
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


def test_examples_of_the_documentation_run(tmp_path: Path) -> None:
    console = Console(tmp_path)
    try:
        console.run_document(Path(__file__).parents[1] / "docs" / "results.md")
    finally:
        console.close()
