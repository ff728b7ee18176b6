"""Shares in tables: no zero has a sign, what is said in words is not rounded to nothing, the impossible is marked."""

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, strategies as st

from sotto_client.cli import main
from sotto_estimator import Estimate, estimate_tally, read_data
from sotto_estimator.page.choices import Choices
from sotto_estimator.page.release import Release
from sotto_estimator.page.results import find_results
from sotto_estimator.results.document import Lines, Table
from sotto_estimator.results.percents import OUTSIDE_WORDS, n_decimals_of, percent, signed_percent
from sotto_estimator.views.verdict_words import quote_words
from sotto_estimator.views.waves import WaveEstimate, WaveSeries, wave_tables
from sotto_protocol import Tally, compile_toml
from sotto_protocol.language import ENGLISH, LANGUAGES, language

SURVEY = compile_toml("""
id = "s"
title = "S"
[[questions]]
id = "rare"
type = "one-of"
mechanism = "k-ary"
text = "?"
options = ["a", "b", "c"]
epsilon = 2
[[questions]]
id = "hours"
type = "number"
text = "?"
minimum = 0
maximum = 20
unit = "hours"
mechanism = "window"
epsilon = 1
""")


def sotto(*words: object) -> str:
    result = CliRunner().invoke(main, list(map(str, words)))
    assert result.exit_code == 0, result.output
    return result.stdout


@given(st.floats(-0.01, 0.01), st.integers(2, 6))
def test_no_zero_has_a_sign(share: float, n_decimals: int) -> None:
    for words in (percent(share, n_decimals), signed_percent(share)):
        assert words.strip("-+0. %") or words[0] == "0"


@given(st.floats(0, 1), st.floats(1e-7, 1))
def test_a_table_has_the_digits_of_what_is_said(low: float, width: float) -> None:
    row = Estimate("q", "yes", 10, 5, 1.0, min(low + width / 2, 1.0), 0.1, low, min(low + width, 1.0), 0.01, -0.01)
    if not row.low < row.high:
        return
    step = 100 * (row.high - row.low) / 5
    assert 10.0 ** -n_decimals_of(row) <= max(step, 1.01e-4) * 1.000001


def test_a_share_near_none_is_not_shown_as_an_interval_of_no_width() -> None:
    printed = sotto("estimate", "--yes", 0, "--n", 100_000, "--warner", "0.9999999")
    assert "-0.00" not in printed
    (row,) = [line.split() for line in printed.splitlines() if line.split()[:1] == ["yes"] and "at most" not in line]
    assert row[row.index("0.0037") - 2] == "0.0000"  # low, %, high
    assert printed.startswith("yes  at most 0.0037 %,")


def test_no_test_finds_a_share_or_a_difference_that_it_shows_as_nothing() -> None:
    zeros = ("--yes", 0, "--warner", "0.9999999")
    share = sotto("test", "share", *zeros, "--n", 100_000, "--null", 0.001)
    assert "0.0000 % to 0.0037 %" in share
    groups = sotto("test", "groups", *zeros, "--n", 10**6, "--other-yes", 9, "--other-n", 10**6)
    assert "+0.0009 %" in groups


def test_a_difference_that_cannot_be_is_marked(tmp_path: Path) -> None:
    told = {"a": 166, "b": 834}
    rows = [f"{group},{said}" for group, n in told.items() for said in ["same"] * n + ["different"] * (1000 - n)]
    (tmp_path / "t.csv").write_text("\n".join(["g,q", *rows]))
    printed = sotto(
        "test", "groups", tmp_path / "t.csv", "--column", "q", "--design", "crosswise", "--prob", "1/6", "--by", "g"
    )
    (row,) = [line for line in printed.splitlines() if "b - a" in line]
    assert "*-100.20 %" in row
    assert OUTSIDE_WORDS in printed


def test_what_cannot_be_is_marked_in_every_table(tmp_path: Path) -> None:
    outputs = np.zeros(SURVEY.questions[1].mechanism.counts_shape, np.int64)
    outputs[[0, -1]] = 18, 82
    counts = {"rare": np.array([80, 15, 5]), "hours": outputs}
    tally = Tally(SURVEY, {1: 100}, counts)
    (tmp_path / "t.json").write_bytes(tally.to_json())
    rows = {row.answer: row for row in estimate_tally(tally).rows}
    assert (rows["a"].share > 1, rows["c"].share < 0) == (True, True)
    marked = [f"*{percent(rows['a'].share)}", f"*{percent(rows['c'].share)}"]
    printed = sotto("estimate", tmp_path / "t.json", "--report", tmp_path / "r.html")
    shown = estimate_tally(tally)
    of_survey = "* An unbiased estimate may be lower or higher than any possible value."
    assert OUTSIDE_WORDS in printed
    for text in (printed, (tmp_path / "r.html").read_text(), shown._repr_html_(), shown.to_html()):
        assert all(mark in text for mark in marked)
        assert f"*{percent(rows['b'].share)}" not in text
        assert text == printed or of_survey in text
    assert quote_words(ENGLISH) in " ".join(printed.split())
    assert quote_words(ENGLISH) in (tmp_path / "r.html").read_text()
    assert quote_words(ENGLISH) not in shown.to_html()  # nothing stands at its top
    for tag in LANGUAGES:
        results = find_results(Release(SURVEY, True, {1: tally}, language=language(tag)), Choices())
        for question, marked in zip(results.questions, ([True, False, True], [True]), strict=True):
            table = next(one for one in question.numbers if isinstance(one, Table))
            assert [words[1].startswith("*") for words in table.cells] == marked
            assert Lines([quote_words(language(tag))], look="small") in question.numbers


def test_what_cannot_be_is_marked_wave_by_wave() -> None:
    say, point = language("en"), WaveEstimate(1, 100, 1.2, 0.1, 0.9, 1.0)
    [table] = wave_tables("q", [WaveSeries("yes", (point,))], say)
    assert table.cells == [["1", "100", "*120.00 %", "90.00 %", "100.00 %"]]


def test_of_possible_shares_nothing_is_marked_nor_explained() -> None:
    outputs = np.zeros(SURVEY.questions[1].mechanism.counts_shape, np.int64)
    outputs[[0, -1]] = 150
    tally = Tally(SURVEY, {1: 300}, {"rare": np.array([100, 100, 100]), "hours": outputs})
    assert "*" not in estimate_tally(tally).as_table()


@pytest.mark.parametrize("n_small", [3, 19])
def test_many_groups_of_too_few_reports_are_one_line(tmp_path: Path, n_small: int) -> None:
    path = tmp_path / "age.csv"
    large = ["30,same"] * 125 + ["30,different"] * 375
    small = [f"{50 + place},{'same' if row else 'different'}" for place in range(n_small) for row in range(2)]
    path.write_text("\n".join(["age,cheated", *large, *small, ""]))
    found = read_data(path, "cheated", "crosswise(prob=1/6)", by="age").estimate_groups()
    known, said, _, table, *_ = found.as_table().split("\n\n")
    assert len(table.splitlines()) == 1 + 1 + n_small
    if n_small <= 5:
        assert [line.split()[3:] for line in known.splitlines()[1:]] == [
            ["too", "few", "reports", "to", "say"]
        ] * n_small
        assert "age 50, 51, 52: cheated: About 411 reports in each age would narrow this to" in said
        return
    assert known.splitlines()[1:] == [
        "cheated  yes  19 groups  too few reports for a best estimate; the table has the ranges"
    ]
    assert said.splitlines() == [
        "19 of the 20 groups: cheated: About 411 reports in each age would narrow this to ± 10 points.",
        "cheated, yes: the groups by age are too close to rank.",
    ]
    assert str(found) == f"{path}: n by age: 538 reports, 2 to 500 in each".replace(str(path), found.estimates[0].title)
