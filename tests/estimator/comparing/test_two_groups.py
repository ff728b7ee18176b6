"""The test of two groups may be looked at after every report: by enumeration of all paths, and by simulated peeking."""

import math
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy import stats

from confidence_sequences import running_mean
from peeking import false_positives
from sotto_estimator import Channel, DomainError, confidence_interval
from sotto_estimator.channel.channel import Target
from sotto_estimator.comparing.group import Group
from sotto_estimator.comparing.two_groups import (
    _TILTS,
    _WEIGHTS,
    anytime_difference,
    anytime_p_value,
)

NOISE = Channel.warner_of_epsilon(1)
OTHER = Channel(0.5, 0.1)
BIT = Channel(1, 0)
PEOPLE = 10
"""Of each group, in the enumeration."""


p_value = cache(anytime_p_value)
"""Of each pair of counts once: all paths lead through the same ones."""


def prob_of_a_rejection(means: tuple[float, float], turns: list[int], alpha: float, channels: list[Channel]) -> float:
    """Return the probability that the P-value is ever alpha or less, exactly; `turns`: whose report is next."""
    alive = np.ones((1, 1))
    rejected = 0.0
    for n in range(1, len(turns) + 1):
        group = turns[n - 1]
        edge = [(0, 0), (0, 0)]
        stay, move = edge.copy(), edge.copy()
        stay[group], move[group] = (0, 1), (1, 0)
        alive = np.pad(alive * (1 - means[group]), stay) + np.pad(alive * means[group], move)
        sizes = [turns[:n].count(0), turns[:n].count(1)]
        if min(sizes) == 0:
            continue
        for counts in np.argwhere(alive > 0):
            groups = [Group(int(s), size, of) for s, size, of in zip(counts, sizes, channels, strict=True)]
            if p_value(*groups) <= alpha:
                rejected += float(alive[tuple(counts)])
                alive[tuple(counts)] = 0
    assert alive.sum() + rejected == pytest.approx(1)
    return rejected


TURNS = {
    "in turns": [0, 1] * PEOPLE,
    "one after the other": [0] * PEOPLE + [1] * PEOPLE,
    "one of three": [0, 1, 1] * (2 * PEOPLE // 3),
}


@pytest.mark.rare
@pytest.mark.thorough
@pytest.mark.parametrize("turns", TURNS)
@pytest.mark.parametrize("alpha", [0.5, 0.1])
def test_groups_that_are_alike_are_ever_told_apart_with_at_most_alpha(alpha: float, turns: str) -> None:
    for share in (0.1, 0.5):
        assert prob_of_a_rejection((share, share), TURNS[turns], alpha, [BIT, BIT]) <= alpha


@pytest.mark.thorough
def test_the_same_enumeration_finds_groups_that_differ() -> None:
    assert prob_of_a_rejection((0.05, 0.95), TURNS["in turns"], 0.1, [BIT, BIT]) > 0.9


def naive_least(first: Group, second: Group, difference: float, target: Target) -> float:
    """Return the least wealth on a fine grid of shares, as it is defined, without a logarithm of a sum."""

    def moment(group: Group, share: float, tilt: float) -> float:
        a, b = group.channel.prob_support_if_true, group.channel.prob_support_if_other
        if_true, if_other = 1 - a + a * math.exp(tilt), 1 - b + b * math.exp(tilt)
        if target == "respondents":
            return float(if_true ** (group.n * share) * if_other ** (group.n * (1 - share)))
        return float((share * if_true + (1 - share) * if_other) ** group.n)

    def wealth(share: float) -> float:
        of_first = [math.exp(-h * first.support_count) / moment(first, share, -h) for h in _TILTS]
        of_second = [math.exp(h * second.support_count) / moment(second, share + difference, h) for h in _TILTS]
        return float(np.array(of_first) @ _WEIGHTS @ np.array(of_second))

    return min(wealth(share) for share in np.linspace(max(0, -difference), min(1, 1 - difference), 2001))


@pytest.mark.parametrize("target", ["population", pytest.param("respondents", marks=pytest.mark.thorough)])
def test_the_ends_are_where_the_naive_wealth_is_one_in_tail(target: Target) -> None:
    first, second = Group(30, 80, NOISE), Group(14, 60, OTHER)
    found = anytime_difference(first, second, target=target)
    assert naive_least(first, second, found.low, target) == pytest.approx(40, rel=1e-4)
    assert naive_least(second, first, -found.high, target) == pytest.approx(40, rel=1e-4)
    most = max(naive_least(first, second, 0, target), naive_least(second, first, 0, target))
    assert found.p_value == pytest.approx(min(1, 2 / most), rel=1e-4)
    assert _WEIGHTS.sum() == pytest.approx(1)


@pytest.mark.few(2, "rare")
@pytest.mark.parametrize("counts", [(0, 100), (100, 0), (50, 50), (40, 75), (10, 90), (30, 52)])
def test_the_p_value_is_small_just_where_the_interval_has_no_0(counts: tuple[int, int]) -> None:
    for level in (0.9, 0.95):
        found = anytime_difference(Group(counts[0], 100, NOISE), Group(counts[1], 100, NOISE), level=level)
        assert (found.low > 0 or found.high < 0) == (found.p_value <= 1 - level)
        assert -1 <= found.low <= found.high <= 1


def test_the_other_way_round_it_is_the_negative() -> None:
    first, second = Group(30, 80, NOISE), Group(14, 60, OTHER)
    found, turned = anytime_difference(first, second), anytime_difference(second, first)
    assert (found.difference, found.low, found.high) == (-turned.difference, -turned.high, -turned.low)
    assert found.p_value == turned.p_value


def test_it_is_narrower_than_the_two_groups_sequences_at_half_the_budget() -> None:
    """By 30 % where groups are of like size; what docs/anytime.md says."""
    for n in (500, 5_000, 50_000):
        groups = [Group(round(n * NOISE.reported_share(share)), n, NOISE) for share in (0.2, 0.3)]
        each = [confidence_interval(of.support_count, n, NOISE, method="anytime", level=0.975) for of in groups]
        ours = anytime_difference(*groups)
        theirs = sum(float(of.high - of.low) for of in each)
        assert (ours.high - ours.low) / theirs == pytest.approx(0.7, abs=0.03)
        assert ours.low < ours.difference < ours.high


def test_it_is_narrower_than_the_private_experiment_of_the_paper_tuned_to_this_very_n() -> None:
    """Waudby-Smith, Wu & Ramdas 2023, section 4: outcomes weighted by 1/2 lie in [-2, 2], which is made [0, 1]."""
    n = 5_000
    groups = [Group(round(n * NOISE.reported_share(share)), n, NOISE) for share in (0.2, 0.3)]
    ours = anytime_difference(*groups)
    low, high = running_mean(n, 2 * n, 0.05, 2 * n)
    assert (ours.high - ours.low) / (4 * (high - low) / NOISE.contrast) == pytest.approx(0.6, abs=0.02)


@pytest.mark.thorough
def test_who_looks_daily_is_not_fooled_though_a_z_test_is() -> None:
    """30 days. A test of 5 % rejects in more of 2,000 experiments than allowed here with a probability below 1e-9."""
    n = 2000
    by_z, ours = false_positives(n, 30, 100, 0.3, NOISE, np.random.default_rng(2))
    assert by_z == pytest.approx(0.28, abs=0.06)
    assert ours <= stats.binom.isf(1e-9, n, 0.05) / n


@pytest.mark.parametrize(
    ("counts", "options", "message"),
    [
        ((11, 10), {}, r"support_counts \(11\) must be in \[0, n\] \(n = 10\)\."),
        ((0, 0), {}, r"n \(0\) must be an integer in \[1, 10\^12\]\."),
        ((1, 10), {"level": 95}, r"level \(95\) must be in \(0, 1\)\."),
        ((1, 10), {"target": "all"}, r"target \('all'\) must be one of"),
    ],
)
def test_an_impossible_group_or_option_is_refused_by_name(
    counts: tuple[int, int], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(DomainError, match=message):
        anytime_difference(Group(*counts, NOISE), Group(5, 10, NOISE), **options)
