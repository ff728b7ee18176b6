"""Intervals by name: against other implementations, at the edges, at any size, and nested."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, strategies as st
from scipy import stats

from dear import DEAR
from sotto_estimator.channel.channel import TARGETS, Channel, Target, debias
from sotto_estimator.errors import DomainError
from sotto_estimator.intervals.binomial import clopper_pearson_shares
from sotto_estimator.intervals.intervals import IntervalOptions, confidence_interval
from sotto_estimator.intervals.methods import METHODS, IntervalMethod
from sotto_estimator.planning.options import PlanOptions
from sotto_estimator.planning.widths import half_width
from sotto_estimator.results.words import method_words

NO_PRIVACY = Channel(1, 0)
TWO_COINS = Channel(0.75, 0.25)
EVERY_COUNT_OF = {n: np.arange(n + 1) for n in (1, 2, 7, 50)}

GUARANTEED = [name for name, method in METHODS.items() if method.is_guaranteed]
NESTED = [name for name, method in METHODS.items() if method.is_nested]

methods, targets, levels = st.sampled_from(list(METHODS)), st.sampled_from(TARGETS), st.floats(0.01, 1 - 1e-12)
sizes = st.one_of(st.integers(1, 200), st.integers(1, 10**9), st.just(10**12))


@st.composite
def channels(draw: st.DrawFn) -> Channel:
    other = draw(st.one_of(st.just(0.0), st.floats(1e-12, 0.98)))
    return Channel(min(1.0, other + draw(st.floats(0.01, 1))), other)


def width(count: int, n: int, channel: Channel, method: str, target: Target = "population") -> float:
    low, high = confidence_interval(count, n, channel, method=method, target=target)
    return float(high - low)


@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
@pytest.mark.parametrize("n", EVERY_COUNT_OF)
@pytest.mark.parametrize(("method", "scipy_method"), [("clopper-pearson", "exact"), ("wilson", "wilson")])
def test_without_privacy_they_are_scipys_intervals(method: str, scipy_method: str, n: int, level: float) -> None:
    low, high = confidence_interval(EVERY_COUNT_OF[n], n, NO_PRIVACY, level=level, method=method)
    for count in range(n + 1):
        expected = stats.binomtest(count, n).proportion_ci(level, scipy_method)
        assert (low[count], high[count]) == pytest.approx((expected.low, expected.high), abs=1e-9)


@pytest.mark.parametrize("method", ["clopper-pearson", "wilson"])
def test_with_privacy_they_are_scipys_intervals_of_the_reports_mapped_to_shares(method: str) -> None:
    scipy_method = {"clopper-pearson": "exact", "wilson": "wilson"}[method]
    expected = stats.binomtest(400, 1000).proportion_ci(0.95, scipy_method)
    low, high = confidence_interval(400, 1000, TWO_COINS, method=method)
    assert (low, high) == pytest.approx(((expected.low - 0.25) / 0.5, (expected.high - 0.25) / 0.5), abs=1e-9)


@pytest.mark.parametrize("level", [0.95, 1 - 1e-12])
@pytest.mark.parametrize(("count", "n"), [(1, 4), (37, 100), (99, 100), (3, 10**6), (4 * 10**8, 10**9)])
def test_chernoffs_ends_spend_the_relative_entropy_that_the_level_allows(count: int, n: int, level: float) -> None:
    budget = math.log(2 / (1 - level))
    x = count / n
    for end, sign in zip(confidence_interval(count, n, NO_PRIVACY, level=level), (-1, 1), strict=True):
        d = Fraction(float(end)) - Fraction(count, n)  # exact: the two logarithms nearly cancel
        spent = -n * (x * math.log1p(d / Fraction(count, n)) + (1 - x) * math.log1p(-d / (1 - Fraction(count, n))))
        assert math.copysign(1, d) == sign
        if not 1e-9 < end < 1 - 1e-9:  # a probability below the rounding of the other end
            continue
        assert spent == pytest.approx(budget, rel=1e-6)


@pytest.mark.parametrize("n", [1, 10, 10**9])
def test_counts_of_0_and_n_have_chernoffs_closed_form(n: int) -> None:
    low, high = confidence_interval([0, n], n, NO_PRIVACY)
    assert low[0] == 0
    assert high[0] == pytest.approx(1 - 0.025 ** (1 / n), rel=1e-6)
    assert low[1] == pytest.approx(0.025 ** (1 / n), rel=1e-8)
    assert high[1] == 1


def test_hoeffdings_half_width_is_its_closed_form() -> None:
    low, high = confidence_interval(500_000, 10**6, Channel.warner_of_epsilon(1), method="hoeffding")
    assert (high - low) / 2 == pytest.approx(2.164 * 1.358e-3, rel=5e-4)
    assert (high + low) / 2 == pytest.approx(0.5)


@pytest.mark.parametrize("n", [1_000, 100_000])
@pytest.mark.parametrize("share", [0.02, 0.5])
def test_hoeffdings_width_is_1_4_times_the_exact_at_high_privacy(share: float, n: int) -> None:
    # PEERS.md, "Intervals". At share .02 the interval is cut at 0: the reports' own interval isn't.
    count = round(n * Channel.warner(0.6).reported_share(share))
    ratio = width(count, n, NO_PRIVACY, "hoeffding") / width(count, n, NO_PRIVACY, "clopper-pearson")
    assert 1.34 <= ratio <= 1.415


def test_hoeffdings_width_is_twice_the_exact_at_low_privacy_and_a_rare_value() -> None:
    n = 10_000
    count = round(n * Channel.warner(0.9).reported_share(0.02))
    ratio = width(count, n, NO_PRIVACY, "hoeffding") / width(count, n, NO_PRIVACY, "clopper-pearson")
    assert ratio == pytest.approx(2.15, abs=0.15)


@pytest.mark.parametrize("n", [100, 1_000, 100_000, 10**9])
@pytest.mark.parametrize("truth", [0.6, 0.9])
@pytest.mark.parametrize("share", [0.02, 0.3, 0.5])
def test_chernoffs_width_is_1_3_times_the_exact_everywhere(truth: float, share: float, n: int) -> None:
    count = round(n * Channel.warner(truth).reported_share(share))
    ratio = width(count, n, NO_PRIVACY, "chernoff") / width(count, n, NO_PRIVACY, "clopper-pearson")
    assert 1.28 <= ratio <= 1.39


@DEAR
@given(channel=channels(), n=sizes, part=st.floats(0, 1), method=methods, target=targets, level=levels)
def test_an_interval_is_always_two_ordered_shares(
    channel: Channel, n: int, part: float, method: str, target: Target, level: float
) -> None:
    counts = [0, min(1, n), min(n, round(part * n)), n - 1, n]
    low, high = confidence_interval(counts, n, channel, level=level, method=method, target=target)
    assert np.all((low >= 0) & (low <= high) & (high <= 1))  # a NaN would fail


@DEAR
@given(channel=channels(), n=sizes, part=st.floats(0, 1), method=methods, target=targets, level=levels)
def test_the_interval_contains_the_estimate_moved_into_0_and_1(
    channel: Channel, n: int, part: float, method: str, target: Target, level: float
) -> None:
    count = min(n, round(part * n))
    low, high = confidence_interval(count, n, channel, level=level, method=method, target=target)
    estimate = float(np.clip(debias(count, n, channel), 0, 1))
    # About the respondents, only whole people count; a normal approximation needn't contain it.
    slack = 1 / n if target == "respondents" else 1e-12 / channel.contrast
    if METHODS[method].is_guaranteed:
        assert low - slack <= estimate <= high + slack


@DEAR
@given(
    channel=channels(),
    n=sizes,
    part=st.floats(0, 1),
    method=st.sampled_from(NESTED),
    target=targets,
    two_levels=st.tuples(levels, levels),
)
def test_a_wider_level_contains_a_narrower(
    channel: Channel, n: int, part: float, method: str, target: Target, two_levels: tuple[float, float]
) -> None:
    count = min(n, round(part * n))
    narrow, wide = (
        confidence_interval(count, n, channel, level=level, method=method, target=target)
        for level in sorted(two_levels)
    )
    rounding = 1e-14 / channel.contrast
    assert wide.low <= narrow.low + rounding
    assert wide.high >= narrow.high - rounding


@DEAR
@given(channel=channels(), n=sizes, part=st.floats(0, 1), method=methods, target=targets, level=levels)
@example(Channel(1, 0), 10**12, 0.71875, "clopper-pearson", "population", 0.5)  # SciPy before 1.17 is off by 2e-11
def test_both_ends_grow_with_the_count(
    channel: Channel, n: int, part: float, method: str, target: Target, level: float
) -> None:
    middle = min(n, round(part * n))
    counts = sorted({0, max(0, middle - 1), middle, min(n, middle + 1), n})
    low, high = confidence_interval(counts, n, channel, level=level, method=method, target=target)
    rounding = 1e-14 / channel.contrast
    assert np.all(np.diff(low) >= -rounding)
    assert np.all(np.diff(high) >= -rounding)


@DEAR
@given(channel=channels(), n=sizes, part=st.floats(0, 1), target=targets, level=levels)
def test_the_exact_interval_lies_within_chernoffs(
    channel: Channel, n: int, part: float, target: Target, level: float
) -> None:
    count = min(n, round(part * n))
    exact = confidence_interval(count, n, channel, level=level, method="clopper-pearson", target=target)
    chernoff = confidence_interval(count, n, channel, level=level, method="chernoff", target=target)
    rounding = 1e-14 / channel.contrast
    assert chernoff.low <= exact.low + rounding
    assert chernoff.high >= exact.high - rounding


@DEAR
@given(channel=channels(), n=sizes, part=st.floats(0, 1), level=levels)
def test_chernoffs_interval_lies_within_hoeffdings(channel: Channel, n: int, part: float, level: float) -> None:
    count = min(n, round(part * n))
    chernoff = confidence_interval(count, n, channel, level=level)
    hoeffding = confidence_interval(count, n, channel, level=level, method="hoeffding")
    assert hoeffding.low <= chernoff.low + 1e-12 / channel.contrast
    assert hoeffding.high >= chernoff.high - 1e-12 / channel.contrast


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("target", TARGETS)
def test_an_interval_wholly_outside_is_the_nearest_edge_as_a_point(method: str, target: Target) -> None:
    low, high = confidence_interval([0, 10_000], 10_000, Channel.warner(0.6), method=method, target=target)
    assert (low[0], high[0]) == (0, 0)
    assert (low[1], high[1]) == (1, 1)


@pytest.mark.few(8, "rare")
@pytest.mark.parametrize("method", GUARANTEED)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    "channel", [Channel.warner(0.6), Channel(0.5, 1e-9), Channel(0.1 + 0.2, 0.1), Channel(1, 1 / 3)]
)
def test_a_typical_count_at_share_0_and_1_keeps_the_edge_itself(method: str, target: Target, channel: Channel) -> None:
    for n in (1, 30, 10**6, 10**9):
        at_0 = round(n * channel.prob_support_if_other)
        at_1 = round(n * channel.prob_support_if_true)
        low, high = confidence_interval([at_0, at_1], n, channel, method=method, target=target)
        assert low[0] == 0
        assert high[1] == 1


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("counts", [4, [3, 4], [[0], [5], [10]], []])
def test_the_ends_have_the_shape_of_the_counts(counts: object, target: Target, method: str) -> None:
    low, high = confidence_interval(counts, 10, TWO_COINS, method=method, target=target)  # type: ignore[arg-type]
    assert np.shape(low) == np.shape(high) == np.shape(counts)  # type: ignore[arg-type]


def test_counts_are_not_written_to() -> None:
    counts = np.array([0, 5, 10])
    for method in METHODS:
        for target in TARGETS:
            confidence_interval(counts, 10, TWO_COINS, method=method, target=target)
    assert counts.tolist() == [0, 5, 10]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("target", TARGETS)
def test_simultaneous_intervals_share_their_beta(method: str, target: Target) -> None:
    together = confidence_interval([0, 8, 20], 20, TWO_COINS, method=method, target=target, n_intervals=10)
    by_hand = confidence_interval([0, 8, 20], 20, TWO_COINS, method=method, target=target, level=0.995)
    assert np.allclose(together, by_hand, rtol=0, atol=1e-12)


@pytest.mark.parametrize(("level", "m"), [(1 - 1e-13, 250), (1 - 1e-15, 1000), (1 - 2.0**-53, 2**18)])
@pytest.mark.parametrize("method", ["chernoff", "clopper-pearson"])
def test_simultaneous_intervals_keep_their_beta_at_levels_near_1(method: str, level: float, m: int) -> None:
    tail = float((1 - Fraction(level)) / m / 2)
    low, high = confidence_interval([0, 100], 100, NO_PRIVACY, level=level, method=method, n_intervals=m)
    assert low[1] == pytest.approx(math.exp(math.log(tail) / 100), rel=1e-9)
    assert high[0] == pytest.approx(-math.expm1(math.log(tail) / 100), rel=1e-9)


@pytest.mark.parametrize("method", NESTED)
@pytest.mark.parametrize("target", TARGETS)
def test_simultaneous_intervals_at_levels_near_1_contain_those_alone(method: str, target: Target) -> None:
    counts, level = [0, 90, 100, 113, 200], 1 - 2.0**-53
    alone = confidence_interval(counts, 200, Channel(0.9, 0.1), level=level, method=method, target=target)
    together = confidence_interval(
        counts, 200, Channel(0.9, 0.1), level=level, method=method, target=target, n_intervals=2**18
    )
    assert np.all(together.low <= alone.low)
    assert np.all(alone.high <= together.high)


def test_exact_intervals_about_respondents_invert_tails_below_1e_20() -> None:
    n, count, level, m = 60, 45, 1 - 2.0**-53, 2**18
    tail = (1 - Fraction(level)) / m / 2
    low, _ = confidence_interval(
        count, n, Channel(0.75, 0.25), level=level, method="clopper-pearson", target="respondents", n_intervals=m
    )

    def upper_tail(n_true: int) -> Fraction:
        pmf = [Fraction(1)]
        for yes in [Fraction(3, 4)] * n_true + [Fraction(1, 4)] * (n - n_true):
            pmf = [a * (1 - yes) + b * yes for a, b in zip([*pmf, Fraction(0)], [Fraction(0), *pmf], strict=True)]
        return sum(pmf[count:], Fraction(0))

    fewest = next(n_true for n_true in range(n + 1) if upper_tail(n_true) > tail)
    assert low * n == pytest.approx(fewest)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"level": 0}, r"level \(0\) must be in \(0, 1\)\."),
        ({"level": 1.0}, r"level \(1.0\) must be in \(0, 1\)\."),
        ({"level": math.nan}, r"level \(nan\) must be in \(0, 1\)\."),
        ({"level": 95}, r"level \(95\) must be in \(0, 1\)\."),
        ({"method": "wald"}, r"method \('wald'\) must be one of chernoff, .*, wilson, likelihood, anytime\."),
        ({"n_intervals": 0}, r"n_intervals \(0\) must be >= 1\."),
        ({"target": "everyone"}, r"target \('everyone'\) must be one of population, respondents\."),
    ],
)
def test_an_impossible_option_is_refused_by_name_and_domain(options: dict, message: str) -> None:  # type: ignore[type-arg]
    with pytest.raises(DomainError, match=message):
        confidence_interval(1, 2, TWO_COINS, **options)


@pytest.mark.parametrize("target", TARGETS)
def test_a_method_is_a_row_and_its_functions(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    row = IntervalMethod("method of its own", True, clopper_pearson_shares, None)
    monkeypatch.setitem(METHODS, "own", row)
    about = {"level": 0.9, "target": target}
    own = confidence_interval([0, 40, 100], 100, TWO_COINS, method="own", **about)  # type: ignore[arg-type]
    known = confidence_interval([0, 40, 100], 100, TWO_COINS, method="clopper-pearson", level=0.9)
    assert np.array_equal(own, known)
    assert half_width(100, TWO_COINS, options=PlanOptions(method="own", share=0.3, **about)) > 0  # type: ignore[arg-type]
    assert method_words(0.9, "own", "population") == "90 % intervals by the method of its own, about the population"
    with pytest.raises(DomainError, match=r"method \('own'\) must be one of chernoff, hoeffding where 2 waves"):
        confidence_interval(40, 100, TWO_COINS, method="own", n_waves=2)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"level": 1.0}, r"level \(1.0\) must be in \(0, 1\)"),
        ({"level": float("nan")}, r"level \(nan\) must be in \(0, 1\)"),
        ({"method": "wald"}, r"method \('wald'\) must be one of chernoff"),
        ({"target": "people"}, "target"),
        ({"population_size": 0}, r"population_size \(0\) must be a whole number >= 1"),
        ({"population_size": 10.5}, "whole number"),
    ],
)
def test_options_are_checked_when_they_are_made(options: dict[str, Any], said: str) -> None:
    with pytest.raises(DomainError, match=said):
        IntervalOptions(**options)


def test_options_that_do_not_apply_are_refused_by_name() -> None:
    assert IntervalOptions(level=0.9).only("a regression", "level").level == 0.9
    with pytest.raises(DomainError, match=r"simultaneous \(True\) is not an option of a regression, which takes level"):
        IntervalOptions(simultaneous=True).only("a regression", "level")
