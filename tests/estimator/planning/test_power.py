"""Planned tests have the power and the level that they claim, and their n is enough and not one too many.

Of a simulation each assertion fails by chance with a probability below 1e-9: 6.2 standard errors.
"""

import math
from functools import cache
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from sotto_estimator.channel.channel import Channel, check_power
from sotto_estimator.errors import DomainError
from sotto_estimator.intervals.intervals import confidence_interval
from sotto_estimator.planning.power import Errors, PlannedTest, respondents_for_power
from sotto_estimator.planning.power_groups import MOST_ENUMERATED, GroupsTest
from sotto_estimator.planning.power_share import ShareTest

CLEAR, ONE, UNEVEN = Channel(1, 0), Channel.warner_of_epsilon(1), Channel(0.5, 0.02)
CHANNELS = [CLEAR, ONE, UNEVEN]
N_RUNS = 4000
Flags = NDArray[np.bool_]


def power_at(test: PlannedTest, n: float) -> float:
    return float(test.powers(np.array([n], np.float64))[0])


def is_rate(found: Flags, expected: float, about: float = 0.0) -> bool:
    """Whether so many were found as with this probability, or one that is `about` as large."""
    error = math.sqrt(expected * (1 - expected) / len(found))
    return abs(float(found.mean()) - expected) <= 6.2 * error + about


def rejects(n: int, null: float, errors: Errors, is_above: bool) -> list[bool]:
    """Of every count, whether the exact test rejects: one by one, by the binomial's tails."""
    upper = [stats.binom.sf(count - 1, n, null) <= errors.tail for count in range(n + 1)]
    lower = [stats.binom.cdf(count, n, null) <= errors.tail for count in range(n + 1)]
    if errors.n_sides == 2:
        return [high or low for high, low in zip(upper, lower, strict=True)]
    return upper if is_above else lower


@pytest.mark.few(6, "rare")
@pytest.mark.parametrize("sides", [1, 2])
@pytest.mark.parametrize("channel", CHANNELS)
@pytest.mark.parametrize(("null", "share"), [(0.1, 0.2), (0, 0.05), (0.5, 0.4), (1, 0.9), (0.3, 0.9)])
def test_the_power_of_a_share_is_that_of_all_counts_and_its_level_holds(
    null: float, share: float, channel: Channel, sides: int
) -> None:
    errors = Errors(0.05, sides)
    planned = ShareTest(channel, null, share, errors)
    for n in (2, 9, 40, 173):
        rejected = np.array(rejects(n, channel.reported_share(null), errors, share > null))
        counts = np.arange(n + 1)
        power = stats.binom.pmf(counts, n, channel.reported_share(share))[rejected].sum()
        assert power_at(planned, n) == pytest.approx(power, abs=1e-12)
        assert stats.binom.pmf(counts, n, channel.reported_share(null))[rejected].sum() <= 0.05 + 1e-12


@pytest.mark.few(6, "rare")
@pytest.mark.parametrize("sides", [1, 2])
@pytest.mark.parametrize("power", [0.3, 0.8, pytest.param(0.95, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("channel", CHANNELS)
@pytest.mark.parametrize(("null", "share"), [(0.1, 0.2), (0, 0.05), (0.55, 0.4)])
def test_the_respondents_of_a_share_are_those_of_a_scan_over_every_n(
    null: float, share: float, channel: Channel, power: float, sides: int
) -> None:
    planned = ShareTest(channel, null, share, Errors(0.05, sides))
    found = respondents_for_power(planned, power)
    sizes = np.arange(2, 3 * found + 500)
    assert found == max(2, 1 + max(sizes[planned.powers(sizes.astype(np.float64)) < power], default=0))


def test_a_lucky_n_is_not_taken_for_the_answer() -> None:
    planned = ShareTest(CLEAR, 0.1, 0.2, Errors(0.05, 1))
    found = respondents_for_power(planned, 0.8)
    lucky = [n for n in range(2, found) if power_at(planned, n) >= 0.8]
    assert lucky
    assert power_at(planned, found - 1) < 0.8


@pytest.mark.parametrize("channel", [ONE, UNEVEN])
@pytest.mark.parametrize(("null", "share"), [(0.1, 0.25), (0.6, 0.5)])
def test_planned_surveys_of_a_share_find_it_as_often_as_planned(null: float, share: float, channel: Channel) -> None:
    """By what an analyst does: look whether the Clopper-Pearson interval misses the null."""
    planned = ShareTest(channel, null, share)
    n = respondents_for_power(planned, 0.8)
    counts = np.random.default_rng(5).binomial(n, channel.reported_share(share), N_RUNS)
    each, at = np.unique(counts, return_inverse=True)
    low, high = confidence_interval(each, n, channel, method="clopper-pearson")
    found = ((np.asarray(low) > null) | (np.asarray(high) < null))[at]
    assert is_rate(found, power_at(planned, n))
    assert not is_rate(found, power_at(planned, 0.85 * n // 1))


@cache
def naive_rejections(n: int, errors: Errors) -> Flags:
    """Of every pair of counts whether Fisher's test rejects: towards the first, or to both sides."""
    table = np.zeros((n + 1, n + 1), np.bool_)
    for one, other in product(range(n + 1), repeat=2):
        of_sum = stats.hypergeom(2 * n, one + other, n)
        table[one, other] = of_sum.sf(one - 1) <= errors.tail
        table[one, other] |= errors.n_sides == 2 and of_sum.cdf(one) <= errors.tail
    return table


def naive_groups(n: int, first: float, second: float, errors: Errors) -> float:
    """The probability, over all pairs of counts, that Fisher's test rejects."""
    one, other = (stats.binom.pmf(np.arange(n + 1), n, share) for share in (first, second))
    return float(one @ naive_rejections(n, errors) @ other)


@pytest.mark.few(2, "rare")
@pytest.mark.parametrize("sides", [1, 2])
@pytest.mark.parametrize(("channel", "n"), [(CLEAR, 2), (CLEAR, 14), (ONE, 25), (UNEVEN, 21)])
def test_the_power_of_two_groups_is_that_of_all_pairs_of_counts(channel: Channel, n: int, sides: int) -> None:
    errors = Errors(0.05, sides)
    for share, other in ((0.9, 0.2), (0.1, 1.0), (0, 0.6)):
        high, low = (channel.reported_share(of) for of in sorted([share, other], reverse=True))
        planned = GroupsTest(channel, share, other, errors)
        assert power_at(planned, n) == pytest.approx(naive_groups(n, high, low, errors), abs=1e-9)


@pytest.mark.parametrize("n", [3, 12, 20])
def test_the_level_of_two_groups_holds_whatever_share_they_have(n: int) -> None:
    for share in np.linspace(0, 1, 21):
        assert naive_groups(n, share, share, Errors(0.05, 2)) <= 0.05


@pytest.mark.few(2, "rare")
@pytest.mark.parametrize("sides", [1, 2])
@pytest.mark.parametrize("channel", [CLEAR, Channel.warner_of_epsilon(3)])
@pytest.mark.parametrize(("share", "other"), [(0.45, 0.55), (0.2, 0.05), (0.9, 0.6)])
def test_the_respondents_of_two_groups_are_enough_and_one_fewer_are_not(
    share: float, other: float, channel: Channel, sides: int
) -> None:
    planned = GroupsTest(channel, share, other, Errors(0.05, sides))
    found = respondents_for_power(planned, 0.8)
    powers = planned.powers(np.arange(max(2, found - 1), found + 120, dtype=np.float64))
    assert powers[0] < 0.8 <= powers[1:].min()


def of_sums(n: int, first: float, second: float, tail: float) -> float:
    """The probability that the first of two rare counts is in Fisher's tail, by SciPy, one second count by one."""
    counts = np.arange(200)
    power = 0.0
    for other in range(60):
        is_found = stats.hypergeom.sf(counts - 1, 2 * n, n, counts + other) <= tail
        power += float(stats.binom.pmf(counts, n, first)[is_found].sum() * stats.binom.pmf(other, n, second))
    return power


@pytest.mark.parametrize(
    ("share", "other", "alpha", "epsilon"),
    [
        pytest.param(0, 1e-4, 0.05, None, marks=pytest.mark.rare),
        (5e-4, 2e-3, 0.05, None),
        pytest.param(0, 1e-3, 1e-3, None, marks=pytest.mark.thorough),
        pytest.param(5e-4, 2e-3, 0.05, 8, marks=pytest.mark.rare),
        pytest.param(1e-6, 1e-5, 0.01, 16, marks=pytest.mark.thorough),
    ],
)
def test_the_power_of_rare_shares_is_that_of_all_pairs_of_counts_whatever_n_is(
    share: float, other: float, alpha: float, epsilon: float | None
) -> None:
    planned = GroupsTest(
        CLEAR if epsilon is None else Channel.warner_of_epsilon(epsilon), share, other, Errors(alpha, 1)
    )
    n = respondents_for_power(planned, 0.8)
    assert n > 5_000
    high, low = planned.reported
    assert power_at(planned, n) == pytest.approx(of_sums(n, high, low, alpha), abs=1e-9)
    assert power_at(planned, n - 1) < 0.8
    assert planned.powers(np.linspace(n, 1.5 * n, 100).round()).min() >= 0.8


@pytest.mark.few(4)
@pytest.mark.parametrize("alpha", [0.05, *(pytest.param(of, marks=pytest.mark.thorough) for of in (1e-3, 1e-6)), 1e-10])
@pytest.mark.parametrize("middle", [1e-6, 1e-4, 0.01, 0.1, 0.5, 0.999])
def test_beyond_what_is_enumerated_powers_are_nearly_the_same(middle: float, alpha: float) -> None:
    """Between the last n of which all counts are added up and the next, where a test finds something and not all."""
    n = math.floor(MOST_ENUMERATED / (middle * (1 - middle)))
    for deviations in (1, 2.8, 4, 6, 8):
        half = deviations * math.sqrt(middle * (1 - middle) / n / 2)
        for sides in (1, 2):
            planned = GroupsTest(CLEAR, middle - half, middle + half, Errors(alpha, sides))
            exact, normal = planned.powers(np.array([n, n + 1.0]))
            assert normal == pytest.approx(exact, abs=4e-3)
            assert normal != exact


@pytest.mark.thorough
def test_planned_groups_are_told_apart_as_often_as_planned() -> None:
    """By SciPy's test of every pair of counts that comes up."""
    planned = GroupsTest(Channel.warner_of_epsilon(2), 0.4, 0.2)
    n = respondents_for_power(planned, 0.8)
    high, low = planned.reported
    rng = np.random.default_rng(7)
    pairs = zip(rng.binomial(n, high, N_RUNS).tolist(), rng.binomial(n, low, N_RUNS).tolist(), strict=True)
    found = np.array(
        [
            min(stats.fisher_exact([[s, n - s], [r, n - r]], side).pvalue for side in ("less", "greater")) <= 0.025
            for s, r in pairs
        ]
    )
    assert is_rate(found, power_at(planned, n))
    assert not is_rate(found, power_at(planned, 0.85 * n // 1))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Errors(0), r"alpha \(0\) must be in \(0, 1/2\)\."),
        (lambda: Errors(0.5), r"alpha \(0.5\) must be in \(0, 1/2\)\."),
        (lambda: Errors(math.nan), r"alpha \(nan\) must be in"),
        (lambda: check_power(0), r"power \(0\) must be in \(0, 1\)\."),
        (lambda: respondents_for_power(ShareTest(ONE, 0.1, 0.2), 1), r"power \(1\) must be in \(0, 1\)\."),
        (lambda: ShareTest(ONE, 0.1, 0.1), r"share \(0.1\) must differ from null \(0.1\)\."),
        (lambda: ShareTest(ONE, -0.1, 0.1), r"share \(-0.1\) must be in \[0, 1\]\."),
        (lambda: GroupsTest(ONE, 0.1, 0.1), r"other_share \(0.1\) must differ from share \(0.1\)\."),
        (lambda: GroupsTest(ONE, 0.1, 1.1), r"share \(1.1\) must be in \[0, 1\]\."),
        (
            lambda: respondents_for_power(ShareTest(ONE, 0.1, 0.1 + 1e-7), 0.8),
            r"power \(0.8\) cannot be reached with 10\^9 respondents",
        ),
    ],
)
def test_an_impossible_test_is_refused_by_name_and_domain(make, message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(DomainError, match=message):
        make()
