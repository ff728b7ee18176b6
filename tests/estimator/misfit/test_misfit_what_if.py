"""The share if a part of people did not follow the design: intervals that hold in each case, and the commands."""

import csv
import io
import json
import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from scipy import stats

from athletes import EXTENDED, arm, crosswise
from sotto_client.cli import main
from sotto_estimator import Channel, estimate_counts
from sotto_estimator.designs.spec import read_design
from sotto_estimator.errors import DomainError
from sotto_estimator.misfit.estimate import estimate_model
from sotto_estimator.misfit.what_if import WAYS, what_if

COUNTS = ["--design", "extended-crosswise(prob_innocuous=.2)", "--counts", "66,95", "--counts", "59,105"]


def sotto(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["estimate", *map(str, arguments)])


@pytest.mark.parametrize(("way", "support"), [("random", 0.5), ("self-protective-no", 0.0)])
def test_case_is_the_estimate_by_the_channel_that_it_makes(way: str, support: float) -> None:
    """Of a part x that says yes with a known probability: share = (S/n - x v - (1-x) b) / ((1-x)(a-b))."""
    design = read_design("warner(prob_statement=3/4)")
    for case in what_if(way, [0, 0.1, 0.2], [arm(design, 500, 700)]).cases:
        other = (1 - case.part) * 0.25 + case.part * support
        expected = estimate_counts(500, 1200, Channel(other + (1 - case.part) * 0.5, other)).rows[0]
        assert case.share == pytest.approx((500 / 1200 - other) / ((1 - case.part) * 0.5))
        assert (case.low, case.high) == pytest.approx((expected.low, expected.high))


@pytest.mark.thorough
@pytest.mark.parametrize("part", [pytest.param(0.1, marks=pytest.mark.rare), 0.4])
@pytest.mark.parametrize("way", WAYS)
def test_interval_of_a_case_holds_if_so_many_do(way: str, part: float) -> None:
    """By enumeration of all counts of 40, at shares from 0 to 1; and misses too often if nobody does."""
    n, design = 40, read_design("crosswise(prob=1/6)" if way == "one-sayers" else "warner(prob_statement=5/6)")
    cases = [what_if(way, [part], [arm(design, s, n - s)]).cases[0] for s in range(n + 1)]
    said = {"random": 0.5, "one-sayers": 0, "self-protective-no": 0}[way]  # of the first report
    missed, missed_by_none = 0.0, 0.0
    for share in np.linspace(0, 1, 101):
        prob = float(design.matrix[0] @ [share, 1 - share])
        holds = np.array([case.low is not None and case.low <= share <= (case.high or 0) for case in cases])
        mixed = (1 - part) * prob + part * said
        missed = max(missed, float(stats.binom.pmf(np.arange(n + 1), n, mixed) @ ~holds))
        missed_by_none = max(missed_by_none, float(stats.binom.pmf(np.arange(n + 1), n, prob) @ ~holds))
    assert missed <= 0.05
    assert part < 0.4 or missed_by_none > 0.05


def test_cases_that_the_counts_contradict_are_marked() -> None:
    """Two samples of survey B fit 10 to 30 % of one-sayers, who are 23 % by the model."""
    found = what_if("one-sayers", [0, 0.1, 0.2, 0.3, 0.45], EXTENDED["samples", "B"][::-1])
    assert [case.p_value is None for case in found.cases] == [False, True, True, True, False]


def test_case_of_which_the_interval_holds_no_share_has_none() -> None:
    (case,) = what_if("random", [0.5], [arm(read_design("warner(prob_statement=3/4)"), 250, 750)]).cases
    assert (case.low, case.high) == (None, None)


@pytest.mark.parametrize(
    ("fault", "way", "parts"),
    [
        ("way not to follow", "lie-detector", [0.1]),
        ("parts must be", "random", []),
        ("parts must be", "random", [1.0]),
        ("parts must be", "random", [float("nan")]),
        ("must have a report no or neither", "self-protective-no", [0.1]),
    ],
)
def test_what_cannot_be_asked_is_refused(fault: str, way: str, parts: list[float]) -> None:
    with pytest.raises(DomainError, match=fault):
        what_if(way, parts, [arm(crosswise(0.2), 10, 10)])


def test_every_form_shows_the_same_cases(tmp_path: Path) -> None:
    asked = [*COUNTS, "--what-if", "one-sayers=0,.1,1/2"]
    arms = [
        arm(read_design(f"crosswise(prob={prob})"), *counts) for prob, counts in (("1/5", (66, 95)), ("4/5", (59, 105)))
    ]
    found = what_if("one-sayers", [0, 0.1, 0.5], arms)
    document = json.loads(sotto(*asked, "--json").stdout)
    rows = list(csv.DictReader(io.StringIO(sotto(*asked, "--csv").stdout)))
    assert document == json.loads(json.dumps(found.to_dict()))
    for row, member, case in zip(rows, document["cases"], found.cases, strict=True):
        assert member["share"] == case.share
        assert row["share"] == ("" if case.share is None else str(case.share))
        assert (row["method"], row["level"]) == ("chernoff", "0.95")
    table = sotto(*asked).stdout
    assert "the share of yes, of those who follow the design" in table
    assert table.count("the counts contradict it (P <= ") == 2
    assert [case.share is None for case in found.cases] == [True, False, True]
    assert f"{100 * found.cases[1].share:.2f} %" in table
    assert [len(re.findall(" % ", line)) for line in table.splitlines()[-3:]] == [1, 4, 1]
    assert len(found.to_frame()) == 3
    assert "10.00 %" in found._repr_html_()
    assert str(found).startswith("one-sayers: impossible (if 0 % do) to impossible (if 50 % do), n = 325")
    assert sotto(*asked, "--plot", tmp_path / "plot.svg").exit_code == 0
    assert (tmp_path / "plot.svg").stat().st_size > 1000


def test_estimate_of_samples_says_how_well_they_fit() -> None:
    """G² of survey B as published."""
    assert "fit: G² 17.44, 1 degree of freedom, P about 3e-05" in sotto(*COUNTS).stdout
    fit = json.loads(sotto(*COUNTS, "--json").stdout)["fit"]
    assert fit == {"g_squared": pytest.approx(17.44, abs=0.005), "df": 1, "p_value": pytest.approx(2.97e-5, abs=1e-7)}
    (row,) = csv.DictReader(io.StringIO(sotto(*COUNTS, "--csv").stdout))
    assert float(row["fit_g_squared"]) == fit["g_squared"]
    assert "fit" not in json.loads(sotto("--warner", "3/4", "--yes", "30", "--n", "90", "--json").stdout)


def test_command_fits_a_model_to_counts(tmp_path: Path) -> None:
    asked = [*COUNTS, "--model", "one-sayers"]
    document = json.loads(sotto(*asked, "--json").stdout)
    expected = estimate_model("one-sayers", EXTENDED["samples", "B"])
    for member, part in zip(document["parts"], expected.parts, strict=True):
        assert member["value"] == pytest.approx(part.value, abs=1e-6)
    assert "44.57 %" in sotto(*asked).stdout
    assert len(sotto(*asked, "--csv").stdout.splitlines()) == 3
    assert sotto(*asked, "--plot", tmp_path / "plot.png").exit_code == 0


def test_command_takes_a_control_question() -> None:
    """45 of 354 were wrong about what all know: twice as many answer at random."""
    result = sotto(
        *("--design", "crosswise(prob=1/5)", "--counts", "109,60"),
        *("--model", "random", "--control", "1:direct:309,45"),
    )
    assert result.exit_code == 0
    assert f"{100 * 90 / 354:.2f} %" in result.stdout
    assert "and 354 of control questions, epsilon 1.3863 a report" in result.stdout
    assert "if all followed the design: impossible" in result.stdout


def test_command_fits_a_model_to_the_rows_of_a_file(tmp_path: Path) -> None:
    """The same people, a row each, as in survey B's counts."""
    rows = (
        [("low", "same")] * 66 + [("low", "different")] * 95 + [("high", "same")] * 59 + [("high", "different")] * 105
    )
    path = tmp_path / "survey.csv"
    path.write_text("deck,said\n" + "".join(f"{deck},{said}\n" for deck, said in rows))
    asked = [path, "--column", "said", "--arm", "deck", "--reports", "same,different"]
    asked += ["--design", "low=crosswise(prob=1/5)", "--design", "high=crosswise(prob=4/5)"]
    of_file, of_counts = (
        json.loads(sotto(*words, "--model", "one-sayers", "--json").stdout) for words in (asked, COUNTS)
    )
    assert of_file["n_reports"] == of_counts["n_reports"] == 325
    for part, other in zip(of_file["parts"], of_counts["parts"], strict=True):
        assert part["value"] == pytest.approx(other["value"], abs=1e-6)
    assert "the counts contradict it" in sotto(*asked, "--what-if", "one-sayers=0").stdout
    assert "--by does not go with --model" in sotto(*asked, "--model", "one-sayers", "--by", "deck").stderr
    assert "--weights does not go with --model" in sotto(*asked, "--model", "one-sayers", "--weights", "deck").stderr


@pytest.mark.parametrize(
    ("fault", "arguments"),
    [
        ("go with counts (--design, --counts), or", [*COUNTS, "--model", "one-sayers", "file.json"]),
        ("goes with a table", [*COUNTS, "--model", "one-sayers", "--arm", "deck"]),
        ("--model and --what-if go with counts", ["--model", "random"]),
        ("--control goes with --model", ["--control", "1:direct:3,4"]),
        ("--control goes with --model", [*COUNTS, "--what-if", "random=.1", "--control", "1:direct:3,4"]),
        ("one of the two", [*COUNTS, "--what-if", "random=.1", "--model", "random"]),
        ("--method does not go with --model", [*COUNTS, "--model", "one-sayers", "--method", "wilson"]),
        ("must be SHARE:DESIGN:COUNTS", [*COUNTS, "--model", "random", "--control", "direct"]),
        ("the design (dirct) must be one of", [*COUNTS, "--model", "random", "--control", "1:dirct:3,4"]),
        ("then rates such as =0,0.05,0.1", [*COUNTS, "--what-if", "often=.1"]),
        ("then rates such as =0,0.05,0.1", [*COUNTS, "--what-if", "random"]),
        ("parts must be one or more, in [0, 1)", [*COUNTS, "--what-if", "random=1"]),
        ("there is no signal", [*COUNTS, "--model", "random"]),
        ("must have a report no or neither", [*COUNTS, "--model", "lie-detector"]),
    ],
)
def test_options_that_do_not_go_together_are_refused(fault: str, arguments: list[str]) -> None:
    result = sotto(*arguments)
    assert result.exit_code in (1, 2)
    assert fault in result.stderr
    assert "Traceback" not in result.stderr
