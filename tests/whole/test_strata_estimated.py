"""Strata from end to end: published, invited, answered by devices, and estimated group by group."""

import csv
import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from collecting import TIMEOUT_S, Served, check_store, serve
from sotto_client import SurveyClient
from sotto_client.cli import main
from sotto_protocol import Survey, compile_toml

SURE = 1 - 1e-12
"""The level of intervals here: the chance that any of them misses is below 1e-10."""
TOML = """
id = "overtime"
title = "Overtime"
invited = true
strata = ["north", "head office", "empty"]
[[questions]]
id = "hours"
type = "number"
text = "How many hours?"
minimum = 0
maximum = 40
unit = "hours"
epsilon = 10
[[questions]]
id = "paid"
type = "yes-no"
text = "Is it paid?"
epsilon = 6
"""
OVERTIME = compile_toml(TOML)
PROMISING = compile_toml(TOML.replace('id = "overtime"', 'id = "promising"\nmin_reports = 30'))
OPEN = compile_toml(
    TOML.replace('id = "overtime"', 'id = "open"')
    .replace(', "empty"]', "]")
    .replace('invited = true\nstrata = ["north", "head office"]\n', "")
)
ANSWERS = {"north": {"hours": 4, "paid": True}, "head office": {"hours": 31, "paid": False}}
N_PEOPLE = {"north": 40, "head office": 25}


def run(*arguments: object, token: str = "") -> tuple[int, str, str]:
    result = CliRunner().invoke(main, [str(argument) for argument in arguments], env={"SOTTO_TOKEN": token})
    return result.exit_code, result.stdout, result.stderr


def invite(served: Served, survey: Survey, folder: Path, stratum: str, count: int) -> list[str]:
    """Invite by the command, and return the codes."""
    target = folder / f"{survey.id}-{stratum}.csv"
    command = [
        "invite",
        "create",
        served.url,
        survey.id,
        "--count",
        count,
        "--stratum",
        stratum,
        "--yes",
        "--to",
        target,
    ]
    code, said, _ = run(*command, token=served.admin)
    assert (code, said) == (0, f"{count} invitations in {target}\n")
    with target.open(newline="") as file:
        return [row["invitation"] for row in csv.DictReader(file)]


def answer(served: Served, survey: Survey, folder: Path, name: str, code: str, answers: dict[str, Any]) -> str:
    """Answer on a device of one's own; return the receipt."""
    with SurveyClient(served.url, survey.id, state=folder / f"{name}.db", invitation=code, max_epsilon=16) as device:
        receipt = device.answer(answers)
        assert device.flush(TIMEOUT_S)
        assert device.rejected == []
    return receipt.id


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Serve a survey that two groups have answered, each the same within."""
    folder = tmp_path_factory.mktemp("strata")
    with serve(folder / "survey.db", survey=OVERTIME) as started:
        for stratum, answers in ANSWERS.items():
            codes = invite(started, OVERTIME, folder, stratum, N_PEOPLE[stratum])
            for place, code in enumerate(codes):
                answer(started, OVERTIME, folder, f"{stratum} {place}", code, answers)
        yield started
        assert started.stop()[0] == 0
    check_store(folder / "survey.db")


def estimate(served: Served, *options: object) -> tuple[int, str, str]:
    return run("estimate", served.url, OVERTIME.id, "--level", SURE, *options, token=served.analyst)


@pytest.mark.thorough
def test_means_and_shares_of_each_group_are_what_its_people_answered(served: Served) -> None:
    code, said, warned = estimate(served, "--by-stratum", "--json")
    strata = json.loads(said)["strata"]
    assert (code, [one["stratum"] for one in strata]) == (0, list(ANSWERS))
    assert "nothing of stratum empty" in warned
    for one in strata:
        (mean,), (share,) = one["means"], one["estimates"]
        true = ANSWERS[one["stratum"]]
        assert one["n_reports"] == mean["n_reports"] == N_PEOPLE[one["stratum"]]
        assert mean["low"] <= true["hours"] <= mean["high"]
        assert share["low"] <= float(true["paid"]) <= share["high"]
    (north, south) = strata  # of the other group's answers each is sure that they are not its own
    assert north["means"][0]["high"] < 31
    assert south["means"][0]["low"] > 4
    whole = json.loads(estimate(served, "--json")[1])
    assert (whole["n_reports"], "stratum" in whole) == (65, False)


@pytest.mark.thorough
def test_table_and_csv_have_the_same_numbers_with_the_strata_beside_one_another(served: Served) -> None:
    of_strata = json.loads(estimate(served, "--by-stratum", "--json")[1])["strata"]
    rows = list(csv.DictReader(estimate(served, "--by-stratum", "--csv")[1].splitlines()))
    rows = [row for row in rows if row["answer"] or row["mean"]]  # not those of the distribution
    assert [(row["stratum"], row["question"]) for row in rows] == [
        (stratum, question) for stratum in ANSWERS for question in ("paid", "hours")
    ]
    assert [float(row["mean"]) for row in rows if row["mean"]] == [one["means"][0]["mean"] for one in of_strata]
    code, said, _ = estimate(served, "--by-stratum")
    numbers = said[said.index("Overtime: n by stratum") :]  # what stands before says in words what they mean
    lines = [re.split(r"  +", line) for line in numbers.splitlines()]
    assert code == 0
    assert lines[0] == ["Overtime: n by stratum: north 40, head office 25 reports"]
    columns = ["question", "answer", "stratum", "n", "epsilon", "estimate", "std. error", "low", "high", "unit"]
    assert lines[3] == columns
    assert [line[:5] for line in lines[4:8]] == [
        ["paid", "yes", "north", "40", "6"],
        ["paid", "yes", "head office", "25", "6"],
        ["hours", "mean", "north", "40", "10"],
        ["hours", "mean", "head office", "25", "10"],
    ]
    assert np.isclose(float(lines[6][5].lstrip("*")), of_strata[0]["means"][0]["mean"], atol=1)
    assert lines[8:10] == [[""], [f"the interval of the mean of hours: {of_strata[0]['means'][0]['interval']}"]]


@pytest.mark.thorough
def test_one_stratum_is_estimated_associated_kept_and_told(served: Served, tmp_path: Path) -> None:
    one = json.loads(estimate(served, "--stratum", "head office", "--json")[1])
    assert (one["stratum"], one["n_reports"]) == ("head office", 25)
    kept = tmp_path / "kept.json"
    code, said, _ = estimate(served, "--stratum", "north", "--save-tally", kept)
    assert (code, "stratum north alone" in said) == (0, True)
    assert json.loads(run("estimate", kept, "--json")[1])["n_reports"] == 40
    records = tmp_path / "records.bin"
    command = ["associate", served.url, OVERTIME.id, "paid", "hours", "--stratum", "north", "--save-records", records]
    assert "number" in run(*command, token=served.analyst)[2]  # which cannot be associated, as ever
    left = run("invite", "count", served.url, OVERTIME.id, "--stratum", "north", token=served.admin)
    assert left[:2] == (0, "0 unused\n")


def test_a_report_that_is_erased_leaves_its_stratum(served: Served, tmp_path: Path) -> None:
    (code,) = invite(served, OVERTIME, tmp_path, "empty", 1)
    receipt = answer(served, OVERTIME, tmp_path, "one", code, ANSWERS["north"])
    assert json.loads(estimate(served, "--stratum", "empty", "--json")[1])["n_reports"] == 1
    assert run("erase", served.url, OVERTIME.id, "--receipt", receipt)[0] == 0
    code, _, said = estimate(served, "--stratum", "empty", "--json")
    assert (code, "the tally holds no reports" in said) == (1, True)


def test_a_database_gets_each_stratum_and_of_an_empty_one_the_reason(served: Served, tmp_path: Path) -> None:
    to = tmp_path / "results.db"
    assert estimate(served, "--by-stratum", "--to", to)[0] == 0
    with closing(sqlite3.connect(to)) as results:
        query = "SELECT stratum, question, estimate IS NULL, status, note FROM sotto_estimates"
        rows = {row[:2]: row[2:] for row in results.execute(query)}
    told, why = (0, "estimated", None), (1, "withheld", "the tally holds no reports; an estimate needs at least one.")
    asked = [(name, question) for name in OVERTIME.strata for question in ("hours", "paid")]
    assert rows == {key: why if key[0] == "empty" else told for key in asked}


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (
            ["--stratum", "south"],
            1,
            "no_such_stratum: stratum must be one of the survey's: north, head office",
        ),
        (["--stratum", "north", "--by-stratum"], 2, "--by-stratum goes without --stratum"),
        (["--by-stratum", "--save-tally", "x.json"], 2, "--by-stratum goes without --stratum and --save-tally"),
        (["--by-stratum", "--population-size", "9000"], 2, "--by-stratum goes without --population-size"),
    ],
)
def test_wrong_options_are_refused_in_a_line(served: Served, options: list[str], code: int, said: str) -> None:
    answered = estimate(served, *options)
    assert (answered[0], said in answered[2], "Traceback" in answered[2]) == (code, True, False)


def test_a_survey_without_strata_and_files_have_none_to_choose(served: Served, tmp_path: Path) -> None:
    assert served.ask("POST", "/v1/surveys", OPEN.canonical, served.admin)[0] in (200, 201)
    for option in (["--by-stratum"], ["--stratum", "north"]):
        code, _, said = run("estimate", served.url, OPEN.id, *option, token=served.analyst)
        assert (code, "has no strata" in said or "it has none" in said) == (1, True)
    kept = tmp_path / "kept.json"
    assert estimate(served, "--save-tally", kept)[0] == 0
    for option in (["--by-stratum"], ["--stratum", "north"]):
        code, _, said = run("estimate", kept, *option)
        assert (code, f"{option[0]} goes with a collector's URL" in said) == (2, True)
    to = tmp_path / "none.csv"
    command = ["invite", "create", served.url, OVERTIME.id, "--count", "3", "--to", to]
    for stratum, why in (([], "has strata: give --each-stratum"), (["--stratum", "south"], "no_such_stratum")):
        code, _, said = run(*command, *stratum, token=served.admin)
        assert (code, why in said, to.exists()) == (1, True, False)


def test_who_invites_is_told_what_a_group_needs_and_that_it_is_small(served: Served, tmp_path: Path) -> None:
    assert served.ask("POST", "/v1/surveys", PROMISING.canonical, served.admin)[0] == 201

    def create(count: int) -> str:
        command = ["invite", "create", served.url, PROMISING.id, "--count", count, "--stratum", "north"]
        code, _, said = run(*command, "--yes", "--to", tmp_path / f"{count}.csv", token=served.admin)
        assert code == 0
        return said

    first = create(12)
    assert "What 12 people will show, if all of them answer, in stratum north; 95 %" in first
    assert "Warning: 12 people are too few ever to show hours, paid." in first
    assert "Warning: stratum north has 12 invitations" in first
    second = create(25)  # with those that were made before
    assert "too few ever to show" not in second
    assert "Warning: stratum" not in second


def test_check_and_explain_say_the_strata(tmp_path: Path) -> None:
    file = tmp_path / "overtime.toml"
    file.write_text(TOML)
    assert "3 strata: north, head office, empty. Each invitation is for one" in run("check", file)[1]
    said = " ".join(run("explain", file)[1].split())
    assert "invite people in groups: north, head office, empty." in said
    assert "Your device does not say which one is yours" in said
    file.write_text(TOML.replace("head office", "north/a").replace('"north"', '"north/b"'))
    assert "their parents: north (2). Each has results too, of its strata that are shown" in run("check", file)[1]
    assert json.loads(run("check", file, "--json")[1])["parents"] == {"north": ["north/b", "north/a"]}
    file.write_text(TOML.replace("invited = true\n", ""))
    code, _, refused = run("check", file)
    assert (code, "$.strata: go with invited = true alone" in refused) == (1, True)
