"""Whom results are about stands in the survey: plans, estimates and the results page take it unless told otherwise."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from sotto_client.cli import main
from sotto_estimator import IntervalOptions, compare_groups, estimate, plan
from sotto_estimator.channel.channel import Target
from sotto_estimator.page.choices import read_choices
from sotto_estimator.shares.of_tally import estimate_tally
from sotto_protocol import Coins, Survey, Tally, compile_toml, hmac_bytes

FILE = """
id = "class"
title = "Our class"
people = 40
about = "respondents"
[[questions]]
id = "copied"
type = "yes-no"
text = "Did you copy?"
epsilon = 2
"""
CLASS = compile_toml(FILE)
ALL: Survey = replace(CLASS, about="population")
ABOUTS: list[Target] = ["population", "respondents"]


def tally_of(survey: Survey) -> Tally:
    answers = {"copied": [1] * 10 + [0] * 30}
    return Tally.of(survey, survey.perturb(answers, Coins(hmac_bytes(bytes(32), b"stream"))))


def test_an_estimate_is_about_whom_the_survey_says_and_narrower_for_it() -> None:
    alone, stand_for_more = (estimate_tally(tally_of(survey)) for survey in (CLASS, ALL))
    assert (alone.options.target, stand_for_more.options.target) == ("respondents", "population")
    widths = [of.rows[0].high - of.rows[0].low for of in (alone, stand_for_more)]
    assert widths[0] < 0.8 * widths[1]
    assert "about these respondents" in alone.as_table()
    assert "about the population" in stand_for_more.as_table()


@pytest.mark.parametrize("asked", ABOUTS)
def test_who_asks_for_a_target_gets_it(asked: Target) -> None:
    for survey in (CLASS, ALL):
        assert estimate_tally(tally_of(survey), IntervalOptions(target=asked)).options.target == asked
    assert estimate_tally(tally_of(CLASS), IntervalOptions(level=0.9)).options.target == "respondents"
    sized = estimate_tally(tally_of(CLASS), IntervalOptions(population_size=1000)).options
    assert sized.about == "population"


def test_programs_get_what_the_command_gives() -> None:
    assert estimate(tally_of(CLASS)).options.target == "respondents"
    assert plan(CLASS, 40).options.about == "respondents"
    assert plan(ALL, 40).options.about == "population"
    groups = {"a": tally_of(CLASS), "b": tally_of(CLASS)}
    assert compare_groups(groups).to_dict()["target"] == "respondents"
    assert compare_groups(groups | {"b": tally_of(ALL)}).to_dict()["target"] == "population"


@pytest.mark.parametrize(("options", "about"), [((), "respondents"), (("--target", "population"), "population")])
def test_commands_take_it_from_the_file_or_the_tally(tmp_path: Path, options: tuple[str, ...], about: str) -> None:
    (tmp_path / "class.toml").write_text(FILE)
    tally, other = tmp_path / "tally.json", tmp_path / "other.json"
    for path in (tally, other):
        path.write_bytes(tally_of(CLASS).to_json())
    file = str(tmp_path / "class.toml")
    words = {"population": "about the population", "respondents": "about these respondents"}[about]
    for command in (
        ["estimate", str(tally)],
        ["plan", file, "--n", "40"],
        ["check", file],
        ["test", "groups", str(tally), str(other)],
        ["simulate", file, "--n", "40", "--runs", "2"],
        ["compare", file, "--n", "40", "--runs", "0"],
    ):
        done = CliRunner().invoke(main, [*command, *options])
        assert done.exit_code == 0, done.output
        assert words in " ".join(done.stdout.split()), command


def test_the_results_page_chooses_it_and_leaves_it_out_of_the_address() -> None:
    of_class, other = read_choices({}, CLASS), read_choices({"target": ["population"]}, CLASS)
    assert (of_class.target, of_class.query, of_class.is_advanced) == ("respondents", "", False)
    assert (other.target, other.query, other.is_advanced) == ("population", "?target=population", True)
    assert read_choices({"target": ["respondents"]}, ALL).query == "?target=respondents"
    assert read_choices({}, ALL).target == "population"


def test_to_ask_about_these_people_alone_is_among_what_would_help(tmp_path: Path) -> None:
    (tmp_path / "class.toml").write_text(FILE.replace('about = "respondents"\n', ""))
    told = CliRunner().invoke(main, ["check", str(tmp_path / "class.toml")]).stdout
    assert 'about these people alone, if they are all that matter (about = "respondents"): +- 17.5 points' in " ".join(
        told.split()
    )
    members = json.loads(CliRunner().invoke(main, ["check", str(tmp_path / "class.toml"), "--json"]).stdout)
    assert members["helps"][0]["width_of_respondents"] == pytest.approx(0.175)
    (tmp_path / "class.toml").write_text(FILE)
    told = CliRunner().invoke(main, ["check", str(tmp_path / "class.toml")]).stdout
    assert "these people alone" not in told
