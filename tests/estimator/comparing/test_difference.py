"""Intervals of the difference and the ratio of two groups hold in every cell: by enumeration of all pairs of counts."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from sotto_estimator import Channel, DomainError
from sotto_estimator.channel.channel import Floats, Target
from sotto_estimator.comparing.fisher import fisher_p_value
from sotto_estimator.comparing.group import Group
from sotto_estimator.intervals.difference import difference_interval, p_above, ratio_interval

CHANNELS = [
    (Channel(0.75, 0.25), Channel(0.75, 0.25), 6, 8),
    (Channel(1, 0.4), Channel(0.6, 0), 5, 7),
    (Channel(1, 0), Channel(0.9, 0.2), 4, 7),
]
LEVEL = 0.8
_ROUNDING = 1e-9


def pmf(n: int, channel: Channel, share: float, target: Target) -> Floats:
    """Return the count's distribution: binomial of a population, of K of n people the sum of two binomials."""
    if target == "population":
        return np.asarray(stats.binom.pmf(np.arange(n + 1), n, channel.reported_share(share)))
    k = round(n * share)
    of_true = stats.binom.pmf(np.arange(k + 1), k, channel.prob_support_if_true)
    return np.convolve(of_true, stats.binom.pmf(np.arange(n - k + 1), n - k, channel.prob_support_if_other))


def shares(n: int, target: Target) -> Floats:
    return np.linspace(0, 1, (n if target == "respondents" else 12) + 1)


@pytest.mark.rare
@pytest.mark.thorough
@pytest.mark.parametrize(
    ("one", "other", "n", "m", "target"),
    [
        (*CHANNELS[0], "population"),
        *(pytest.param(*CHANNELS[at], "population", marks=pytest.mark.rare) for at in (1, 2)),
        *(pytest.param(*CHANNELS[at], "respondents", marks=pytest.mark.rare) for at in (0, 1, 2)),
    ],
)
def test_intervals_hold_whatever_the_shares_are(one: Channel, other: Channel, n: int, m: int, target: Target) -> None:
    found = {}
    for i, j in product(range(n + 1), range(m + 1)):
        groups = Group(i, n, one), Group(j, m, other)
        of_difference = difference_interval(*groups, level=LEVEL, target=target)
        found[i, j] = (of_difference, ratio_interval(*groups, level=LEVEL, target=target))
    for f, g in product(shares(n, target), shares(m, target)):
        probs = np.outer(pmf(n, one, f, target), pmf(m, other, g, target))
        ratio = g / f if f else np.inf
        within = [probs[at] for at, (of, _) in found.items() if of[0] - _ROUNDING <= g - f <= of[1] + _ROUNDING]
        assert sum(within) >= LEVEL
        if f or g:
            held = [probs[at] for at, (_, of) in found.items() if of[0] - _ROUNDING <= ratio <= of[1] + _ROUNDING]
            assert sum(held) >= LEVEL


@pytest.mark.parametrize(("one", "other", "n", "m"), CHANNELS)
def test_equal_shares_are_rejected_as_seldom_as_p_says(one: Channel, other: Channel, n: int, m: int) -> None:
    p_values = np.array([[p_above(Group(i, n, one), Group(j, m, other)) for j in range(m + 1)] for i in range(n + 1)])
    for share in shares(n, "population"):
        probs = np.outer(pmf(n, one, share, "population"), pmf(m, other, share, "population"))
        for alpha in p_values.ravel():
            assert probs[p_values <= alpha].sum() <= alpha * (1 + 1e-9)


def test_the_interval_of_large_groups_is_near_the_normal_one() -> None:
    channel, n = Channel.warner_of_epsilon(1), 100_000
    low, high = difference_interval(Group(50_000, n, channel), Group(52_000, n, channel))
    error = np.sqrt(2 * 0.25 / n) / channel.contrast
    middle = 0.02 / channel.contrast
    assert low < middle - 1.96 * error < middle + 1.96 * error < high
    assert high - low < 1.45 * 2 * 1.96 * error  # Chernoff's is sqrt(2 ln 40) / 1.96 = 1.386 times as wide


def test_a_ratio_is_within_what_two_intervals_say_of_rare_and_common_shares() -> None:
    channel = Channel(0.9, 0.1)
    low, high = ratio_interval(Group(3_000, 10_000, channel), Group(5_000, 10_000, channel))
    assert 1.7 < low < 2 < high < 2.3
    assert ratio_interval(Group(1_000, 10_000, channel), Group(5_000, 10_000, channel))[1] == np.inf
    of_few, of_none = (
        ratio_interval(Group(s, 100, channel), Group(50, 100, channel), n_intervals=k) for s, k in ((40, 1), (40, 9))
    )
    assert of_none[0] < of_few[0]


@pytest.mark.parametrize(
    ("counts", "sizes"), [((3, 9), (10, 12)), ((0, 4), (7, 9)), ((20, 20), (50, 40)), ((5, 0), (5, 6))]
)
def test_fishers_p_is_twice_the_smaller_hypergeometric_tail(counts: tuple[int, int], sizes: tuple[int, int]) -> None:
    channel = Channel(0.75, 0.25)
    found = fisher_p_value(*(Group(s, n, channel) for s, n in zip(counts, sizes, strict=True)))
    of = stats.hypergeom(sum(sizes), sum(counts), sizes[0])
    expected = min(1, 2 * min(of.cdf(counts[0]), of.sf(counts[0] - 1)))
    assert expected <= found <= expected * (1 + 1e-8)


def test_fishers_p_of_huge_groups_is_the_normal_one() -> None:
    channel, n = Channel(0.75, 0.25), 10**10
    gap = 3 * np.sqrt(n / 2)
    found = fisher_p_value(Group(n // 2, n, channel), Group(n // 2 + int(gap), n, channel))
    assert found == pytest.approx(2 * stats.norm.sf(3), rel=1e-4)


@pytest.mark.parametrize("bad", [(-1, 10), (11, 10), (1, 0)])
def test_counts_that_cannot_be_are_refused(bad: tuple[int, int]) -> None:
    with pytest.raises(DomainError):
        Group(*bad, Channel(0.75, 0.25))
