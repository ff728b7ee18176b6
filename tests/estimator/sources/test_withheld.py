"""What is withheld of a text question: said in every output, and never taken for strings that nobody answered."""

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from sotto_client.cli import main
from sotto_estimator import estimate_tally
from sotto_estimator.page.choices import Choices
from sotto_estimator.page.release import Release
from sotto_estimator.page.results import find_results
from sotto_estimator.sources.quality import qualities
from sotto_estimator.sources.withheld import withheld_of
from sotto_protocol import Coins, Survey, Tally, compile_toml, hmac_bytes

STAFF = compile_toml("""
id = "staff"
title = "Staff"
min_reports = 50
[[questions]]
id = "harassed"
type = "yes-no"
text = "Were you harassed?"
epsilon = 1
[[questions]]
id = "wish"
type = "text"
mechanism = "rappor"
text = "What should change?"
n_cohorts = 4
epsilon = 4
""")
WAVES = replace(STAFF, waves=3)
STRATA = replace(STAFF, invited=True, strata=("north", "south"))


def tally_of(n: int, wave: int = 1, survey: Survey = STAFF) -> Tally:
    answers = {"harassed": np.zeros(n, np.intp), "wish": ["parking"] * n}
    return Tally.of(survey, survey.perturb(answers, Coins(hmac_bytes(bytes(32), b"%d" % n)), wave))  # type: ignore[arg-type]  # answers


NOTHING = tally_of(130).hold_back(["wish"], Tally.empty(STAFF))
SOME = tally_of(900).hold_back(["wish"], tally_of(600))
SAID = "wish: withheld until each of its 4 cohorts has 50 reports; beside these 130 at least 70 more must come"
SAID_SOME = (
    "wish: 600 of these 900 reports are counted; the others are withheld until each of its 4 cohorts has 50 more"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "nothing.json").write_bytes(NOTHING.to_json())
    (tmp_path / "some.json").write_bytes(SOME.to_json())
    (tmp_path / "list.txt").write_text("parking\ncanteen\n")
    return tmp_path


def sotto(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.mark.parametrize(("name", "said"), [("nothing", SAID), ("some", SAID_SOME)])
def test_estimate_says_what_is_withheld_in_every_form(folder: Path, name: str, said: str) -> None:
    path = folder / f"{name}.json"
    for style in ((), ("--json",), ("--csv",)):
        result = sotto("estimate", path, *style)
        assert result.exit_code == 0
        assert f"Warning: {said}.\n" in result.stderr
    assert said in sotto("estimate", path).stdout
    (withheld,) = json.loads(sotto("estimate", path, "--json").stdout)["withheld"]
    assert withheld == {
        "question": "wish",
        "n_counted": 0 if name == "nothing" else 600,
        "n_reports": 130 if name == "nothing" else 900,
        "n_cohorts": 4,
        "min_reports": 50,
        "n_missing": 70 if name == "nothing" else 0,
    }
    rows = list(csv.DictReader(io.StringIO(sotto("estimate", path, "--csv").stdout)))
    assert [(row["question"], row["n_reports"]) for row in rows] == [("harassed", str(withheld["n_reports"]))]
    assert ("see `sotto decode`" in sotto("estimate", path).stdout) is (name == "some")


def test_estimates_of_other_questions_are_those_of_all_reports() -> None:
    assert estimate_tally(NOTHING).rows == estimate_tally(tally_of(130)).rows
    assert estimate_tally(tally_of(130)).withheld == ()


def test_decoding_what_is_withheld_is_refused_in_words(folder: Path) -> None:
    result = sotto("decode", folder / "nothing.json", "wish", "--candidates", folder / "list.txt")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == f"Error: there is nothing to decode yet: {SAID}.\n"


def test_decoding_takes_the_reports_that_are_counted(folder: Path) -> None:
    (folder / "whole.json").write_bytes(tally_of(600).to_json())
    some, whole = (
        sotto("decode", folder / name, "wish", "--candidates", folder / "list.txt", "--json")
        for name in ("some.json", "whole.json")
    )
    assert json.loads(some.stdout) == json.loads(whole.stdout)
    assert json.loads(some.stdout)["n_reports"] == 600
    assert f"Warning: {SAID_SOME}.\n" in some.stderr
    assert "counted" not in whole.stderr


def test_missing_reports_are_at_least_one_while_a_cohort_has_too_few() -> None:
    (withheld,) = withheld_of(tally_of(205).hold_back(["wish"], Tally.empty(STAFF)))
    assert withheld.n_missing == 1


@pytest.mark.parametrize(
    ("survey", "each"),
    [
        (WAVES, " of a wave"),
        (STRATA, " of a stratum"),
        (replace(STRATA, waves=3), " of a wave of a stratum"),
    ],
)
def test_of_parts_nobody_is_told_how_many_of_all_are_missing(survey: Survey, each: str) -> None:
    """The least number is each part's: of how many reports the fullest one has the number of all says nothing."""
    (withheld,) = withheld_of(tally_of(130, 1, survey).hold_back(["wish"], Tally.empty(survey)))
    assert str(withheld) == f"wish: withheld until each of its 4 cohorts has 50 reports{each}"
    promise = "As the survey promises, a wave or a group with fewer than 50 reports is not shown. So far there are "
    assert Release(survey, True, n_known=120).say_missing() == f"{promise}120."
    assert Release(survey, True, n_known=30).say_missing() == f"{promise}30. At least 20 are missing."
    assert "So far" not in Release(survey, True).say_missing()


def test_waves_of_strings_are_those_whose_strings_are_counted(tmp_path: Path) -> None:
    """A device's reports of two waves depend on each other; of the strings those of one wave are counted."""
    first, second = tally_of(600, 1, WAVES), tally_of(130, 2, WAVES).hold_back(["wish"], Tally.empty(WAVES))
    (tmp_path / "tally.json").write_bytes((first + second).to_json())
    (tmp_path / "list.txt").write_text("parking\ncanteen\n")
    decoded = json.loads(
        sotto("decode", tmp_path / "tally.json", "wish", "--candidates", tmp_path / "list.txt", "--json").stdout
    )
    assert (decoded["n_reports"], decoded["waves"]) == (600, [1])
    assert estimate_tally(first + second).rows[0].n_reports == 730


def test_quality_counts_the_reports_of_the_question() -> None:
    assert qualities(NOTHING) == ()
    assert [(known.question, known.n_reports) for known in qualities(SOME)] == [("wish", 600)]


@pytest.mark.parametrize(
    ("tally", "said"),
    [
        (
            NOTHING,
            "This question shows no results until each of its 4 groups has 50 reports. At least {} more must",
        ),
        (SOME, "600 of these 900 reports are counted here; the others wait until enough have come."),
    ],
)
def test_results_page_says_what_is_withheld_of_a_question(tally: Tally, said: str) -> None:
    results = find_results(Release(STAFF, True, {1: tally}), Choices())
    shown, wish = results.questions
    assert (shown.notices, shown.n_reports) == ([], tally.n_reports)
    (withheld,) = withheld_of(tally)
    assert wish.notices[0].startswith(said.format(withheld.n_missing))
    assert wish.n_reports == tally.counted("wish").n_reports
    assert ("wish" in results.hints) is (tally is SOME)
