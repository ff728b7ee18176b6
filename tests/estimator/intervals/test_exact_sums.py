"""Exact intervals of sums: those of sums' distributions that are listed, and they cover every share and every K."""

from decimal import Decimal
from functools import reduce

import numpy as np
import pytest
from scipy import optimize

from sotto_estimator.channel.sums import SumGroup
from sotto_estimator.intervals.exact_sums import exact_bounds, exact_sum_bounds
from sotto_estimator.intervals.sums import sum_bounds
from sotto_protocol.mechanisms.subset import subset
from sotto_protocol.mechanisms.unary import optimised_unary

SUMS = [
    subset(4, Decimal(1), 2).union_chances(2),
    subset(8, Decimal(2), 3).union_chances(4),
    optimised_unary(4, Decimal("0.5")).union_chances(2),
]


def law(*kinds: tuple[int, np.ndarray]) -> np.ndarray:
    """The probabilities of a sum, one report after the other."""
    return reduce(np.convolve, [chances for number, chances in kinds for _ in range(number)], np.ones(1))


def share_where(tail_of: "object", tail: float) -> float:
    return float(optimize.brentq(lambda share: tail_of(share) - tail, 0, 1, xtol=1e-13))  # type: ignore[operator]


@pytest.mark.parametrize("chances", SUMS)
@pytest.mark.parametrize(("n", "tail"), [(1, 0.025), (7, 0.025), (30, 0.0005)])
def test_ends_are_where_a_tail_of_the_listed_distribution_is_half_of_what_may_be_missed(
    chances: tuple[np.ndarray, np.ndarray], n: int, tail: float
) -> None:
    true, other = chances
    group = SumGroup(n, 1, true, other)
    for total in range(0, n * (len(true) - 1) + 1, 1 + n // 4):

        def above(share: float, total: int = total) -> float:
            return float(law((n, share * true + (1 - share) * other))[total:].sum())

        def below(share: float, total: int = total) -> float:
            return float(law((n, share * true + (1 - share) * other))[: total + 1].sum())

        low = 0 if above(0) > tail else 1 if above(1) <= tail else share_where(above, tail)
        high = 1 if below(1) > tail else 0 if below(0) <= tail else share_where(below, tail)
        found = exact_sum_bounds(total, group, "population", tail)
        assert found == pytest.approx((low, high), abs=1e-8)
        assert found is not None
        wide = sum_bounds(total, [group], "population", tail)
        assert wide[0] <= found[0] + 1e-9
        assert found[1] <= wide[1] + 1e-9


@pytest.mark.parametrize("chances", SUMS)
@pytest.mark.parametrize("n", [1, 6, pytest.param(25, marks=pytest.mark.thorough)])
def test_every_share_and_every_number_of_people_is_covered(chances: tuple[np.ndarray, np.ndarray], n: int) -> None:
    """By enumeration of all sums: each end misses at most half of what an interval may."""
    true, other = chances
    group, tail = SumGroup(n, 1, true, other), 0.05
    totals = range(n * (len(true) - 1) + 1)
    laws = {
        "population": [(share, law((n, share * true + (1 - share) * other))) for share in np.linspace(0, 1, 41)],
        "respondents": [(k / n, law((k, true), (n - k, other))) for k in range(n + 1)],
    }
    for target in ("population", "respondents"):
        ends = np.array([exact_sum_bounds(total, group, target, tail) for total in totals])
        for share, probs in laws[target]:
            assert probs[ends[:, 0] > share + 1e-12].sum() <= tail + 1e-12
            assert probs[ends[:, 1] < share - 1e-12].sum() <= tail + 1e-12


def test_of_these_people_no_fewer_and_no_more_are_possible() -> None:
    true, other = SUMS[0]
    group = SumGroup(12, 1, true, other)
    for total in range(25):
        allowed = [k for k in range(13) if law((k, true), (12 - k, other))[total:].sum() > 0.025]
        above = [k for k in range(13) if law((k, true), (12 - k, other))[: total + 1].sum() > 0.025]
        found = exact_sum_bounds(total, group, "respondents", 0.025)
        assert found == pytest.approx((min(allowed, default=13) / 12, max(above, default=-1) / 12))


def test_sums_of_several_kinds_and_too_wide_ones_have_none() -> None:
    true, other = SUMS[0]
    one, many = SumGroup(10, 0.5, true, other), SumGroup(10**10, 1, true, other)
    assert exact_bounds(3.5, [one], "clopper-pearson", "population", 0.025) == exact_sum_bounds(
        7, SumGroup(10, 1, true, other), "population", 0.025
    )
    assert exact_bounds(3.5, [one, one], "clopper-pearson", "population", 0.025) is None
    assert exact_bounds(3.5, [one], "chernoff", "population", 0.025) is None
    assert exact_sum_bounds(10**10, many, "population", 0.025) is None
