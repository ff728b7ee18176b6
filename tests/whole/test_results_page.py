"""The results page: the same numbers as `sotto estimate`, to who may see them, and nothing that somebody wrote runs."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from collecting import SMALL, STRINGS, SURVEY, make_reports, tally_of
from console import Console
from house import House, open_house
from page_reading import Page, password, read_page
from sotto_client.cli import main
from sotto_estimator import IntervalOptions, estimate_tally
from sotto_estimator.views.section import MAX_ROWS
from sotto_protocol import Report, Survey, Tally, compile_survey, compile_toml
from sotto_protocol.words import epsilon_above

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
mechanism = "bit-flips"
text = "Which are so?"
options = ["a", "b", "c"]
epsilon = 2
""")
TEXT_ONLY = replace(STRINGS, id="text-only", waves=1, questions=(STRINGS.questions[1],))
PLAIN = {"Yes": "yes"}
"""How the estimator calls what the page says."""
QUERIES: list[Any] = [pytest.param(query, marks=pytest.mark.thorough) for query in ("", "?level=0.9")]
QUERIES += ["?level=0.99&method=wilson&target=respondents", "?method=hoeffding&simultaneous=yes"]


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with open_house(tmp_path / "survey.db", SURVEY, SMALL, WAVES, STRINGS, TEXT_ONLY) as opened:
        yield opened


def see(house: House, survey: Survey, query: str = "") -> Any:
    return house.http.get(f"/s/{survey.id}/results{query}", headers=password(house.analyst))


def options_of(query: str) -> IntervalOptions:
    chosen = dict(pair.split("=") for pair in query.removeprefix("?").split("&") if pair)
    return IntervalOptions(
        float(chosen.get("level", "0.95")),
        chosen.get("method", "chernoff"),
        chosen.get("target", "population"),  # type: ignore[arg-type]  # one of them
        chosen.get("simultaneous") == "yes",
    )


def rows_of(tally: Tally, question: str, options: IntervalOptions | None = None) -> list[list[Any]]:
    found = estimate_tally(tally, options)
    return [
        [row.answer, row.share]
        + ([row.low, row.high] if found.has_interval(row) else ["–", "–"])
        + [row.standard_error, row.shift_up, row.shift_down]
        for row in found.rows
        if row.question == question
    ]


def shown(page: Page, question: str, n_before: int = 0) -> list[list[Any]]:
    """Return the rows of a question's two tables side by side, as `rows_of` has them."""
    estimates = page.table(f"Estimates of the shares {question}")
    errors = page.table(f"Errors, and what fakes would add {question}")
    assert [row[0] for row in estimates] == [row[0] for row in errors]
    return [
        [PLAIN.get(of[0], of[0]), *of[1:], *more[1 + n_before :]] for of, more in zip(estimates, errors, strict=True)
    ]


@pytest.mark.parametrize("query", QUERIES)
def test_tables_hold_the_numbers_of_the_estimator(house: House, query: str) -> None:
    tally = tally_of(SURVEY, house.collect(SURVEY, 500))
    page = read_page(see(house, SURVEY, query))
    for question in SURVEY.questions:
        assert shown(page, question.id) == rows_of(tally, question.id, options_of(query))
        assert f"n = 500, epsilon {epsilon_above(question.epsilon)}" in page.words


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("kind", ["csv", "json"])
def test_files_are_what_the_command_prints_of_the_same_tally(
    house: House, tmp_path: Path, query: str, kind: str
) -> None:
    house.collect(SURVEY, 300)
    file = tmp_path / "tally.json"
    file.write_bytes(house.read_tally(SURVEY).data)
    chosen = options_of(query)
    options = ["--level", str(chosen.level), "--method", chosen.method, "--target", chosen.target]
    options += ["--simultaneous"] * chosen.simultaneous
    printed = CliRunner().invoke(main, ["estimate", str(file), f"--{kind}", *options])
    response = house.http.get(f"/s/habits/results.{kind}{query}", headers=house.analyst)
    assert response.data == printed.stdout_bytes
    assert response.headers["Content-Disposition"] == f'attachment; filename="habits-results.{kind}"'
    assert response.headers["X-Content-Type-Options"] == "nosniff"


def test_waves_are_shown_one_after_the_other_and_the_last_beside_all(house: House) -> None:
    tallies = {wave: tally_of(WAVES, house.collect(WAVES, 100 * wave, wave)) for wave in (1, 2, 3)}
    page = read_page(see(house, WAVES))
    pooled = tallies[1] + tallies[2] + tallies[3]
    for question in WAVES.questions:
        assert shown(page, question.id) == rows_of(pooled, question.id)
        last = [row[1:4] for row in rows_of(tallies[3], question.id)]
        assert [row[1:] for row in page.table(f"The last wave alone {question.id}")] == last
        for number, label in enumerate(question.labels):
            name = "Yes" if question.type == "yes-no" else label
            rows = page.table(f"Wave by wave: {name} {question.id}")
            of_waves = [[wave, of.n_reports, *rows_of(of, question.id)[number][1:4]] for wave, of in tallies.items()]
            assert [[one if one == "–" else float(one) for one in row] for row in rows] == [
                pytest.approx(row, abs=1e-12) for row in of_waves
            ]
    assert "waves 1, 2, 3 together: one device may have reported in several of them" in page.words
    assert "600 reports. From 3 waves together." in page.words


def test_chart_that_is_downloaded_says_what_it_shows(house: House) -> None:
    for wave in (1, 2):
        house.collect(WAVES, 300, wave)
    said = {
        "shares": ["n = 600, epsilon 2", "95 % confidence in each range, for the population", "waves 1, 2 together"],
        "waves": ["waves 1 to 2, each separately; epsilon 2", "95 % confidence in each range, for the population"],
    }
    for chart, lines in said.items():
        response = house.http.get(f"/s/waves/results/facts/{chart}.svg", headers=house.analyst)
        assert response.headers["Content-Disposition"] == f'attachment; filename="waves-facts-{chart}.svg"'
        assert [line in response.text for line in lines] == [True] * len(lines)
    assert "waves 1, 2 together" not in response.text


def test_of_one_option_a_device_the_table_has_each_options_reports_and_of_a_draw_epsilon_is_at_most(
    tmp_path: Path,
) -> None:
    asked = {"id": "liked", "type": "any-of", "text": "Which?", "options": ["a", "b", "c"], "mechanism": "asked-option"}
    small = {"id": "member", "type": "yes-no", "text": "Member?"}
    survey = compile_survey(
        {"id": "some", "title": "Some", "draw": 1, "questions": [asked | {"epsilon": 2}, small | {"epsilon": 1}]}
    )
    with open_house(tmp_path / "some.db", survey) as house:
        tally = tally_of(survey, house.collect(survey, 400))
        page = read_page(see(house, survey))
    found = estimate_tally(tally)
    n_asked = [row[1] for row in page.table("Errors, and what fakes would add liked")]
    assert n_asked == [f"{row.n_reports:,}" for row in found.rows if row.question == "liked"]
    assert [row[1] for row in shown(page, "liked", 1)] == [row.share for row in found.rows if row.question == "liked"]
    assert shown(page, "member")[0][1] == found.rows[-1].share
    assert "Epsilon per report at most 2" in page.words
    said = {
        "liked": "n = ",
        "member": f"n = {found.rows[-1].n_reports}, epsilon 1; 95 % confidence in each range, for the population",
    }
    for section, question in zip(page.root.find("section"), survey.questions, strict=True):
        folded = [inner for details in section.find("details") for inner in details.inner]
        in_sight = [line.text for line in section.find("p") if not any(line is one for one in folded)]
        (made_of,) = [line for line in in_sight if line.startswith(said[question.id])]
        assert "each device answers 1 of the 2 questions; n counts the reports that answer this one" in made_of
    assert found.as_table().startswith("Some: n = 400 reports, epsilon at most 2 a report\n")


@pytest.mark.parametrize("query", ["", "&method=clopper-pearson&target=respondents", "&simultaneous=yes&method=wilson"])
def test_wave_is_chosen_in_the_address(house: House, query: str) -> None:
    tallies = {wave: tally_of(WAVES, house.collect(WAVES, 90, wave)) for wave in (1, 2)}
    page = read_page(see(house, WAVES, f"?wave=2{query}"))
    assert shown(page, "facts") == rows_of(tallies[2], "facts", options_of(query))
    shares = [row[1:4] for row in rows_of(tallies[1], "facts", options_of(query))]
    first = [page.table(f"Wave by wave: {answer} facts")[0][2:] for answer in "abc"]
    assert first == [pytest.approx(row, abs=1e-12) for row in shares]
    file = house.http.get(f"/s/waves/results.json?wave=2{query}", headers=house.analyst)
    assert file.get_json()["waves"] == [2]
    assert file.headers["Content-Disposition"] == 'attachment; filename="waves-results-wave-2.json"'
    assert read_page(see(house, WAVES, "?wave=3")).words.count("No reports yet.") == 1


@pytest.mark.thorough
def test_table_of_very_many_answers_has_the_largest_shares_and_the_file_all(tmp_path: Path) -> None:
    options = ", ".join(f'"o{number}"' for number in range(MAX_ROWS + 50))
    survey = compile_toml(
        f'id = "wide"\ntitle = "Wide"\n[[questions]]\nid = "q"\ntype = "one-of"\ntext = "?"\nmechanism = "k-ary"\n'
        f"epsilon = 3\noptions = [{options}]\n"
    )
    with open_house(tmp_path / "wide.db", survey) as house:
        rows = rows_of(tally_of(survey, house.collect(survey, 300)), "q")
        page = read_page(see(house, survey))
        assert "The 1,000 answers with the highest estimates, out of 1,050" in page.words
        seen = shown(page, "q")
        left_out = [row for row in rows if row not in seen]
        assert (len(seen), len(left_out)) == (MAX_ROWS, 50)
        assert max(row[1] for row in left_out) <= min(row[1] for row in seen)
        assert len(house.http.get("/s/wide/results.csv", headers=house.analyst).text.splitlines()) == 1 + len(rows)


def test_closed_survey_shows_what_it_had(house: House) -> None:
    tally = tally_of(SMALL, house.collect(SMALL, 50))
    assert "The survey is open." in read_page(see(house, SMALL)).words
    house.administer("POST", "/v1/surveys/small/close")
    page = read_page(see(house, SMALL))
    assert "The survey is closed." in page.words
    assert shown(page, "rating") == rows_of(tally, "rating")


def test_empty_survey_says_so_and_has_no_files(house: House) -> None:
    page = read_page(see(house, SMALL))
    assert "No reports yet." in page.words
    assert page.tables == {}
    for path in ("results.csv", "results.json", "results/rating/shares.svg", "results/rating/shares.png"):
        response = house.http.get(f"/s/small/{path}", headers=house.analyst)
        assert response.status_code == 404
        assert "No reports yet." in response.text


def test_survey_of_text_alone_has_no_shares_to_download(house: House) -> None:
    house.collect(TEXT_ONLY, 40)
    page = read_page(see(house, TEXT_ONLY))
    assert "n = 40, epsilon 2." in page.words
    assert "Texts to look for, one a line, at most 200" in page.words
    assert "sotto " not in page.words  # who has the page needs no command
    response = house.http.get("/s/text-only/results.csv", headers=house.analyst)
    assert (response.status_code, "text questions only" in response.text) == (404, True)


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
    for line in warned.splitlines():
        assert " ".join(line.removeprefix("Warning: ").split()) in page.words
    assert "Warning: More reports than chance allows look unlike anything an honest device sends" in page.words


@pytest.mark.parametrize(
    ("query", "status", "expected"),
    [
        ("?wave=5", 404, "all or an integer in [1, 4]"),
        ("?wave=0", 404, "all or an integer in [1, 4]"),
        ("?wave=one", 404, "all or an integer in [1, 4]"),
        ("?wave=1&wave=2", 404, "must be given once"),
        ("?level=0.5", 400, "one of 0.9, 0.95, 0.99"),
        ("?level=c4n4ry", 400, "one of 0.9, 0.95, 0.99"),
        ("?method=bootstrap", 400, "one of chernoff, hoeffding, clopper-pearson, blaker, wilson"),
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
        house.collect(WAVES, 30, wave)
    for path in ("results", "results.csv", "results/facts/shares.svg"):
        response = house.http.get(f"/s/waves/{path}{query}", headers=house.analyst)
        assert (response.status_code, response.mimetype) == (status, "text/html")
        assert expected in response.text
        assert "c4n4ry" not in response.text


@pytest.mark.thorough
def test_examples_of_the_documentation_run(tmp_path: Path) -> None:
    console = Console(tmp_path)
    try:
        console.run_document(Path(__file__).parents[2] / "docs" / "results.md")
    finally:
        console.close()
