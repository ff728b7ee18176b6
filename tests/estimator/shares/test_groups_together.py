"""Intervals of groups beside one another: with --simultaneous those of all groups hold together, and are said to."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from sotto_estimator import IntervalOptions, read_data
from sotto_estimator.designs.design import Arm
from sotto_estimator.designs.spec import read_design
from sotto_estimator.microdata.microdata import Data
from sotto_estimator.microdata.reading import SamplingColumns
from sotto_estimator.shares.of_arms import estimate_arms

TOGETHER = IntervalOptions(simultaneous=True)
SHARE = 0.2
N_GROUPS = 20
KARY = "k-ary(n_answers=3, prob_truth=1/2)"


def people(n_groups: int, n_each: int, seed: int, n_answers: int = 2) -> pd.DataFrame:
    """Return people who were asked crosswise(1/6), a fifth of whom have it; and a report of several answers."""
    rng = np.random.default_rng(seed)
    n = n_groups * n_each
    has, innocuous = rng.random(n) < SHARE, rng.random(n) < 1 / 6
    return pd.DataFrame(
        {
            "region": np.repeat([f"r{place:02}" for place in range(n_groups)], n_each),
            "half": np.tile(["a", "b"], n // 2),
            "weight": 1 + np.arange(n) % 3,
            "cheated": np.where(has == innocuous, "same", "different"),
            "often": rng.integers(n_answers, size=n).astype(str),
        }
    )


def by_region(table: pd.DataFrame, kind: str) -> Data:
    if kind == "several arms":
        return read_data(
            table, "cheated", {"a": "crosswise(prob=1/6)", "b": "crosswise(prob=1/5)"}, arm="half", by="region"
        )
    sampling = SamplingColumns(weights="weight") if kind == "weights" else None
    if kind == "categories":
        return read_data(table, "often", KARY, reports=("0", "1", "2"), by="region")
    return read_data(table, "cheated", "crosswise(prob=1/6)", by="region", sampling=sampling)


@pytest.mark.parametrize("kind", ["one design", "several arms", "weights", "categories"])
def test_intervals_of_all_groups_are_those_of_a_share_of_the_error(kind: str) -> None:
    data = by_region(people(4, 300, 1, 3), kind)
    together = data.estimate_groups(TOGETHER)
    n_answers = len(together.estimates[0].rows)
    alone = data.estimate_groups(IntervalOptions(level=1 - 0.05 / (4 * n_answers)))
    for one, other in zip(together.estimates, alone.estimates, strict=True):
        assert [(row.low, row.high) for row in one.rows] == [
            (pytest.approx(row.low), pytest.approx(row.high)) for row in other.rows
        ]


def test_what_is_printed_says_over_what_intervals_hold_together() -> None:
    data = by_region(people(4, 50, 1), "one design")
    assert "about the population, all valid together over every region\n" in data.estimate_groups(TOGETHER).as_table()
    assert "about the population, each valid on its own, in each region\n" in data.estimate_groups().as_table()


def family_wise_miss(options: IntervalOptions) -> float:
    """Return how likely some interval of twenty groups misses, of 100 people each, by enumeration of their counts."""
    design, n = read_design("crosswise(prob=1/6)"), 100
    counts = np.arange(n + 1)
    probs = stats.binom.pmf(counts, n, float(design.matrix[0] @ [SHARE, 1 - SHARE]))  # of the first report
    miss = 0.0
    for count in counts[probs > 1e-6].tolist():
        (row,) = estimate_arms([Arm(design, np.array([count, n - count]))], options, n_groups=N_GROUPS).rows
        miss += probs[count] * (not row.low <= SHARE <= row.high)
    return 1 - float((1 - miss) ** N_GROUPS)


@pytest.mark.rare
@pytest.mark.thorough
def test_of_twenty_groups_some_interval_misses_in_one_of_twenty_surveys_at_most() -> None:
    exact = IntervalOptions(method="clopper-pearson")
    assert 0.01 < family_wise_miss(replace(exact, simultaneous=True)) <= 0.05
    assert family_wise_miss(exact) > 0.4  # each by itself
