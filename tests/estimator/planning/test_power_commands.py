"""`sotto power` as a person types it."""

import csv
import io
import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from sotto_client.cli import main

SHARE = ["share", "--epsilon", "1", "--null", "0.1", "--share", "0.15"]
COMMANDS = [
    SHARE,
    ["groups", "--epsilon", "2", "--share", "0.3", "--other-share", "0.2"],
    ["change", "--epsilon", "2", "--share", "0.3", "--later-share", "0.2"],
    ["trend", "--epsilon", "1", "--waves", "5", "--share", "0.2", "--last-share", "0.3"],
    ["association", "--epsilon", "2", "--share", "0.5", "--if-yes", "0.4", "--if-no", "0.2"],
    ["regression", "--epsilon", "1", "--share", "0.23", "--slope", "1"],
]


def power(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["power", *arguments])


def plan_of(*arguments: str) -> list[dict[str, float]]:
    result = power(*arguments, "--json")
    assert result.exit_code == 0, result.output
    plan: list[dict[str, float]] = json.loads(result.stdout)["plan"]
    return plan


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_the_n_of_a_power_has_it_and_one_fewer_has_not(command: list[str]) -> None:
    for row in plan_of(*command, "--power", "0.8"):
        assert row["power"] >= 0.8
        fewer = plan_of(*command, "--n", str(row["n"] - 1))
        (same,) = [other for other in fewer if other["epsilon"] == row["epsilon"]]
        assert same["power"] < 0.8


def test_of_too_few_no_power_is_said_and_nothing_is_warned_of() -> None:
    asked = ["association", "--epsilon", "1", "--share", "0.0001", "--if-yes", "1", "--if-no", "0"]
    few = power(*asked, "--n", "500")
    assert few.stderr == ""
    assert few.stdout.count("  too few\n") == 1  # without privacy; the noise of epsilon 1 makes all kinds frequent
    assert "fewer than 10 reports of the rarest kind" in few.stdout
    assert [row["power"] is None for row in plan_of(*asked, "--n", "500")] == [False, True]
    *_, last = csv.DictReader(io.StringIO(power(*asked, "--n", "500", "--csv").stdout))
    assert last["power"] == ""
    assert [row["power"] is None for row in plan_of(*asked)] == [False, False]
    assert plan_of(*asked)[-1]["n"] == 100_000


def test_a_curve_begins_where_the_power_is_known(tmp_path: Path) -> None:
    picture = tmp_path / "rare.png"
    asked = ["association", "--epsilon", "8", "--share", "0.02", "--if-yes", "0.5", "--if-no", "0.02"]
    powers = [row["power"] for row in plan_of(*asked, "--plot", str(picture)) if row["epsilon"] is None]
    assert powers[0] is None
    assert powers[-1] is not None
    assert picture.exists()


def test_an_interval_of_a_tiny_alpha_is_not_said_to_be_at_100_percent() -> None:
    shown = power(*SHARE, "--alpha", "1e-300", "--n", "100000").stdout
    assert "Clopper-Pearson interval\nat a level of 1 - 1e-300 lies" in shown


def test_without_n_or_a_power_it_is_the_n_of_a_power_of_80_percent() -> None:
    assert plan_of(*SHARE) == plan_of(*SHARE, "--power", "0.8")


def test_table_json_and_csv_have_the_same_numbers() -> None:
    asked = [*SHARE, "--epsilon", "2", "--power", "0.8", "--one-sided"]
    document = json.loads(power(*asked, "--json").stdout)
    assert {name: document[name] for name in ("test", "null", "share", "alpha", "n_sides")} == {
        "test": "share",
        "null": 0.1,
        "share": 0.15,
        "alpha": 0.05,
        "n_sides": 1,
    }
    rows = list(csv.DictReader(io.StringIO(power(*asked, "--csv").stdout)))
    assert [int(row["n"]) for row in rows] == [row["n"] for row in document["plan"]]
    shown = power(*asked).stdout
    for row in document["plan"]:
        assert f"{row['n']:,}" in shown
        assert f"{100 * row['power']:.2f} %" in shown
    assert "Is the share 0.1, where it is 0.15? One-sided, alpha 0.05; n respondents." in shown
    assert "Clopper-Pearson interval\nat 90 %" in shown


@pytest.mark.parametrize(("people", "words"), [("other", "Other people"), ("same", "keep the noise"), ("anew", "anew")])
def test_what_is_assumed_of_a_change_is_said(people: str, words: str) -> None:
    shown = power(*COMMANDS[2], "--people", people, "--power", "0.8").stdout
    assert words in shown
    assert ("approximate, by the normal" in shown) == (people != "other")


def test_an_option_of_many_is_asked_by_the_best_mechanism() -> None:
    [row, _] = plan_of(*SHARE, "--options", "16", "--n", "1000")
    assert row["mechanism"] not in ("warner", "oue")


@pytest.mark.few(1)
@pytest.mark.parametrize("ending", ["png", "pdf", "svg"])
def test_a_curve_is_drawn_and_its_points_are_printed(ending: str, tmp_path: Path) -> None:
    picture = tmp_path / f"power.{ending}"
    asked = [*SHARE, "--epsilon", "2", "--power", "0.8", "--plot", str(picture)]
    result = power(*asked, "--json")
    assert result.exit_code == 0, result.output
    assert picture.read_bytes()[:4] in (b"\x89PNG", b"%PDF", b"<?xm")
    points = json.loads(result.stdout)["plan"]
    lines = {epsilon: [row for row in points if row["epsilon"] == epsilon] for epsilon in (1, 2, None)}
    for epsilon, line in lines.items():
        assert [row["n"] for row in line] == sorted(row["n"] for row in lines[1])
        at = line[3]
        [*found, none] = plan_of(*SHARE, "--epsilon", "2", "--n", str(at["n"]))
        assert at["power"] == (none if epsilon is None else found[int(epsilon) - 1])["power"]
    assert lines[1][0]["power"] < 0.3 < 0.95 < lines[1][-1]["power"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([*SHARE, "--n", "10", "--power", "0.8"], "Give --n or --power, one of the two."),
        ([*SHARE, "--n", "1"], "--n"),
        ([*SHARE, "--n", "1000000001"], "--n"),
        ([*SHARE, "--power", "0"], "power (0.0) must be in (0, 1)."),
        ([*SHARE, "--power", "1"], "power (1.0) must be in (0, 1)."),
        ([*SHARE, "--power", "nan"], "power (nan) must be in (0, 1)."),
        ([*SHARE, "--power", "0.8", "--alpha", "0"], "alpha (0.0) must be in (0, 1/2)."),
        ([*SHARE, "--power", "0.8", "--alpha", "0.5"], "alpha (0.5) must be in (0, 1/2)."),
        ([*SHARE, "--power", "0.8", "--alpha", "7"], "alpha (7.0) must be in (0, 1/2)."),
        ([*SHARE[:3], "--null", "0.1", "--share", "0.1", "--n", "5"], "--share (0.1) must differ from --null (0.1)."),
        ([*SHARE[:3], "--null", "1.1", "--share", "0.1", "--n", "5"], "--null"),
        (["share", "--epsilon", "30", *SHARE[3:], "--n", "5"], "epsilon (30.0) must be in [0.001, 20]"),
        (["share", "--epsilon", "0.0001", *SHARE[3:], "--n", "5"], "must be in [0.001, 20]"),
        (["share", "--epsilon", "nan", *SHARE[3:], "--n", "5"], "must be"),
        (["share", *SHARE[3:], "--n", "5"], "--epsilon"),
        ([*COMMANDS[1][:5], "--other-share", "0.3", "--n", "5"], "--other-share (0.3) must differ from --share (0.3)."),
        (["trend", "--epsilon", "1", "--waves", "1", *COMMANDS[3][5:], "--n", "5"], "n_waves (1) must be 3 or more"),
        ([*COMMANDS[4], "--one-sided", "--n", "5"], "No such option"),
        ([*COMMANDS[5][:5], "--slope", "0", "--n", "5"], "slope (0.0) must be in [-20, 20], and not 0."),
        ([*COMMANDS[0], "--n", "5", "--plot", "curve.gif"], "must end in .png, .pdf, .svg."),
        (
            [*SHARE[:3], "--null", "0.1", "--share", "0.1000001", "--power", "0.8"],
            "cannot be reached with 10^9 respondents",
        ),
    ],
)
def test_what_cannot_be_planned_is_refused_in_words(arguments: list[str], message: str) -> None:
    result = power(*arguments)
    assert result.exit_code == (1 if "curve.gif" in arguments else 2)
    assert message in click.unstyle(result.stderr)
    assert "Traceback" not in result.output
