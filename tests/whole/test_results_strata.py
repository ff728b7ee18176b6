"""The results page by stratum: one alone, or all beside one another, as `sotto estimate` has them."""

import csv
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from collecting import count_here, make_reports
from fault_server import Scripted, fault_server
from house import House, open_house
from page_reading import Page, password, read_page
from sotto_client.cli import main
from sotto_collector.invitations import make_invitations
from sotto_estimator import IntervalOptions
from sotto_estimator.page.choices import Choices, read_choices
from sotto_estimator.page.errors import NoSuchChartError, NoSuchStratumError
from sotto_estimator.page.release import Release
from sotto_estimator.page.results import Results, find_results
from sotto_estimator.results.document import Lines, Table
from sotto_estimator.shares.by_group import SideBySide, estimate_strata
from sotto_estimator.shares.estimates import Estimates
from sotto_estimator.shares.of_tally import estimate_tally
from sotto_estimator.views.beside import Beside
from sotto_protocol import Survey, Tally, compile_toml
from sotto_protocol.language import LANGUAGES, language
from strata_surveys import strata_toml

STRATA = ("north", "<b>south</b>", "all")
"""Names may be any text, the words that choose all of them too."""
MORE = """[[questions]]
id = "stay"
type = "one-of"
text = "What keeps you?"
options = ["pay", "people", "nothing"]
mechanism = "k-ary"
epsilon = 4
[[questions]]
id = "hours"
type = "number"
text = "How many hours?"
minimum = 0
maximum = 40
unit = "hours"
epsilon = 10
[[questions]]
id = "home"
type = "text"
text = "Where do you live?"
epsilon = 4
"""
TOML = strata_toml("places", STRATA, MORE, epsilon=6)
PLACES = compile_toml(TOML)
TWICE = replace(PLACES, id="twice", waves=2)
LEAST = compile_toml(TOML.replace('id = "places"', 'id = "least"\nmin_reports = 30\npublic_results = true', 1))
N_OF = {1: 40, 2: 25}
"""Reports by stratum; of the third one there are none."""


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with open_house(tmp_path / "survey.db", PLACES, TWICE, LEAST) as opened:
        yield opened


def collect(house: House, survey: Survey, stratum: int, n_reports: int, wave: int = 1) -> None:
    stored = house.stored(survey)
    codes = make_invitations(house.collector.store, stored, n_reports, stratum)
    reports = make_reports(n_reports, survey, wave)
    invited = [replace(report, invitation=code) for report, code in zip(reports, codes, strict=True)]
    count_here(house.collector.store, stored, invited)


def see(house: House, survey: Survey, query: str = "") -> Page:
    return read_page(house.http.get(f"/s/{survey.id}/results{query}", headers=password(house.analyst)))


def get(house: House, path: str) -> Any:
    return house.http.get(f"/s/{path}", headers=house.analyst)


def tally_in(house: House, survey: Survey, stratum: int) -> Tally:
    name = {1: "north", 2: "%3Cb%3Esouth%3C/b%3E"}[stratum]
    return Tally.from_json(house.read_tally(survey, f"?stratum={name}").data)


def made_up(**yes_of: int) -> Release:
    """Return a release of 1,000 reports a stratum, of which so many say yes."""
    survey = compile_toml(TOML.split('[[questions]]\nid = "hours"')[0])
    tallies = {
        place: Tally(survey, {1: 1000}, {"paid": np.array([n_yes]), "stay": np.array([500, 400, 100])})
        for place, n_yes in enumerate(yes_of.values(), 1)
    }
    return Release(survey, True, tallies)


def beside(release: Release, **choices: str) -> Results:
    return find_results(release, Choices(stratum="each", **choices))  # type: ignore[arg-type]  # words


def test_one_stratum_is_shown_as_the_estimator_has_it(house: House) -> None:
    for stratum, n_reports in N_OF.items():
        collect(house, PLACES, stratum, n_reports)
    page = see(house, PLACES, "?stratum=2")
    found = estimate_tally(tally_in(house, PLACES, 2))
    assert page.table("Estimates of the shares paid")[0][1] == found.rows[0].share
    assert "25 reports." in page.words
    assert "n = 25, epsilon 6; 95 % confidence in each range, for the population (method: chernoff); group" in (
        page.words
    )
    assert "“<b>south</b>” alone" in page.words
    given = get(house, "places/results.json?stratum=2")
    assert (given.get_json()["stratum"], given.get_json()["n_reports"]) == ("<b>south</b>", 25)
    assert given.headers["Content-Disposition"] == 'attachment; filename="places-results-stratum-2.json"'


def test_all_strata_stand_beside_one_another_with_the_numbers_of_the_command(house: House) -> None:
    for stratum, n_reports in N_OF.items():
        collect(house, PLACES, stratum, n_reports)
    tallies = {STRATA[place - 1]: tally_in(house, PLACES, place) for place in N_OF}
    found = estimate_strata(tallies, IntervalOptions(), 3)
    assert found is not None
    page = see(house, PLACES, "?stratum=each")
    rows = page.table("Estimates by group stay")
    assert [row[:3] for row in rows[:2]] == [["pay", "north", "40"], ["pay", "<b>south</b>", "25"]]
    for place, one in enumerate(found.estimates):
        shares = [row.share for row in one.told_rows if row.question == "stay"]
        assert [row[3] for row in rows[place::2]] == shares
        (mean,) = one.told_means
        assert page.table("Estimates by group (hours) hours")[place][2] == mean.mean
    assert "These groups are not shown: all. No reports yet." in page.words
    assert "Choose one group, or all groups together, to look for texts." in page.words
    assert get(house, "places/results.json?stratum=each").data == f"{found.as_json()}\n".encode()
    lines = csv.DictReader(get(house, "places/results.csv?stratum=each").text.splitlines())
    assert {line["stratum"] for line in lines} == {"north", "<b>south</b>"}
    for chart in ("stay/shares.svg", "hours/mean.svg"):
        drawn = get(house, f"places/results/{chart}?stratum=each")
        assert drawn.status_code == 200
        assert "north" in drawn.text


@pytest.mark.thorough
def test_all_strata_together_have_the_intervals_of_the_command(house: House) -> None:
    for stratum, n_reports in N_OF.items():
        collect(house, PLACES, stratum, n_reports)
    tallies = {STRATA[place - 1]: tally_in(house, PLACES, place) for place in N_OF}
    found = estimate_strata(tallies, IntervalOptions(simultaneous=True), len(STRATA))
    assert found is not None
    assert get(house, "places/results.json?stratum=each&simultaneous=yes").data == f"{found.as_json()}\n".encode()


def test_the_chooser_offers_every_stratum_and_keeps_the_other_choices(house: House) -> None:
    collect(house, TWICE, 1, 30)
    page = see(house, TWICE, "?stratum=1&level=0.9&wave=1")
    assert {select["name"] for select in page.all("select")} >= {"wave", "stratum"}
    values = [option.attributes["value"] for option in page.root.one("select", name="stratum").find("option")]
    assert values == ["all", "each", "pooled", "1", "2", "3"]


@pytest.mark.parametrize("query", ["?stratum=4", "?stratum=0", "?stratum=north", "?stratum=1&stratum=2"])
def test_an_unknown_stratum_is_refused_with_those_there_are(house: House, query: str) -> None:
    response = get(house, f"places/results.json{query}")
    assert (response.status_code, response.get_json()["code"]) == (404, "no_such_stratum")
    assert "as all, each, pooled, 1 for north, 2 for <b>south</b>, 3 for all." in response.get_json()["detail"]


def test_a_survey_without_strata_has_none_to_choose() -> None:
    survey = replace(PLACES, strata=(), invited=False)
    with pytest.raises(NoSuchStratumError, match=r"as all: the survey has no strata\."):
        read_choices({"stratum": ["each"]}, survey)
    assert read_choices({"stratum": ["all"]}, survey).stratum == "all"
    assert [field.name for field in Choices().report_fields(survey, language("en"))] == []


def test_words_say_what_is_known_of_each_stratum_and_which_has_more() -> None:
    results = beside(made_up(north=800, south=300, third=310))
    paid = results.questions[0]
    assert [name for name, _ in paid.findings("yes")] == [*STRATA]
    assert paid.findings("yes")[0][1].startswith("between 7")
    assert paid.compared("yes") == ["The groups in order, the highest first: north > all, <b>south</b>."]
    assert results.questions[1].compared("pay") == ["The groups are too close to rank."]
    with pytest.raises(NoSuchChartError, match="nor have groups side by side"):
        results.require_chart("paid", "waves")


def test_groups_that_surely_differ_are_named_though_the_whole_cannot_be_ranked() -> None:
    """The middle one overlaps both others, so there is no order; but the heat map marks the other two."""
    paid = beside(made_up(north=560, south=500, third=440)).questions[0]
    assert paid.compared("yes") == ["Surely above another group: north. Surely below another one: all."]
    assert [paid.orders["yes"].place_of(name) for name in STRATA] == ["high", "", "low"]


def test_a_stratum_whose_counts_contradict_the_design_is_named_and_its_numbers_are_not_shown() -> None:
    release = made_up(north=800, south=300)
    tallies = dict(release.tallies)
    tallies[2] = replace(tallies[2], support_counts={"paid": np.array([300]), "stay": np.array([1000, 0, 0])})
    stay = beside(replace(release, tallies=tallies)).questions[1]
    assert [name for name, _ in stay.findings("pay")] == ["north"]
    assert {name for name, _ in stay.rows} == {"north"}
    [said] = stay.notices
    assert ("<b>south</b>" in said, "contradict" in said) == (True, True)
    assert stay.compared("pay") == []


@pytest.mark.parametrize("tag", LANGUAGES)
def test_every_line_can_be_said_in_every_language(tag: str) -> None:
    release = replace(made_up(north=800, south=300), language=language(tag))
    results = beside(release)
    said = [results.missing, *(line for one in results.questions for line in [*one.made_of, *one.compared("yes")])]
    said += [chart.description for one in results.questions for chart in one.charts.values()]
    assert not [line for line in said if "%(" in line]
    assert (tag == "en") == ("groups" in results.missing + results.questions[0].compared("yes")[0])


@pytest.mark.parametrize("db", ["sqlite", pytest.param("postgres", marks=pytest.mark.thorough)], indirect=True)
def test_a_stratum_is_withheld_until_its_own_cell_has_the_least_number(db: str) -> None:
    with open_house(db, LEAST) as house:
        collect(house, LEAST, 1, 40)
        collect(house, LEAST, 2, 29)
        for headers in (password(house.analyst), {}):
            whole = read_page(house.http.get("/s/least/results", headers=headers))
            assert "40 reports." in whole.words
            assert (
                "These groups are not shown: <b>south</b>, all. As the survey promises, a wave or a group"
                in whole.words
            )
            each = read_page(house.http.get("/s/least/results?stratum=each", headers=headers))
            assert {row[1] for row in each.table("Estimates by group paid")} == {"north"}
            one = read_page(house.http.get("/s/least/results?stratum=2", headers=headers))
            assert "a wave or a group with fewer than 30 reports is not shown" in one.words
            assert one.tables == {}
            refused = house.http.get("/s/least/results.json?stratum=2", headers=headers)
            assert (refused.status_code, refused.get_json()["code"]) == (403, "below_minimum")
        collect(house, LEAST, 2, 1)
        assert "30 reports." in see(house, LEAST, "?stratum=2").words


def test_all_together_says_of_each_question_which_strata_are_not_in_it(tmp_path: Path) -> None:
    """Of south enough people answered, but too few the question that one in two was asked; of all nobody did."""
    more = MORE.split('[[questions]]\nid = "hours"')[0]
    survey = compile_toml(strata_toml("drawn", ["north", "south", "all"], more, settings="min_reports = 30\ndraw = 1"))
    with open_house(tmp_path / "drawn.db", survey) as house, fault_server(None) as server:
        collect(house, survey, 1, 100)
        collect(house, survey, 2, 55)
        for query in ("", *(f"?stratum={name}" for name in survey.strata)):
            reply = house.read_tally(survey, query)
            server.by_address[f"/v1/surveys/drawn/tally{query}"] = Scripted(reply.status_code, reply.data)
        south = Tally.from_json(house.read_tally(survey, "?stratum=south").data)
        [without] = [of.id for of in survey.questions if not south.counted(of.id).n_reports]
        page = see(house, survey)
        command = ["estimate", server.url, "drawn"]
        printed = CliRunner().invoke(main, command, env={"SOTTO_TOKEN": "x"}).stdout
        members = json.loads(CliRunner().invoke(main, [*command, "--json"], env={"SOTTO_TOKEN": "x"}).stdout)
    assert "These groups are not shown: all." in page.words
    assert page.words.count("Only groups that are shown are counted here: 1 of 3. Not shown: south, all.") == 1
    assert f"{without}: counts 1 of 3 strata; not south, all, of which too few answered it" in printed
    [other] = {"paid", "stay"} - {without}
    assert f"{other}: counts 2 of 3 strata; not all, of which too few answered it" in printed
    assert members["missing_strata"] == {without: ["south", "all"], other: ["all"]}


def test_side_by_side_nothing_is_told_where_a_wave_of_a_stratum_contradicts_the_design() -> None:
    """As where the stratum is shown alone: pooled over the waves, its counts look honest."""
    survey = replace(compile_toml(TOML.split('[[questions]]\nid = "stay"')[0].replace("= 6", "= 1")), waves=2)
    counts = {(1, 1): (20_000, 10_000), (2, 1): (2000, 2000), (1, 2): (20_000, 10_000), (2, 2): (2000, 1000)}
    release = Release(
        survey,
        True,
        {
            survey.cells(wave, place)[0]: Tally(survey, {wave: n}, {"paid": np.array([n_yes])})
            for (wave, place), (n, n_yes) in counts.items()
        },
    )
    alone = find_results(release, Choices(stratum="1")).require_estimates()
    side = beside(release).require_estimates()
    assert isinstance(side, SideBySide)
    (north, south) = side.estimates
    assert [found.wave for found in north.contradictions] == [found.wave for found in alone.contradictions] == [2]
    assert (len(north.told_rows), len(south.told_rows)) == (0, 1)


def test_pooled_figures_stand_beside_those_of_each_group() -> None:
    release = made_up(north=500, south=520, west=100)
    found, own = find_results(release, Choices(stratum="pooled")), beside(release)
    assert isinstance(found.estimates, SideBySide)
    assert isinstance(own.estimates, SideBySide)
    assert replace(found.estimates, pooled=None) == own.estimates
    paid = found.questions[0]
    assert isinstance(paid, Beside)
    rows = next(block for block in paid.numbers if isinstance(block, Table) and block.caption.key == "pooled").rows
    (figure,) = (one for one in found.estimates.pooled or () if one.question == "paid")
    assert [row[3].number for row in rows] == [one.figure.share for one in figure.strata]
    drawing, caption = found.require_chart("paid", "pooled")
    assert drawing.title == "Is it paid? Pooled, approximate"
    assert caption[-1] == "About 95 % of the ranges are right, on average over the groups."
    assert list(own.questions[0].charts) == ["shares"]


def test_of_two_groups_the_page_says_that_nothing_is_pooled() -> None:
    found = find_results(made_up(north=500, south=520), Choices(stratum="pooled"))
    lines = [line for block in found.questions[0].known if isinstance(block, Lines) for line in block.lines]
    assert "Nothing is pooled: fewer than 3 groups have results." in lines


@pytest.mark.thorough
def test_pooled_figures_are_on_the_page_and_in_its_files(house: House) -> None:
    for stratum, n_reports in {1: 40, 2: 25, 3: 30}.items():
        collect(house, PLACES, stratum, n_reports)
    page = see(house, PLACES, "?stratum=pooled")
    assert len(page.table("Pooled estimates by group, approximate stay")) == 9
    assert len(page.table("Pooled estimates by group, approximate (hours) hours")) == 3
    assert "Do not rank groups by pooled estimates." in page.words
    given = get(house, "places/results.json?stratum=pooled")
    assert [one["answer"] for one in given.get_json()["pooled"]] == ["yes", "pay", "people", "nothing", "mean"]
    for question in ("stay", "hours"):
        assert get(house, f"places/results/{question}/pooled.svg?stratum=pooled").status_code == 200
        assert get(house, f"places/results/{question}/pooled.svg?stratum=each").status_code == 404


def tree(**shown: int) -> Release:
    """Return a release of a tree of three strata; of those that are named, 1,000 reports each with so many yes."""
    text = TOML.split('[[questions]]\nid = "stay"')[0].replace('"<b>south</b>", "all"', '"west/a", "west/b"')
    survey = compile_toml(text.replace("= 6", "= 1").replace('id = "places"', 'id = "tree"\nmin_reports = 30'))
    places = {name: place for place, name in enumerate(("north", "a", "b"), 1)}
    return Release(
        survey, True, {places[name]: Tally(survey, {1: 1000}, {"paid": np.array([n])}) for name, n in shown.items()}
    )


def test_the_page_shows_a_parent_beside_its_strata_and_alone() -> None:
    release = tree(north=700, a=300, b=310)
    side = beside(release)
    assert [name for name, _ in side.questions[0].rows] == ["north", "west", "west/a", "west/b"]
    assert side.questions[0].made_of[0] == "n by group: north 1,000, west/a 1,000, west/b 1,000"
    in_order = "The groups in order, the highest first: "
    assert side.questions[0].compared("yes") == [f"{in_order}north > west/b, west/a.", f"{in_order}north > west."]
    choices = read_choices({"stratum": ["4"]}, release.survey)
    (field,) = choices.report_fields(release.survey, language("en"))
    assert field.options[3:] == (
        ("1", "north", False),
        ("4", "west", True),
        ("2", "west/a", False),
        ("3", "west/b", False),
    )
    alone = find_results(release, choices)
    assert isinstance(alone.estimates, Estimates)
    assert isinstance(side.estimates, SideBySide)
    assert alone.estimates.rows == side.estimates.estimates[1].rows
    assert (alone.n_reports, alone.estimates.stratum) == (2000, "west")


@pytest.mark.parametrize("tag", LANGUAGES)
def test_a_page_names_what_is_not_in_a_parent(tag: str) -> None:
    release = replace(tree(north=700, b=310), language=language(tag))
    (said,) = find_results(release, Choices(stratum="4")).questions[0].notices
    assert ("west/a" in said, "%(" in said) == (True, False)
    assert (said == "Only groups that are shown are counted here: 1 of 2. Not shown: west/a.") == (tag == "en")
    hidden = find_results(replace(release, tallies={1: release.tallies[1]}), Choices(stratum="4"))
    assert (hidden.n_reports, bool(hidden.nothing)) == (0, True)


def test_a_parent_whose_stratum_contradicts_the_design_has_no_figures_on_the_page() -> None:
    alone = find_results(tree(a=1000, b=310), Choices(stratum="4"))
    assert isinstance(alone.estimates, Estimates)
    assert alone.estimates.void == {"paid"}
