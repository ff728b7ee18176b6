"""Intervals of sums over reports: against an enumeration of all sums, and where they are counts against Chernoff's."""

from decimal import Decimal

import numpy as np
import pytest
from numpy.typing import NDArray

from sotto_estimator.channel.channel import Channel, Target
from sotto_estimator.channel.sums import SumGroup, sum_error, sum_share
from sotto_estimator.intervals.intervals import share_bounds
from sotto_estimator.intervals.sums import sum_bounds
from sotto_protocol.mechanisms.kary import k_ary
from sotto_protocol.mechanisms.mechanism import ChoiceMechanism
from sotto_protocol.mechanisms.subset import subset
from sotto_protocol.mechanisms.unary import optimised_unary

MECHANISMS = [
    k_ary(6, Decimal(1)),
    subset(6, Decimal("0.5"), 2),
    subset(4, Decimal("0.5"), 2),
    optimised_unary(4, Decimal(1)),
]
N = 12


def chances_of_sum(chances: list[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Return how likely each sum is of independent numbers, whose chances are given."""
    found = np.array([1.0])
    for one in chances:
        found = np.convolve(found, one)
    return found


@pytest.mark.parametrize("target", ["population", "respondents"])
@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda of: f"{of.name}-{of.n_values}")
def test_intervals_cover_every_share_as_often_as_they_say(mechanism: ChoiceMechanism, target: Target) -> None:
    """All sums of twelve reports are enumerated: no share is missed more often than the tails allow."""
    if_true, if_other = mechanism.union_chances(2) or ([], [])
    group, tail = SumGroup(N, 1, np.array(if_true), np.array(if_other)), 0.05
    sums = np.arange(N * (len(if_true) - 1) + 1)
    ends = np.array([sum_bounds(float(total), [group], target, tail) for total in sums])
    for n_true in range(N + 1):
        share = n_true / N
        if target == "respondents":
            chances = chances_of_sum([group.if_true] * n_true + [group.if_other] * (N - n_true))
        else:
            chances = chances_of_sum([share * group.if_true + (1 - share) * group.if_other] * N)
        assert chances[ends[:, 0] > share].sum() <= tail
        assert chances[ends[:, 1] < share].sum() <= tail
        mean, variance = chances @ sums, chances @ sums**2 - (chances @ sums) ** 2
        assert sum_share(mean, [group]) == pytest.approx(share, abs=1e-12)
        contrast = N * (group.means[0] - group.means[1])
        assert sum_error(share, [group], target) == pytest.approx(np.sqrt(variance) / contrast, rel=1e-9)


def test_a_sum_of_single_counts_has_the_interval_of_a_count() -> None:
    if_true, if_other = k_ary(4, Decimal(1)).union_chances(2)
    channel = Channel(if_true[1], if_other[1])
    for n, count in [(50, 25), (1000, 450), (100_000, 61_000)]:
        known = share_bounds(count, n, channel, level=0.95, method="chernoff", target="population")
        found = sum_bounds(count, [SumGroup(n, 1, if_true, if_other)], "population", 0.025)
        assert found == pytest.approx([min(max(float(end), 0), 1) for end in known], abs=1e-6)
        assert found[0] <= max(known[0], 0) + 1e-9
        assert found[1] >= min(known[1], 1) - 1e-9


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda of: f"{of.name}-{of.n_values}")
@pytest.mark.parametrize("size", [1, 2, 3])
def test_chances_of_a_union_are_those_of_all_reports(mechanism: ChoiceMechanism, size: int) -> None:
    """The mean and the pairs are known otherwise: of the support of one value, and of two."""
    if_true, if_other = mechanism.union_chances(size) or ([], [])
    true, other = mechanism.prob_support_if_true, mechanism.prob_support_if_other
    both_if_one, both_if_none = mechanism.prob_support_both or (0, 0)
    values = np.arange(len(if_true))
    assert np.sum(if_true) == pytest.approx(1)
    assert np.sum(if_other) == pytest.approx(1)
    assert values @ if_true == pytest.approx(true + (size - 1) * other)
    assert values @ if_other == pytest.approx(size * other)
    pairs = values * (values - 1)
    n_others = (size - 1) * (size - 2)
    assert pairs @ if_true == pytest.approx(2 * (size - 1) * both_if_one + n_others * both_if_none)
    assert pairs @ if_other == pytest.approx(size * (size - 1) * both_if_none)


def test_groups_of_different_weight_are_covered_by_the_worst_respondents() -> None:
    """Two joint questions of different size: who says yes may be in either, and every split is covered."""
    first, second = (of.union_chances(n) for of, n in [(k_ary(4, Decimal(1)), 2), (k_ary(6, Decimal(1)), 3)])
    groups, tail = [SumGroup(3, 1, *first), SumGroup(3, 1.5, *second)], 0.05
    sums = {(i, j): i + 1.5 * j for i in range(4) for j in range(4)}
    ends = {key: sum_bounds(total, groups, "respondents", tail) for key, total in sums.items()}
    for in_first in range(4):
        for in_second in range(4):
            share = (in_first + in_second) / 6
            left = chances_of_sum([first[0]] * in_first + [first[1]] * (3 - in_first))
            right = chances_of_sum([second[0]] * in_second + [second[1]] * (3 - in_second))
            missed = [sum(left[i] * right[j] for (i, j), end in ends.items() if side(end, share)) for side in SIDES]
            assert max(missed) <= tail


SIDES = (lambda end, share: end[0] > share, lambda end, share: end[1] < share)
