"""Counts that contradict how people were asked have no verdict, P-value or difference, in any form of any test."""

import csv
import json
import re
from dataclasses import asdict, replace
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from sotto_client.cli import main
from sotto_estimator import Channel, Group, compare_groups, read_data
from sotto_estimator.comparing.compare import CompareOptions, compare_sides
from sotto_estimator.comparing.group_estimates import side_of_group
from sotto_estimator.comparing.tested_shares import ShareTestOptions, shares_tested
from sotto_estimator.comparing.trend import trend_of_sides
from sotto_estimator.intervals.contradiction import Contradiction
from sotto_estimator.intervals.intervals import IntervalOptions
from sotto_estimator.shares.verdict.compare import order_groups
from sotto_protocol import Coins, Survey, Tally, compile_toml
from strata_surveys import strata_toml

SAID = "The reports contradict the survey's design, so they say nothing about this question."
CROSSWISE = ("--design", "crosswise(prob=1/6)")
SHARE = ("share", "--counts", "10,490", *CROSSWISE, "--null", ".7")
GROUPS = ("groups", "--yes", "10", "--n", "500", "--other-yes", "200", "--other-n", "500", *CROSSWISE)
TREND = ("trend", *(word for counts in ("490,10", "150,350", "250,250") for word in ("--counts", counts)), *CROSSWISE)
NULL = {
    "share": ("share", "standard_error", "low", "high", "p_value", "verdict"),
    "groups": ("difference", "difference_low", "difference_high", "ratio", "ratio_low", "p_value", "verdict"),
    "trend": ("slope", "standard_error", "slope_low", "slope_high", "p_value", "verdict"),
}
WORDS = (
    "another",
    "not ruled out",
    "more in",
    "less in",
    "not told apart",
    "too close to tell",
    "no difference",
    "rises",
    "falls",
)
MORE = """[[questions]]
id = "dish"
type = "one-of"
text = "Which?"
options = ["fish", "stew", "soup"]
epsilon = 2
[[questions]]
id = "hours"
type = "number"
text = "How many?"
minimum = 0
maximum = 20
epsilon = 2
"""
TWO = compile_toml(strata_toml("two", ["north", "south", "west"], MORE))


def sotto(*words: object) -> Result:
    return CliRunner().invoke(main, ["test", *map(str, words)])


def tally(survey: Survey, seed: int, n: int = 1_000) -> Tally:
    rng = np.random.default_rng(seed)
    answers = {"paid": rng.integers(0, 2, n), "dish": rng.integers(0, 3, n), "hours": rng.integers(0, 21, n)}
    return Tally.of(survey, survey.perturb(answers, Coins(rng.bytes)))


def contradicted(of: Tally, question: str) -> Tally:
    """Return a tally all of whose reports to a question are one and the same, which no design gives."""
    counts = {key: np.array(value) for key, value in of.support_counts.items()}
    counts[question][:] = 0
    counts[question].flat[0] = of.n_reports
    return replace(of, support_counts=counts)


@pytest.mark.parametrize("words", [SHARE, GROUPS, TREND], ids=lambda words: words[0])
def test_every_form_of_a_test_says_that_nothing_can_be_said(words: tuple[str, ...], tmp_path: Path) -> None:
    page, picture = tmp_path / "report.html", tmp_path / "picture.svg"
    printed = sotto(*words, "--report", page, "--plot", picture)
    assert printed.exit_code == 0, printed.output
    first = printed.stdout.splitlines()[0]
    assert first.endswith(SAID)
    assert "Warning" in printed.stderr
    for text in (printed.stdout, unescape(page.read_text())):
        assert not [word for word in WORDS if word in text.replace("against another one", "")]
        assert "P <= " in text
    assert SAID in unescape(page.read_text())
    assert picture.exists()
    document = json.loads(sotto(*words, "--json").stdout)
    assert document["contradictions"]
    (record,) = csv.DictReader(sotto(*words, "--csv").stdout.splitlines())
    for member in NULL[words[0]]:
        assert document["rows"][0][member] is None
        assert record[member] == ""


def test_nothing_is_left_of_a_row_that_says_something_but_what_was_counted_and_asked() -> None:
    """Of counts that have every number: had they contradicted their design by another answer's."""
    channel = Channel(5 / 6, 1 / 6)
    sides = {
        name: [side_of_group(Group(n, 500, channel), 1, "population")]
        for name, n in zip("abc", (200, 250, 300), strict=True)
    }
    found = [
        shares_tested("t", {"": sides["a"]}, ShareTestOptions(0.3)),
        compare_sides("t", sides, CompareOptions()),
        trend_of_sides("t", sides, CompareOptions()),
    ]
    kept = {"question", "answer", "unit", "n", "n_reference", "n_group", "groups", "group", "reference", "scores"}
    kept |= {"epsilon", "null", "test", "interval", "warning", "contradicting", "within"}
    for tested in found:
        row = asdict(tested.rows[0])
        assert all(value is not None for name, value in row.items() if name not in kept)
        of = Contradiction("", "yes", 500, 200, 1.0, 1e-9)
        voided = asdict(tested.held_against([(name, of) for name in ("", *"abc")]).rows[0])
        told = {name: value for name, value in voided.items() if name not in kept}
        assert {value for of in told.values() for value in (of if isinstance(of, tuple) else (of,))} == {None}


def test_a_group_whose_counts_are_right_keeps_its_estimate_and_the_other_is_named() -> None:
    (row,) = json.loads(sotto(*GROUPS, "--json").stdout)["rows"]
    assert (row["reference_estimate"], row["contradicting"]) == (None, "group 1")
    assert row["group_estimate"] == pytest.approx((0.4 - 5 / 6) / (1 / 6 - 5 / 6))
    assert sotto(*GROUPS).stdout.startswith(f"group 1: {SAID}")
    (row,) = json.loads(sotto(*TREND, "--json").stdout)["rows"]
    assert [estimate is None for estimate in row["estimates"]] == [True, False, False]
    turned = ("groups", "--counts", "200,300", "--counts", "10,490", "--counts", "300,200", *CROSSWISE)
    void, known = json.loads(sotto(*turned, "--json").stdout)["rows"]
    assert (void["verdict"], void["contradicting"], known["contradicting"]) == (None, "group 2", "")
    assert known["verdict"] == "less"
    assert known["p_value"] < 0.05


def test_counts_that_do_not_contradict_are_told_as_ever() -> None:
    words = ("groups", "--counts", "120,380", "--counts", "300,200", *CROSSWISE)
    row = json.loads(sotto(*words, "--json").stdout)["rows"][0]
    assert row["verdict"] == "less"
    assert row["contradicting"] == ""


def test_a_test_of_counts_says_how_they_were_read() -> None:
    cards = ("--design", "kuk(prob_red_if_yes=.8, prob_red_if_no=.2)")
    printed = sotto("groups", "--counts", "100,300", "--counts", "red=200,other=200", *cards).stdout
    assert "group 1: design kuk(prob_red_if_yes=0.8, prob_red_if_no=0.2): 100 other, 300 red" in printed
    assert "group 2: design kuk(prob_red_if_yes=0.8, prob_red_if_no=0.2): 200 other, 200 red" in printed


@pytest.mark.parametrize(
    "options", [{}, {"simultaneous": True}, {"method": "anytime"}, {"target": "respondents"}], ids=str
)
def test_a_program_gets_no_verdict_of_counts_that_contradict(options: dict[str, Any]) -> None:
    channel = Channel.warner(5 / 6)
    found = compare_groups(
        {"a": Group(490, 500, channel), "b": Group(200, 500, channel)}, options=IntervalOptions(**options)
    )
    (row,) = found.rows
    assert (row.verdict, row.p_value, row.difference, row.ratio_low, row.contradicting) == (None, None, None, None, "a")
    assert str(found) == f"a: {SAID}"
    assert "more in" not in found._repr_html_()
    assert found.to_frame()["verdict"].isna().all()
    assert found.panels()[1] == []


@pytest.mark.parametrize(("question", "n_rows"), [("paid", 1), ("dish", 3), ("hours", 1)])
def test_questions_whose_counts_contradict_are_void_and_others_are_not(question: str, n_rows: int) -> None:
    groups = {"a": tally(TWO, 1), "b": contradicted(tally(TWO, 2), question)}
    rows = compare_groups(groups).rows
    assert {row.question for row in rows if row.verdict is None} == {question}
    assert sum(row.verdict is None for row in rows) == n_rows
    assert all(row.difference is not None for row in rows if row.question != question)


def test_the_groups_of_a_csv_are_compared_without_those_whose_counts_contradict(tmp_path: Path) -> None:
    rows = [("a", 150, 350), ("b", 490, 10), ("c", 300, 200)]
    lines = [
        f"{name},{text}" for name, *counts in rows for text, n in zip((1, 0), counts, strict=True) for _ in range(n)
    ]
    (tmp_path / "people.csv").write_text("\n".join(["g,said", *lines, ""]))
    data = read_data(tmp_path / "people.csv", "said", "warner(prob=5/6)", by="g")
    assert [row.verdict for row in compare_groups(data).rows] == [None, "more"]
    beside = data.estimate_groups()
    (one,) = beside.comparisons
    assert [set(group) for group in one.order.groups] == [{"c"}, {"a"}]
    assert f"g b: said: {SAID}" in beside.as_table()
    trend = ("trend", tmp_path / "people.csv", "--column", "said", "--by", "g", "--warner", "5/6")
    assert sotto(*trend).stdout.startswith(f"b: said: {SAID}")
    share = ("share", tmp_path / "people.csv", "--column", "said", "--design", "warner(prob=.9999)", "--null", ".4")
    assert not sotto(*share).stdout.startswith(f"said: {SAID}")


def test_a_group_is_called_the_same_wherever_it_is_warned_of(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    counts = {("a", "same"): 10, ("a", "different"): 490, ("b", "same"): 250, ("b", "different"): 250}
    path.write_text("\n".join(["g,y", *(line for of, n in counts.items() for line in [",".join(of)] * n), ""]))
    asked = [str(path), "--column", "y", *CROSSWISE]
    run = CliRunner().invoke
    words = [["estimate", *asked, "--by", "g"], ["test", "groups", *asked, "--by", "g"]]
    words.append(["regress", str(path), "y ~ g", *CROSSWISE])
    for each in words:
        assert re.search("Warning: g a: y: [0-9]+ of 500 reports say ", run(main, each).stderr), each


def test_strata_are_put_in_order_without_those_whose_counts_contradict() -> None:
    tallies = {"north": tally(TWO, 1), "south": tally(TWO, 2), "west": tally(TWO, 3)}
    found = order_groups(tallies, IntervalOptions(), {("south", "paid")})
    named = {one.question: {name for group in one.order.groups for name in group} for one in found}
    assert named == {"paid": {"north", "west"}, "dish": {*tallies}, "hours": {*tallies}}


def test_waves_of_tally_files_whose_counts_contradict_have_no_verdict(tmp_path: Path) -> None:
    paths = [tmp_path / f"{name}.json" for name in ("one", "two", "three")]
    tallies = [tally(TWO, 1), tally(TWO, 2), contradicted(tally(TWO, 3), "paid")]
    for path, of in zip(paths, tallies, strict=True):
        path.write_bytes(of.to_json())
    for words in (("groups",), ("trend", "--scores", "1,2,3")):
        rows = json.loads(sotto(*words, *paths, "--question", "paid", "--json").stdout)["rows"]
        assert rows[-1]["verdict"] is None
        assert rows[-1]["p_value"] is None
    one = sotto("share", paths[2], "--null", ".5", "--question", "paid")
    assert one.stdout.startswith(f"paid: {SAID}")


MANY = 12
"""Groups beside the one that they are held against."""


def many_groups(path: Path, n_same: int) -> list[object]:
    """Return the words that test, or estimate, groups of a table in each of which as many of 100 say the same."""
    rows = [f"g{g},{said}" for g in range(MANY + 1) for said in ["same"] * n_same + ["different"] * (100 - n_same)]
    (path / "t.csv").write_text("\n".join(["g,q", *rows]))
    return [path / "t.csv", "--column", "q", *CROSSWISE, "--by", "g"]


def test_what_is_known_alike_of_many_groups_is_said_once(tmp_path: Path) -> None:
    said = sotto("groups", *many_groups(tmp_path, 50)).stdout.splitlines()
    assert said[:2] == [f"q, yes: no difference from g0 can be shown for {MANY} groups.", ""]


@pytest.mark.thorough
def test_counts_of_many_groups_are_warned_of_once_and_of_all(tmp_path: Path) -> None:
    words = many_groups(tmp_path, 2)
    for result in (sotto("groups", *words), CliRunner().invoke(main, ["estimate", *map(str, words)])):
        (warning,) = result.stderr.splitlines()
        assert re.match("Warning: g g0: q: [0-9]+ of 100 reports ", warning)
        assert warning.endswith(f"The counts of {MANY} other groups contradict the design too.")
    said = sotto("groups", *words).stdout.splitlines()
    assert said[0] == f"q, yes: {MANY} groups cannot be compared, because counts contradict the survey's design."
