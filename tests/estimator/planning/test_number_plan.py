"""`sotto plan` of the mean of numbers: the widths of segments and windows, and what they replace."""

import json
import math
from collections.abc import Sequence
from decimal import Decimal

import numpy as np
import pytest
from click.testing import CliRunner, Result

from sotto_client.cli import main
from sotto_estimator import IntervalOptions
from sotto_estimator.planning.numbers import (
    NumberPlanRow,
    NumberStudy,
    half_widths,
    number_rows,
    published_variances,
)
from sotto_protocol.mechanisms.segment_design import best_for_mean, best_segments
from sotto_protocol.mechanisms.window import WindowResponse
from sotto_protocol.mechanisms.window_design import window
from sotto_protocol.questions.number import Number

YEARS = NumberStudy(Number((), 0, 120, 1, "years"), 20.0)


def sotto(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["plan", *arguments])


def simulated_hybrid(epsilon: float, place: float) -> float:
    """Return the variance of the hybrid mechanism's report of a number in [0, 1], by integrals of its densities.

    Written from the mechanism (Wang et al. 2019): with 1 - e^(-epsilon/2) piecewise, else Duchi's two outputs.
    """
    t, root, odds = 2 * place - 1, math.exp(epsilon / 2), math.exp(epsilon)
    most = (root + 1) / (root - 1)
    left = (most + 1) / 2 * t - (most - 1) / 2
    right = left + most - 1
    near = (odds - root) / (2 * root + 2)
    second = near * (right**3 - left**3) / 3 + near / odds * (left**3 + most**3 + most**3 - right**3) / 3
    duchi = ((odds + 1) / (odds - 1)) ** 2
    share = 1 - 1 / root if epsilon > 0.61 else 0.0
    return (share * second + (1 - share) * duchi - t**2) / 4


@pytest.mark.parametrize("epsilon", [0.5, 0.7, 1.0, 2.0, 4.0, 8.0])
def test_published_variances_are_those_of_the_mechanisms(epsilon: float) -> None:
    worst = max(simulated_hybrid(epsilon, place) for place in np.linspace(0, 1, 101))
    assert published_variances(epsilon)["hybrid (Wang et al.)"] == pytest.approx(worst, rel=1e-9)


def named(rows: Sequence[NumberPlanRow], name: str) -> NumberPlanRow:
    """Return the first row of a mechanism."""
    return next(row for row in rows if row.mechanism.startswith(name))


@pytest.mark.thorough
def test_rows_for_so_many_respondents_hold_the_widths_of_segments_and_windows() -> None:
    rows = number_rows(YEARS, [Decimal(1), Decimal(4)], 1000, None, IntervalOptions())
    published = ["hybrid", "piecewise", "Laplace of each number", "trusted curator, Laplace"]
    assert [row.mechanism.split(" (")[0] for row in rows] == [
        *("segments", "window", "distribution", *published),
        *("segments", "window", "distribution", "1BitMean", *published, "no privacy"),
    ]
    assert {row.n_reports for row in rows} == {1000}
    for row in rows:
        if row.half_width is not None:
            assert 0.9 <= row.half_width / (1.96 * row.standard_deviation) <= 1.1, row
    assert rows[0].worst_deviation == pytest.approx(120 * math.sqrt(best_segments(120, Decimal(1)).worst_variance))
    assert rows[1].worst_deviation == pytest.approx(120 * math.sqrt(window(120, Decimal(1)).worst_variance))
    assert rows[-1].standard_deviation == pytest.approx(20 / math.sqrt(1000))
    assert rows[6].standard_deviation == pytest.approx(math.hypot(20 / math.sqrt(1000), 120 * math.sqrt(2) / 1000))


def test_so_many_respondents_as_are_needed_reach_the_half_width_and_one_fewer_does_not() -> None:
    rows = number_rows(YEARS, [Decimal(2)], None, 2.0, IntervalOptions())
    mechanism = best_for_mean(120, Decimal(2))
    n = rows[0].n_reports
    widths = half_widths(np.array([n - 1, n], np.float64), mechanism, YEARS, IntervalOptions())
    assert widths[0] > 2 >= widths[1]
    assert rows[0].half_width == pytest.approx(widths[1])


def test_microsoft_s_figure_of_one_bit_means() -> None:
    """3 million devices, 24 hours in seconds, epsilon 1: a standard deviation of 54 seconds at the most."""
    day = NumberStudy(Number((), 0, 86_400, 1, "s"), 1e-9)
    row = named(number_rows(day, [Decimal(1)], 3_000_000, None, IntervalOptions()), "window")
    assert "2 levels, width 1" in row.mechanism
    assert row.standard_deviation == pytest.approx(54, abs=0.5)


def test_the_command_plans_numbers_as_text_json_and_csv() -> None:
    arguments = ("--epsilon", "1", "--minimum", "0", "--maximum", "120", "--n", "1000")
    shown = sotto(*arguments)
    assert shown.exit_code == 0
    assert "segments (21 levels, " in shown.stdout
    assert "window (2 levels, width 1)" in shown.stdout
    document = json.loads(sotto(*arguments, "--json").stdout)
    assert (document["deviation"], document["method"], document["maximum"]) == (30, "chernoff", 120)
    assert sotto(*arguments, "--csv").stdout.startswith("epsilon,mechanism,n_reports,worst_deviation,")
    by_hoeffding = json.loads(sotto(*arguments, "--json", "--method", "hoeffding").stdout)
    assert by_hoeffding["plan"][2]["half_width"] > 1.5 * document["plan"][2]["half_width"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--minimum", "0", "--n", "9"], "--minimum and --maximum go together"),
        (["--step", "2", "--n", "9"], "--step and --deviation go with"),
        (["--minimum", "0", "--maximum", "x", "--n", "9"], "--maximum ('x') must be a number."),
        (["--minimum", "0", "--maximum", "nan", "--n", "9"], "--maximum: must be a number in ["),
        (["--minimum", "3", "--maximum", "2", "--n", "9"], "Error: --maximum: must be above minimum (3)"),
        (
            ["--minimum", "0", "--maximum", "10", "--step", "3", "--n", "9"],
            "Error: --step: must go into maximum",
        ),
        (["--minimum", "0", "--maximum", "10", "--deviation", "6", "--n", "9"], "at most half of the range"),
        (["--minimum", "0", "--maximum", "10", "--options", "3", "--n", "9"], "--options does not go with --minimum"),
        (["--minimum", "0", "--maximum", "10", "--text", "--n", "9"], "--text does not go with --minimum"),
        (["--minimum", "0", "--maximum", "10"], "Give --n or --half-width"),
        (
            ["--minimum", "0", "--maximum", "10", "--half-width", "1e-9"],
            "Error: --half-width (1e-09) must be reachable",
        ),
        (["--half-width", "1e-9"], "Error: --half-width (1e-09) must be reachable"),
        (["--half-width", "2"], "must be a share, at most 1"),
    ],
)
def test_what_does_not_go_together_is_said(arguments: list[str], message: str) -> None:
    refused = sotto("--epsilon", "4", *arguments)
    assert refused.exit_code == 2
    assert message in " ".join(refused.stderr.replace("│", " ").split())


@pytest.mark.parametrize("method", ["wilson", "clopper-pearson"])
def test_rows_that_a_method_does_not_fit_are_planned_by_the_default_and_say_so(method: str) -> None:
    arguments = ("--epsilon", "1", "--minimum", "0", "--maximum", "10", "--n", "1000", "--method", method)
    shown = sotto(*arguments)
    assert shown.exit_code == 0, shown.stderr
    of_means = next(line for line in shown.stdout.splitlines() if "95 % intervals by Gaffke's bound" in line)
    assert of_means.startswith("Half-width of segments (21 levels, ")
    assert ", distribution (11 levels, width 8): " in of_means
    study = NumberStudy(Number((), 0, 10, 1, ""), 2.5)
    asked, usual = (
        number_rows(study, [Decimal(1)], 1000, None, options)[1:3]
        for options in (IntervalOptions(method=method), IntervalOptions())
    )
    assert asked[0].half_width != usual[0].half_width
    assert asked[1].half_width == usual[1].half_width
    assert "interval" not in (asked[0].interval or "")
    is_known = method == "clopper-pearson"
    assert (asked[1].interval or "").endswith(f", as {method} knows no mean of more than two outputs") != is_known


def test_a_distribution_with_a_smaller_half_width_has_less_noise_there_and_more_elsewhere() -> None:
    """What the table says of its half-width and its deviation, from the matrix of the channel alone."""

    def noise(mechanism: WindowResponse, place: float) -> float:
        """Return the variance of a report of a number in [0, 1], of which a part goes to the level above."""
        level, part = divmod(place * (mechanism.levels - 1), 1)
        columns = mechanism.channel[:, [int(level), min(int(level) + 1, mechanism.levels - 1)]]
        mean, square = ((columns @ [1 - part, part]) @ np.arange(len(columns)) ** power for power in (1, 2))
        return float(square - mean**2) / float(mechanism.mean_output[1]) ** 2

    for epsilon in ("1", "2"):
        narrow, wide = window(120, Decimal(epsilon)), window(120, Decimal(epsilon), 64)
        rows = number_rows(YEARS, [Decimal(epsilon)], 10_000, None, IntervalOptions())
        short, many = named(rows, "window"), named(rows, "distribution")
        assert short.worst_deviation < many.worst_deviation
        assert short.half_width > many.half_width
        assert noise(narrow, 0) < noise(wide, 0)
        assert noise(narrow, 0.5 - 20 / 120) > noise(wide, 0.5 - 20 / 120)
    shown = sotto("--epsilon", "1", "--minimum", "0", "--maximum", "120", "--n", "1000").stdout
    assert "Where a distribution's half-width is smaller, it has less noise there, and more elsewhere." in shown
    assert "Where a distribution" not in sotto("--epsilon", "1", "--minimum", "0", "--maximum", "1", "--n", "9").stdout


def test_a_mean_in_waves_is_planned_by_two_stages() -> None:
    once = named(number_rows(YEARS, [Decimal(1)], 1000, None, IntervalOptions()), "window")
    lasting = number_rows(YEARS, [Decimal(1)], 1000, None, IntervalOptions(), Decimal(2))[0]
    assert lasting.mechanism == "1BitMean (two stages)"
    assert lasting.worst_deviation == pytest.approx(once.worst_deviation, rel=1e-6)
    arguments = ("--epsilon", "1", "--epsilon-forever", "2", "--minimum", "0", "--maximum", "9", "--n", "99", "--json")
    assert json.loads(sotto(*arguments).stdout)["epsilon_forever"] == 2
