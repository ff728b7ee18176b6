"""Intervals about the people who answered: against every composition of a group, by brute force."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray
from scipy import stats

from dear import DEAR
from sotto_estimator.channel.channel import Channel
from sotto_estimator.intervals.intervals import confidence_interval
from sotto_estimator.intervals.respondents import chernoff_counts, exact_counts, score_counts

CHANNELS = [
    Channel.warner(0.6),
    Channel.warner(0.9),
    Channel(0.5, 0.02),
    Channel(0.3, 0.1),
    Channel(0.5, 0),
    Channel(1, 0.4),
    Channel(1, 0),
]


def exact_pmf(n: int, n_true: int, channel: Channel) -> list[Fraction]:
    """Return the distribution of the support count by adding one person after another, exactly."""
    true, other = Fraction(channel.prob_support_if_true), Fraction(channel.prob_support_if_other)
    pmf = [Fraction(1)]
    for prob in [true] * n_true + [other] * (n - n_true):
        stays, moves = [*(p * (1 - prob) for p in pmf), 0], [0, *(p * prob for p in pmf)]
        pmf = [Fraction(stay + move) for stay, move in zip(stays, moves, strict=True)]
    return pmf


def tails(n: int, channel: Channel) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return P(S >= s) and P(S <= s), shape (n_true, s), from exact fractions."""
    pmfs = [exact_pmf(n, n_true, channel) for n_true in range(n + 1)]
    upper = [[float(sum(pmf[s:])) for s in range(n + 1)] for pmf in pmfs]
    lower = [[float(sum(pmf[: s + 1])) for s in range(n + 1)] for pmf in pmfs]
    return np.array(upper), np.array(lower)


def counts_of(n: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    return np.arange(n + 1, dtype=float), np.full(n + 1, float(n))


def without_crossing(fewest: int, most: int) -> tuple[int, int]:
    """Return both ends; where no number is allowed at an edge, both are beyond it."""
    return (-1, -1) if most < 0 else (fewest, max(fewest, most))


@pytest.mark.few(16)
@pytest.mark.parametrize("tail", [0.2, 0.025, 1e-6])
@pytest.mark.parametrize("channel", CHANNELS)
@pytest.mark.parametrize("n", [1, 2, 13])
def test_the_exact_bounds_are_those_of_a_scan_over_every_composition(n: int, channel: Channel, tail: float) -> None:
    upper, lower = tails(n, channel)
    low, high = exact_counts(*counts_of(n), channel, tail)
    for s in range(n + 1):
        fewest = min((k for k in range(n + 1) if upper[k, s] > tail), default=n + 1)
        most = max((k for k in range(n + 1) if lower[k, s] > tail), default=-1)
        assert (low[s], high[s]) == without_crossing(fewest, most)


def larger_exact_bounds(s: int, n: int, channel: Channel, tail: float) -> tuple[int, int]:
    """Scan every composition by direct convolution of SciPy's two binomials."""
    true, other = channel.prob_support_if_true, channel.prob_support_if_other
    allowed = []
    for n_true in range(n + 1):
        i = np.arange(n_true + 1)
        pmf = stats.binom.pmf(i, n_true, true)
        at_least = pmf @ stats.binom.sf(s - i - 1, n - n_true, other)
        at_most = pmf @ stats.binom.cdf(s - i, n - n_true, other)
        if min(at_least, at_most) > tail:
            allowed.append(n_true)
    return min(allowed), max(allowed)


@pytest.mark.few(2, "rare")
@pytest.mark.parametrize("tail", [0.025, pytest.param(1e-9, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("channel", CHANNELS[:5])
@pytest.mark.parametrize("share", [0.05, 0.6])
def test_the_exact_bounds_of_400_people_are_those_of_a_scan_by_convolution(
    channel: Channel, share: float, tail: float
) -> None:
    s = round(400 * channel.reported_share(share))
    low, high = exact_counts(np.array([float(s)]), np.array([400.0]), channel, tail)
    assert (low[0], high[0]) == larger_exact_bounds(s, 400, channel, tail)


@pytest.mark.parametrize("n", [10**5, 10**7])
@pytest.mark.parametrize("channel", [Channel.warner(0.75), Channel(0.5, 0.01)])
def test_the_exact_bounds_of_many_people_have_the_tail_that_a_convolution_finds(n: int, channel: Channel) -> None:
    tail, true, other = 0.025, channel.prob_support_if_true, channel.prob_support_if_other
    s = round(n * channel.reported_share(0.01))
    low, _ = exact_counts(np.array([float(s)]), np.array([float(n)]), channel, tail)

    def at_least(n_true: int) -> float:
        sd = math.sqrt(n_true * true * (1 - true))
        i = np.arange(max(0, int(n_true * true - 9 * sd)), min(n_true, int(n_true * true + 9 * sd)) + 1)
        return float(stats.binom.pmf(i, n_true, true) @ stats.binom.sf(s - i - 1, n - n_true, other))

    assert at_least(int(low[0]) - 1) <= tail < at_least(int(low[0]))


@pytest.mark.few(3)
@pytest.mark.parametrize("tail", [0.2, 0.025, 1e-6])
@pytest.mark.parametrize("channel", CHANNELS[:4])
def test_chernoffs_bounds_are_those_of_a_scan_over_compositions_and_tilts(channel: Channel, tail: float) -> None:
    n, true, other = 40, channel.prob_support_if_true, channel.prob_support_if_other
    tilts = np.linspace(-30, 30, 60_001)
    grown = np.expm1(tilts)
    low, high = chernoff_counts(*counts_of(n), channel, tail)
    of_people = [n_true * np.log1p(true * grown) + (n - n_true) * np.log1p(other * grown) for n_true in range(n + 1)]
    for s in range(0, n + 1, 4):
        bounds = [log_mean - s * tilts for log_mean in of_people]
        is_allowed_above = [bound[tilts > 0].min() > math.log(tail) for bound in bounds]
        is_allowed_below = [bound[tilts < 0].min() > math.log(tail) for bound in bounds]
        fewest = is_allowed_above.index(True) if any(is_allowed_above) else n + 1
        most = n - is_allowed_below[::-1].index(True) if any(is_allowed_below) else -1
        assert (low[s], high[s]) == without_crossing(fewest, most)


@DEAR
@given(
    truth=st.floats(0.55, 0.99),
    n=st.integers(1, 10**6),
    part=st.floats(0, 1),
    tail=st.floats(1e-9, 0.3),
)
def test_the_scores_ends_are_z_standard_deviations_from_the_count(
    truth: float, n: int, part: float, tail: float
) -> None:
    channel = Channel.warner(truth)
    s = np.array([float(round(n * channel.reported_share(part)))])
    for n_true in score_counts(s, np.array([float(n)]), channel, tail):
        mean = n * channel.prob_support_if_other + n_true * channel.contrast
        sd = np.sqrt(n_true * channel.variance_if_true + (n - n_true) * channel.variance_if_other)
        assert abs(s - mean) / sd == pytest.approx(stats.norm.isf(tail), rel=1e-6)


def test_the_scores_ends_need_not_exist_and_are_then_a_point() -> None:
    low, high = confidence_interval(0, 100, Channel(0.9, 0.2), method="wilson", target="respondents")
    assert low == high == 0


@pytest.mark.parametrize("method", ["chernoff", "clopper-pearson"])
def test_without_noise_the_share_is_known(method) -> None:  # type: ignore[no-untyped-def]
    low, high = confidence_interval(np.arange(101), 100, Channel(1, 0), method=method, target="respondents")
    assert np.array_equal(low, np.arange(101) / 100)
    assert np.array_equal(high, low)


@pytest.mark.parametrize("method", ["chernoff", "clopper-pearson"])
@DEAR
@given(truth=st.floats(0.51, 0.999), n=st.integers(1, 10**7), share=st.floats(0, 1), level=st.floats(0.1, 0.9999))
def test_the_respondents_interval_lies_within_the_populations(  # type: ignore[no-untyped-def]
    method, truth: float, n: int, share: float, level: float
) -> None:
    channel = Channel.warner(truth)
    count = round(n * channel.reported_share(share))
    inner = confidence_interval(count, n, channel, level=level, method=method, target="respondents")
    outer = confidence_interval(count, n, channel, level=level, method=method)
    # At low levels a whole person may stand at an end; Hoeffding 1956 speaks of a report or more away.
    slack = (1 / channel.contrast + 1) / n if level < 0.8 else 1e-12 / channel.contrast
    assert inner.low >= outer.low - slack
    assert inner.high <= outer.high + slack


@pytest.mark.parametrize(("epsilon", "ratio"), [(0.5, 0.97), (1.1, 0.88), (2, 0.68), (4, 0.29)])
def test_the_exact_width_falls_as_the_standard_deviation_does(epsilon: float, ratio: float) -> None:
    channel, n = Channel.warner_of_epsilon(epsilon), 10**6
    count = round(n * channel.reported_share(0.3))
    widths = [
        np.subtract(*confidence_interval(count, n, channel, method="clopper-pearson", target=target)[::-1])
        for target in ("population", "respondents")
    ]
    assert widths[1] / widths[0] == pytest.approx(ratio, abs=0.006)


def test_hoeffdings_interval_is_the_same_for_both_targets() -> None:
    channel = Channel.warner(0.6)
    about_people = confidence_interval([3, 50], 100, channel, method="hoeffding", target="respondents")
    about_population = confidence_interval([3, 50], 100, channel, method="hoeffding")
    assert np.array_equal(about_people, about_population)


@pytest.mark.parametrize("n", [10**6, 10**12])
def test_4096_exact_intervals_agree_with_the_normal_limit_at_any_size(n: int) -> None:
    channel = Channel.warner_of_epsilon(1)
    counts = np.linspace(0.27 * n, 0.73 * n, 4096).astype(int)
    exact = confidence_interval(counts, n, channel, method="clopper-pearson", target="respondents")
    score = confidence_interval(counts, n, channel, method="wilson", target="respondents")
    assert exact.low == pytest.approx(score.low, abs=10 / n + 1e-3 / math.sqrt(n))
    assert exact.high == pytest.approx(score.high, abs=10 / n + 1e-3 / math.sqrt(n))
