"""`sotto simulate` as a person types it."""

import csv
import io
import json
import os
import pty
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import starting
from rehearsed import CERTAIN, OFFICE, OFFICE_TRUTH, WORD
from sotto_client.cli import main
from sotto_estimator.views.numbers import value_words
from sotto_protocol import Survey


def sotto(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["simulate", *arguments])


def written(folder: Path, survey: Survey = OFFICE, truth: str = OFFICE_TRUTH) -> list[str]:
    """Write a survey and its truth, and return the arguments that name them."""
    (folder / "survey.json").write_bytes(survey.canonical)
    (folder / "truth.toml").write_text(truth)
    return [str(folder / "survey.json"), "--truth", str(folder / "truth.toml")]


def test_table_json_and_csv_have_the_same_numbers(tmp_path: Path) -> None:
    arguments = [*written(tmp_path), "--n", "100", "--runs", "5", "--seed", "3"]
    table, document = sotto(*arguments), json.loads(sotto(*arguments, "--json").stdout)
    rows = list(csv.DictReader(io.StringIO(sotto(*arguments, "--csv").stdout)))
    assert table.exit_code == 0
    assert len(document["rows"]) == len(rows) == 9
    for row, of_csv in zip(document["rows"], rows, strict=True):
        assert float(of_csv["bias"]) == row["bias"]
        assert of_csv["verdict"] == row["verdict"]
        shown = value_words(row["bias"], row["rmse"]) if row["kind"] == "mean" else f"{100 * row['bias']:+.2f} %"
        assert shown in table.stdout
    assert {(row["level"], row["method"], row["n_people"]) for row in rows} == {("0.95", "chernoff", "100")}


def test_what_was_asked_stands_beside_every_interval(tmp_path: Path) -> None:
    arguments = [*written(tmp_path), "--n", "100", "--runs", "2", "--level", "0.9", "--method", "wilson"]
    printed = sotto(*arguments, "--liars", "0.25", "--target", "respondents").stdout
    assert "2 runs of 100 people" in printed
    assert "epsilon 5 a report" in printed
    assert "90 % intervals by the Wilson score (approximate), about these respondents" in printed
    assert "trouble: 25 % do not answer truthfully" in printed
    assert "the interval of the mean of hours: by " in printed


@pytest.mark.parametrize(("n", "said"), [(99, "shows nothing of it"), (120, "perhaps nothing"), (900, "")])
def test_what_a_collector_would_not_show_is_said(tmp_path: Path, n: int, said: str) -> None:
    survey = replace(OFFICE, min_reports=100, draw=3)
    printed = sotto(*written(tmp_path, survey), "--n", str(n), "--runs", "1").stdout
    assert ("min_reports asks for 100 reports" in printed) == bool(said)
    assert said in printed


def test_without_a_truth_the_output_says_what_is_assumed(tmp_path: Path) -> None:
    survey, *_ = written(tmp_path)
    said = sotto(survey, "--n", "50", "--runs", "2")
    assert "every answer is taken to be as likely to expensed, lunch, perks, hours" in said.stdout
    assert json.loads(sotto(survey, "--n", "50", "--runs", "2", "--json").stdout)["assumed"] == [
        question.id for question in OFFICE.questions
    ]


@pytest.mark.parametrize(("n_runs", "are_few"), [(90, True), (110, False)])
def test_few_runs_are_said_to_tell_little(tmp_path: Path, n_runs: int, are_few: bool) -> None:
    said = sotto(*written(tmp_path, CERTAIN, ""), "--n", "50", "--runs", str(n_runs), "--seed", "1").stdout
    assert "no interval is seen to hold the truth more rarely than it says" in said
    assert ("so few runs tell little" in said) == are_few


def test_an_option_counts_instead_of_what_the_file_says(tmp_path: Path) -> None:
    arguments = [*written(tmp_path, truth="[trouble]\nliars = 0.3\nchange = 0.1"), "--n", "50", "--runs", "1", "--json"]
    assert json.loads(sotto(*arguments, "--liars", "0").stdout)["trouble"] | {"liars": None} == {
        "liars": None, "clumsy_fakes": 0, "clever_fakes": 0, "duplicated": 0, "devices": 2, "change": 0.1,
    }  # fmt: skip
    assert json.loads(sotto(*arguments, "--liars", "0").stdout)["trouble"]["liars"] == 0


def test_strings_that_would_move_a_terminal_are_shown_by_their_escapes(tmp_path: Path) -> None:
    truth = '[questions.word]\nstrings = {"a\\u0085b" = 0.5}'
    refused = sotto(*written(tmp_path, WORD, truth), "--n", "50", "--runs", "1")
    assert refused.exit_code == 1
    assert "$.questions.word.strings: must each be a text of 1 to 200 characters" in refused.stderr
    assert "\u0085" not in refused.stderr


def test_a_terminal_sees_how_far_it_is_and_a_file_does_not(tmp_path: Path) -> None:
    command = [starting.SOTTO, "simulate", *written(tmp_path), "--n", "50", "--runs", "2"]
    piped = starting.run(command, capture_output=True, text=True, check=True)
    assert piped.stderr == ""
    ours, theirs = pty.openpty()
    on_terminal = starting.run([*command, "--seed", "1"], stdout=subprocess.PIPE, stderr=theirs, check=True)
    os.close(theirs)
    shown = os.read(ours, 2**16)
    os.close(ours)
    assert b"simulating" in shown
    assert b"100%" in shown
    assert b"simulating" not in on_terminal.stdout


@pytest.mark.few(1)
@pytest.mark.parametrize("name", ["run.png", "run.svg", "run.pdf"])
def test_the_first_run_is_drawn_beside_the_truth(tmp_path: Path, name: str) -> None:
    drawn = sotto(*written(tmp_path), "--n", "50", "--runs", "1", "--plot", str(tmp_path / name))
    assert drawn.exit_code == 0
    assert (tmp_path / name).stat().st_size > 1000


def test_a_picture_shows_strings_that_were_not_found(tmp_path: Path) -> None:
    truth = "[questions.word]\nstrings = {fine = 0.9, never = 0}"
    picture = tmp_path / "run.svg"
    assert sotto(*written(tmp_path, WORD, truth), "--n", "500", "--runs", "1", "--plot", str(picture)).exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--n", "1"], "Invalid value for '--n': 1 is not in the range 2<="),
        (["--n", "0"], "Invalid value for '--n': 0 is not in the range 2<="),
        ([], "Missing option '--n'"),
        (["--n", "10", "--runs", "0"], "Invalid value for '--runs': 0 is not in the range 1<="),
        (["--n", "10", "--waves", "2"], "Invalid value for --waves: must be at most 1, the number of waves."),
        (["--n", "10", "--wave", "2"], "Invalid value for --wave: must be at most 1, the number of waves."),
        (["--n", "10", "--liars", "1.1"], "Invalid value for '--liars'"),
        (["--n", "10", "--liars", "nan"], "$.trouble.liars: must be a share in [0, 1]."),
        (["--n", "10", "--clumsy-fakes", "0.6", "--clever-fakes", "0.6"], "$.trouble: must have at most as many fakes"),
        (["--n", "10", "--devices", "3"], "--devices goes with --duplicated"),
        (["--n", "10", "--change", "0.3"], "--change needs a second wave"),
        (["--n", "10", "--devices", "1"], "Invalid value for '--devices'"),
        (["--n", "10", "--seed", "-1"], "Invalid value for '--seed'"),
        (["--n", "10", "--json", "--csv"], "Give --json or --csv, one of the two."),
    ],
    ids=str,
)
def test_what_cannot_be_asked_is_a_usage_error(tmp_path: Path, arguments: list[str], problem: str) -> None:
    refused = sotto(*written(tmp_path), *arguments)
    assert refused.exit_code == 2
    assert problem in refused.stderr


def test_files_that_are_not_what_they_should_be_are_named(tmp_path: Path) -> None:
    survey, _, truth = written(tmp_path)
    (tmp_path / "lunch.json").write_text("{}")
    (tmp_path / "binary.toml").write_bytes(b"\xff")
    (tmp_path / "sum.toml").write_text("[questions.lunch]\nshares = {desk = 0.4}")
    for arguments, problem in (
        ([truth, "--truth", truth], f"{truth}: $"),
        ([str(tmp_path / "lunch.json")], "lunch.json: $.id: is missing"),
        ([str(tmp_path / "none.toml")], "none.toml: No such file"),
        ([survey, "--truth", str(tmp_path / "none.toml")], "none.toml: No such file"),
        ([survey, "--truth", str(tmp_path / "binary.toml")], "binary.toml: must be TOML in UTF-8"),
        ([survey, "--truth", str(tmp_path / "sum.toml")], "sum.toml: $.questions.lunch.shares: must add up to 1"),
        ([survey, "--plot", str(tmp_path / "none" / "run.png"), "--n", "100000000"], "cannot be written: No such file"),
        ([survey, "--plot", str(tmp_path / "run.gif")], "must end in .png, .pdf, .svg"),
    ):
        refused = sotto("--n", "10", "--runs", "1", *arguments)
        assert refused.exit_code == 1, problem
        assert problem in refused.stderr
        assert refused.stderr.count("\n") == 1 + refused.stderr.count("\n  ")  # a survey file's faults, all at once


def test_trouble_that_a_file_says_and_one_wave_cannot_have_is_not_said(tmp_path: Path) -> None:
    said = sotto(*written(tmp_path, truth="[trouble]\nchange = 0.1"), "--n", "50", "--runs", "1").stdout
    assert "trouble" not in said


def test_intervals_that_miss_more_often_than_they_say_are_not_said_to_hold(tmp_path: Path) -> None:
    """A quarter of 20 runs misses, which may be chance of several rows; one run shows nothing."""
    liars = [*written(tmp_path), "--n", "500", "--runs", "12", "--seed", "1", "--liars", "0.3"]
    rows = json.loads(sotto(*liars, "--json").stdout)["rows"]
    low = [row for row in rows if row["coverage"] < 0.95 - row["coverage_error"]]
    assert low
    assert all(row["verdict"] in {"not shown", "MISSES"} for row in low)
    (once,) = json.loads(sotto(*written(tmp_path, CERTAIN, ""), "--n", "50", "--runs", "1", "--json").stdout)["rows"]
    assert once["verdict"] in {"not shown", "MISSES"}
    said = sotto(*written(tmp_path), "--n", "50", "--runs", "2", "--seed", "1").stdout
    assert " to 100 % in this many runs" in said


def test_a_text_question_without_strings_is_refused(tmp_path: Path) -> None:
    survey, *_ = written(tmp_path, WORD)
    refused = sotto(survey, "--n", "10")
    assert refused.exit_code == 1
    assert "$.questions.word: must say which strings people answer" in refused.stderr
