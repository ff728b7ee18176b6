"""Intervals cover the truth at least as often as they say: by enumerating every count, not by simulation."""

import itertools
import math
from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from sotto_estimator.channel.channel import TARGETS, Channel, Target
from sotto_estimator.intervals.intervals import confidence_interval
from sotto_estimator.intervals.methods import METHODS

GUARANTEED = [name for name, method in METHODS.items() if method.is_guaranteed]
SIZES = (1, 5, 30, 100)
LARGE = 300
"""Of one epsilon alone: all counts of all three channels take as long as everything smaller."""
SHARES = (0, 0.02, 0.3, 0.5, 0.98, 1)
EPSILONS = (0.1, 0.5, math.log(3), 2, 4)
N_OPTIONS = 6

CHANNELS = {
    "warner": Channel.warner_of_epsilon,
    "optimised unary": lambda epsilon: Channel(0.5, 1 / (math.exp(epsilon) + 1)),
    "k-ary": lambda epsilon: Channel(
        math.exp(epsilon) / (math.exp(epsilon) + N_OPTIONS - 1), 1 / (math.exp(epsilon) + N_OPTIONS - 1)
    ),
}

ROUNDING = 1e-12
"""Of the sums of probabilities here, not of the intervals."""


def truth_and_pmf(n: int, channel: Channel, share: float, target: Target) -> tuple[float, NDArray[np.float64]]:
    """Return what the interval should cover, and the exact distribution of the support count."""
    true, other = channel.prob_support_if_true, channel.prob_support_if_other
    if target == "population":
        return share, stats.binom.pmf(np.arange(n + 1), n, other + share * (true - other))
    n_true = round(share * n)
    of_true = stats.binom.pmf(np.arange(n_true + 1), n_true, true)
    of_other = stats.binom.pmf(np.arange(n - n_true + 1), n - n_true, other)
    return n_true / n, np.convolve(of_true, of_other)


def coverages(
    n: int, channel: Channel, shares: tuple[float, ...], target: Target, method: str, level: float
) -> list[float]:
    low, high = confidence_interval(np.arange(n + 1), n, channel, level=level, method=method, target=target)
    found = []
    for share in shares:
        truth, pmf = truth_and_pmf(n, channel, share, target)
        assert pmf.sum() == pytest.approx(1, abs=ROUNDING)
        found.append(float(pmf[(low <= truth) & (truth <= high)].sum()))
    return found


def grid() -> Iterator[tuple[int, Channel]]:
    for n, epsilon, make in itertools.product(SIZES, EPSILONS, CHANNELS.values()):
        yield n, make(epsilon)
    for make in CHANNELS.values():
        yield LARGE, make(math.log(3))


@pytest.mark.few(3)
@pytest.mark.parametrize("level", [0.95, pytest.param(0.999, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("method", GUARANTEED)
def test_a_guaranteed_interval_covers_at_least_its_level_everywhere(method: str, target: Target, level: float) -> None:
    for n, channel in grid():
        for share, coverage in zip(SHARES, coverages(n, channel, SHARES, target, method, level), strict=True):
            assert coverage >= level - ROUNDING, (n, channel, share)


@pytest.mark.few(12)
@pytest.mark.parametrize("level", [0.5, 0.8, 0.95])
@pytest.mark.parametrize("n", [1, 2, 12, 30])
@pytest.mark.parametrize("method", GUARANTEED)
def test_every_composition_of_a_small_group_is_covered(method: str, n: int, level: float) -> None:
    every_share = tuple(n_true / n for n_true in range(n + 1))
    for make in CHANNELS.values():
        for epsilon in (0.5, 2, 8):
            assert min(coverages(n, make(epsilon), every_share, "respondents", method, level)) >= level - ROUNDING


@pytest.mark.few(2)
@pytest.mark.parametrize("method", GUARANTEED)
def test_a_fine_grid_of_population_shares_is_covered(method: str) -> None:
    shares = tuple(np.linspace(0, 1, 401))
    for channel in (Channel.warner(0.75), Channel(1, 0), Channel(0.5, 0.01), Channel(1, 0.3)):
        for n in (3, 40):
            assert min(coverages(n, channel, shares, "population", method, 0.95)) >= 0.95 - ROUNDING


@pytest.mark.parametrize("target", TARGETS)
def test_the_exact_interval_wastes_little_of_its_level(target: Target) -> None:
    found = [
        coverage
        for epsilon in EPSILONS
        for coverage in coverages(300, Channel.warner_of_epsilon(epsilon), (0.3, 0.5), target, "clopper-pearson", 0.95)
    ]
    assert min(found) < 0.957


@pytest.mark.few(2, "rare")
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    ("method", "level"),
    [
        ("wilson", 0.95),  # an approximation
        ("clopper-pearson", 0.94),  # exact, but of a lower level
        ("chernoff", 0.8),
    ],
)
def test_the_same_enumeration_finds_a_method_that_covers_too_little(method: str, level: float, target: Target) -> None:
    found = [min(coverages(n, channel, SHARES, target, method, level)) for n, channel in grid()]
    assert min(found) < 0.95 - ROUNDING


def test_an_interval_that_ends_a_rounding_error_too_early_loses_the_edge() -> None:
    # At share 0 and count 0 the ends are 0 exactly; this shows why nothing may be lost there.
    low, high = confidence_interval(np.arange(31), 30, Channel(1, 0))
    assert low[0] == 0
    assert high[-1] == 1
    truth, pmf = truth_and_pmf(30, Channel(1, 0), 0, "population")
    assert pmf[(np.nextafter(low, 1) <= truth) & (truth <= high)].sum() == 0
