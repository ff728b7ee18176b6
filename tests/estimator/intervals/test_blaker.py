"""Blaker's intervals are those of a naive search, lie within Clopper and Pearson's, and are nested."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray
from scipy import stats

from dear import DEAR
from sotto_estimator.channel.channel import TARGETS, Channel, Target
from sotto_estimator.intervals.intervals import confidence_interval

LEVELS = (0.3, 0.8, 0.95, 0.99)
CHANNELS = (Channel(0.75, 0.25), Channel(0.5, 0.1), Channel(0.9, 0.02), Channel(1, 0))


def acceptability(pmf: NDArray[np.float64], s: int) -> float:
    """Return P(a count at least as extreme as s), naively: the smaller tail, and what of the other is no larger."""
    above, below = pmf[s:].sum(), pmf[: s + 1].sum()
    if above <= below:
        others = [pmf[: c + 1].sum() for c in range(s)]
        tail = above
    else:
        others = [pmf[c:].sum() for c in range(s + 1, pmf.size)]
        tail = below
    return float(min(1.0, tail + max((other for other in others if other <= tail * (1 + 1e-12)), default=0.0)))


def pmf_of_people(k: int, n: int, channel: Channel) -> NDArray[np.float64]:
    of_true = stats.binom.pmf(np.arange(k + 1), k, channel.prob_support_if_true)
    of_other = stats.binom.pmf(np.arange(n - k + 1), n - k, channel.prob_support_if_other)
    return np.asarray(np.convolve(of_true, of_other))


@pytest.mark.few(4, "rare")
@pytest.mark.parametrize("channel", CHANNELS)
@pytest.mark.parametrize("n", [1, 2, 7, 23])
def test_about_the_respondents_it_is_the_hull_of_all_that_are_accepted(channel: Channel, n: int) -> None:
    """By the naive acceptability of every count for every number of people."""
    accepted = np.array([[acceptability(pmf_of_people(k, n, channel), s) for s in range(n + 1)] for k in range(n + 1)])
    expecting = [(s - n * channel.prob_support_if_other) / channel.contrast for s in range(n + 1)]
    for level in LEVELS:
        low, high = confidence_interval(
            np.arange(n + 1), n, channel, level=level, method="blaker", target="respondents"
        )
        for s in range(n + 1):
            if 0 <= expecting[s] <= n:
                people = np.flatnonzero(accepted[:, s] > (1 - level) * (1 + 1e-7))
                ends = (low[s] * n, high[s] * n)
                assert ends == pytest.approx((people.min(), people.max()), abs=1e-6), (s, level)


@pytest.mark.parametrize("n", [1, 2, 9, pytest.param(17, marks=pytest.mark.thorough)])
def test_about_the_population_it_is_the_hull_of_all_that_are_accepted(n: int) -> None:
    """By the naive acceptability of every count on a fine grid of shares, and close to both ends."""
    grid = np.linspace(0, 1, 601)
    found = np.array([[acceptability(stats.binom.pmf(np.arange(n + 1), n, x), s) for s in range(n + 1)] for x in grid])
    for level in LEVELS:
        low, high = confidence_interval(np.arange(n + 1), n, Channel(1, 0), level=level, method="blaker")
        for s in range(n + 1):
            shares = grid[found[:, s] > 1 - level + 1e-9]
            assert low[s] <= shares.min() <= low[s] + 2 / 600
            assert high[s] - 2 / 600 <= shares.max() <= high[s]
            for end, is_edge, step in ((low[s], s == 0, 1e-6), (high[s], s == n, -1e-6)):
                if not is_edge:  # just inside it is accepted: nothing is wasted
                    pmf = stats.binom.pmf(np.arange(n + 1), n, end + step)
                    assert acceptability(pmf, s) >= 1 - level - 1e-5


@pytest.mark.thorough
@pytest.mark.parametrize("target", TARGETS)
@DEAR
@given(n=st.integers(1, 10**6), part=st.floats(0, 1), level=st.sampled_from([0.5, 0.9, 0.95, 0.999]))
def test_it_lies_within_clopper_and_pearsons_and_levels_are_nested(
    target: Target, n: int, part: float, level: float
) -> None:
    """A share that is accepted at a level is so at each higher one: Blaker's theorem 2, and what others lack."""
    s, channel, tiny = round(part * n), Channel(0.7, 0.2), 1e-12
    low, high = confidence_interval(s, n, channel, level=level, method="blaker", target=target)
    outer = confidence_interval(s, n, channel, level=level, method="clopper-pearson", target=target)
    wider = confidence_interval(s, n, channel, level=(1 + level) / 2, method="blaker", target=target)
    assert outer.low - tiny <= low <= high <= outer.high + tiny
    assert wider.low - tiny <= low <= high <= wider.high + tiny


def test_it_is_narrower_where_counts_are_few() -> None:
    low, high = confidence_interval(6, 10, Channel(1, 0), method="blaker")
    clopper = confidence_interval(6, 10, Channel(1, 0), method="clopper-pearson")
    assert high - low < 0.95 * (clopper.high - clopper.low)


@pytest.mark.parametrize("target", TARGETS)
def test_ends_of_a_billion_reports_are_found(target: Target) -> None:
    n, channel = 10**9, Channel(0.75, 0.25)
    counts = np.array([0, 1, 10, 250_010_000, 500_000_000, n - 3, n])
    low, high = confidence_interval(counts, n, channel, method="blaker", target=target)
    outer = confidence_interval(counts, n, channel, method="clopper-pearson", target=target)
    assert (outer.low <= low + 1e-15).all()
    assert (high <= outer.high + 1e-15).all()
    assert (high - low)[3:5] == pytest.approx((outer.high - outer.low)[3:5], rel=1e-3)
