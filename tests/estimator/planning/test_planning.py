"""Plans are right about widths, and the respondents they ask for are enough and not one too many."""

import math
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.typing import NDArray
from scipy import stats

from dear import DEAR
from sotto_estimator.channel.channel import TARGETS, Channel, Target, debias, standard_error
from sotto_estimator.errors import DomainError
from sotto_estimator.intervals.intervals import IntervalOptions, confidence_interval, share_bounds
from sotto_estimator.intervals.methods import METHODS
from sotto_estimator.planning.options import PlanOptions
from sotto_estimator.planning.widths import (
    NO_PRIVACY,
    curator_half_width,
    curator_respondents_needed,
    half_width,
    laplace_standard_deviation,
    no_privacy_half_width,
    respondents_needed,
    standard_deviation,
)

WARNER = Channel.warner(0.6)
EPSILON = math.log(1.5)  # Warner's at .6
Ints = NDArray[np.int64]
OF_COUNTS = [name for name, method in METHODS.items() if not (method.half_width or method.planned_as)]
"""The methods whose widths are those of the counts."""
MANY_SHARES = np.linspace(0, 1, 101)


@pytest.mark.parametrize(("n", "low", "high"), [(100, 0.245, 0.250), (435, 0.117, 0.120)])
def test_warners_standard_deviation_is_the_published_one_at_every_share(n: int, low: float, high: float) -> None:
    deviations = [standard_deviation(n, WARNER, share=share) for share in MANY_SHARES]
    assert low <= round(min(deviations), 3)
    assert round(max(deviations), 3) <= high


@pytest.mark.parametrize(("n", "deviation"), [(100, 0.035), (435, 0.008)])
def test_a_curators_laplace_noise_is_the_published_one(n: int, deviation: float) -> None:
    assert round(EPSILON, 3) == 0.405
    assert round(laplace_standard_deviation(n, EPSILON, sensitivity=1), 3) == deviation


def test_laplace_noise_is_scipys_and_doubles_with_the_sensitivity() -> None:
    expected = stats.laplace(scale=2 / (50 * 0.7)).std()
    assert laplace_standard_deviation(50, 0.7, sensitivity=2) == pytest.approx(expected)


@pytest.mark.parametrize("share", [0, 0.3, 1])
@pytest.mark.parametrize("channel", [WARNER, Channel(0.5, 0.1), NO_PRIVACY])
def test_the_standard_deviation_is_that_of_the_enumerated_estimates(channel: Channel, share: float) -> None:
    n, n_true = 20, round(20 * share)
    true, other = channel.prob_support_if_true, channel.prob_support_if_other
    counts = np.arange(n + 1)
    pmfs: dict[Target, object] = {
        "population": stats.binom.pmf(counts, n, channel.reported_share(share)),
        "respondents": np.convolve(
            stats.binom.pmf(np.arange(n_true + 1), n_true, true),
            stats.binom.pmf(np.arange(n - n_true + 1), n - n_true, other),
        ),
    }
    for target, pmf in pmfs.items():
        variance = np.sum(pmf * (debias(counts, n, channel) - share) ** 2)
        found = standard_deviation(n, channel, share=share, target=target)
        assert found == pytest.approx(math.sqrt(variance), abs=1e-8)


@pytest.mark.parametrize("target", TARGETS)
def test_the_standard_error_at_the_expected_count_is_the_standard_deviation(target: Target) -> None:
    count = round(1000 * WARNER.reported_share(0.3))
    expected = standard_deviation(1000, WARNER, share=0.3, target=target)
    assert standard_error(count, 1000, WARNER, target=target) == pytest.approx(expected)


def test_hoeffdings_half_width_is_the_published_one() -> None:
    assert half_width(10**6, Channel.warner_of_epsilon(1), options=PlanOptions(method="hoeffding")) == pytest.approx(
        2.164 * 1.358e-3, rel=5e-4
    )


def test_plans_and_estimates_have_the_same_method_by_default() -> None:
    count = round(1000 * WARNER.reported_share(0.2))
    low, high = share_bounds(count, 1000, WARNER, level=0.95, method=IntervalOptions().method, target="respondents")
    assert half_width(1000, WARNER, options=PlanOptions(target="respondents", share=0.2)) == (high - low) / 2
    assert half_width(1000, WARNER, options=PlanOptions(share=0.2)) == half_width(
        1000, WARNER, options=PlanOptions(share=0.2, method=IntervalOptions().method)
    )


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("share", [0, 0.3, 0.93])
def test_blakers_widths_are_planned_as_those_that_his_are_never_above(share: float, target: Target) -> None:
    """Of few reports his do not grow evenly with the count, but each is at most Clopper and Pearson's."""
    for n in (7, 211):
        planned, clopper = (
            half_width(n, WARNER, options=PlanOptions(method=method, share=share, target=target))
            for method in ("blaker", "clopper-pearson")
        )
        assert planned == clopper
        low, high = share_bounds(np.arange(n + 1), n, WARNER, level=0.95, method="blaker", target="population")
        wide = share_bounds(np.arange(n + 1), n, WARNER, level=0.95, method="clopper-pearson", target="population")
        assert (high - low <= wide[1] - wide[0] + 1e-12).all()


@pytest.mark.parametrize("method", [name for name, method in METHODS.items() if not method.planned_as])
def test_the_half_width_about_respondents_is_that_of_the_interval_at_the_expected_count(method: str) -> None:
    n, share = 20_000, 0.4
    count = round(n * WARNER.reported_share(share))
    low, high = confidence_interval(count, n, WARNER, level=0.9, method=method, target="respondents")
    assert 0 < low < high < 1
    planned = half_width(n, WARNER, options=PlanOptions(level=0.9, method=method, target="respondents", share=share))
    assert planned == pytest.approx((high - low) / 2, rel=1e-9)


@cache
def widths_of_counts(n: int, channel: Channel, method: str) -> NDArray[np.float64]:
    """Half the interval's width of all counts of n reports."""
    low, high = share_bounds(np.arange(n + 1), n, channel, level=0.95, method=method, target="population")
    widths: NDArray[np.float64] = (high - low) / 2
    return widths


def prob_narrow(n: int, wanted: float, channel: Channel, share: float, method: str) -> float:
    """The probability, over all counts of n reports, that half the interval's width is at most the wanted one."""
    pmf = stats.binom.pmf(np.arange(n + 1), n, channel.reported_share(share))
    return float(pmf[widths_of_counts(n, channel, method) <= wanted * (1 + 1e-9)].sum())


@pytest.mark.few(40, "rare")
@pytest.mark.parametrize("assurance", [pytest.param(0.05, marks=pytest.mark.thorough), 0.5, 0.9, 0.999])
@pytest.mark.parametrize("method", OF_COUNTS)
@pytest.mark.parametrize("share", [0, 0.1, 0.45, 0.5, 0.93, 1])
@pytest.mark.parametrize("channel", [WARNER, Channel(0.5, 0.02), NO_PRIVACY])
def test_the_half_width_is_met_with_the_assurance_and_a_smaller_one_is_not(
    channel: Channel, share: float, method: str, assurance: float
) -> None:
    """Over all counts, added up: no smaller width has the probability that is asked for."""
    for n in (1, 2, 7, 40, 211):
        width = half_width(n, channel, options=PlanOptions(method=method, share=share, assurance=assurance))
        assert prob_narrow(n, width, channel, share, method) >= assurance - 1e-12
        assert prob_narrow(n, width * (1 - 1e-6), channel, share, method) < assurance + 1e-12


@pytest.mark.few(2, "rare")
@pytest.mark.parametrize("assurance", [0.5, 0.9])
@pytest.mark.parametrize("share", [0.08, 0.5])
@pytest.mark.parametrize("method", ["chernoff", "clopper-pearson"])
def test_the_respondents_needed_meet_the_width_with_the_assurance_and_one_fewer_do_not(
    method: str, share: float, assurance: float
) -> None:
    channel = Channel(0.8, 0.1)
    found = respondents_needed(0.1, channel, options=PlanOptions(method=method, share=share, assurance=assurance))
    probabilities = [prob_narrow(n, 0.1, channel, share, method) for n in range(found - 1, found + 30)]
    assert probabilities[0] < assurance <= min(probabilities[1:])


def test_more_assurance_takes_more_respondents_off_one_half() -> None:
    sizes = [
        respondents_needed(0.05, WARNER, options=PlanOptions(share=0.05, assurance=of)) for of in (0.1, 0.5, 0.9, 0.99)
    ]
    assert sizes == sorted(set(sizes))


@pytest.mark.parametrize("assurance", [0, 1, -0.1, math.nan])
def test_an_assurance_outside_0_to_1_is_refused(assurance: float) -> None:
    with pytest.raises(DomainError, match=r"assurance \(.*\) must be in \(0, 1\)\."):
        half_width(10, WARNER, options=PlanOptions(assurance=assurance))


def test_an_assurance_about_the_respondents_is_refused_by_name() -> None:
    with pytest.raises(DomainError, match=r"assurance \(0.9\) goes with target population"):
        respondents_needed(0.1, WARNER, options=PlanOptions(target="respondents", assurance=0.9))


def test_the_half_width_about_the_population_is_not_cut_at_an_edge() -> None:
    assert half_width(100, WARNER, options=PlanOptions(method="clopper-pearson", share=0)) > 0.45


@DEAR
@given(
    wanted=st.floats(1e-3, 2),
    truth=st.floats(0.51, 1),
    level=st.floats(0.5, 0.9999),
)
def test_hoeffdings_respondents_are_enough_and_one_fewer_is_not(wanted: float, truth: float, level: float) -> None:
    channel = Channel.warner(truth)
    n = respondents_needed(wanted, channel, options=PlanOptions(level=level, method="hoeffding"))
    assert half_width(n, channel, options=PlanOptions(level=level, method="hoeffding")) <= wanted
    assert n == 1 or half_width(n - 1, channel, options=PlanOptions(level=level, method="hoeffding")) > wanted
    closed_form = math.log(2 / (1 - level)) / (2 * (wanted * channel.contrast) ** 2)
    assert n == pytest.approx(max(1, math.ceil(closed_form)), abs=1 + 1e-9 * closed_form)


def counts_of(sizes: Ints, channel: Channel, share: float, target: Target) -> Ints:
    """The expected counts, or those whose widths half of all surveys do not exceed, one size after the other."""
    reported = channel.reported_share(share)
    if target == "respondents":
        return np.rint(sizes * reported).astype(int)
    counts = []
    for n in sizes.tolist():
        few = np.arange((n + 1) // 2)
        outside = stats.binom.cdf(few, n, reported) + stats.binom.sf(np.maximum(n - few - 1, few), n, reported)
        counts.append(int(np.argmax(np.append(outside, 1) >= 0.5)))
    return np.array(counts)


@pytest.mark.few(12, "rare")
@pytest.mark.parametrize("share", [0.02, 0.5, 1])
@pytest.mark.parametrize("wanted", [0.3, pytest.param(0.06, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("channel", [Channel.warner(0.75), Channel(0.5, 0.02), Channel(0.9, 0)])
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("method", OF_COUNTS)
def test_the_respondents_needed_are_those_of_a_scan_over_every_n(
    method: str, target: Target, channel: Channel, wanted: float, share: float
) -> None:
    found = respondents_needed(wanted, channel, options=PlanOptions(method=method, target=target, share=share))
    sizes = np.arange(max(1, found - 20), found + 150)
    counts = counts_of(sizes, channel, share, target)
    low, high = share_bounds(counts, sizes, channel, level=0.95, method=method, target=target)
    assert found == 1 + max(sizes[(high - low) / 2 > wanted], default=0)


def test_a_narrow_tooth_of_the_saw_is_not_mistaken_for_the_answer() -> None:
    # Half of all surveys count 1 at most up to n = 83, and 2 from n = 84 on: which is wider than the n before it.
    widths = {
        n: half_width(n, NO_PRIVACY, options=PlanOptions(method="clopper-pearson", share=0.02)) for n in range(1, 160)
    }
    wanted = (widths[83] + widths[84]) / 2
    assert widths[83] <= wanted < widths[84]
    found = respondents_needed(wanted, NO_PRIVACY, options=PlanOptions(method="clopper-pearson", share=0.02))
    assert found == 1 + max(n for n in widths if widths[n] > wanted)
    assert found > 84


def test_knowing_only_about_the_respondents_takes_fewer_of_them() -> None:
    channel = Channel.warner_of_epsilon(2)
    about = {
        target: respondents_needed(0.02, channel, options=PlanOptions(method="clopper-pearson", target=target))
        for target in TARGETS
    }
    assert about["respondents"] / about["population"] == pytest.approx(0.65**2, abs=0.02)


def test_a_curator_adds_a_laplace_tail_to_the_sampling_error() -> None:
    noise = stats.laplace(scale=1 / (1000 * 0.5)).isf(0.025 / 2)
    sampling = half_width(1000, NO_PRIVACY, options=PlanOptions(level=0.975))
    assert curator_half_width(1000, 0.5, sensitivity=1) == pytest.approx(sampling + noise)


def test_a_curator_keeps_both_halves_of_beta_at_a_level_near_1() -> None:
    beta = 2.0**-53
    sampling, noise = math.sqrt(math.log(4 / beta) / 2000), math.log(2 / beta) / 500
    assert curator_half_width(
        1000, 0.5, options=PlanOptions(level=1 - beta, method="hoeffding"), sensitivity=1
    ) == pytest.approx(sampling + noise)


def test_a_curator_has_no_sampling_error_about_the_respondents() -> None:
    noise = stats.laplace(scale=2 / (1000 * 0.5)).isf(0.1 / 2)
    planned = curator_half_width(1000, 0.5, options=PlanOptions(level=0.9, target="respondents"), sensitivity=2)
    assert planned == pytest.approx(noise)


def test_without_privacy_the_respondents_are_known_and_a_population_is_sampled() -> None:
    assert no_privacy_half_width(10, options=PlanOptions(target="respondents")) == 0
    assert no_privacy_half_width(10, options=PlanOptions(level=0.9)) == half_width(
        10, NO_PRIVACY, options=PlanOptions(level=0.9)
    )


@pytest.mark.parametrize("target", TARGETS)
def test_the_curators_respondents_are_enough_and_one_fewer_is_not(target: Target) -> None:
    n = curator_respondents_needed(0.03, 0.4, options=PlanOptions(target=target), sensitivity=1)
    assert curator_half_width(n, 0.4, options=PlanOptions(target=target), sensitivity=1) <= 0.03
    assert curator_half_width(n - 1, 0.4, options=PlanOptions(target=target), sensitivity=1) > 0.03


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: half_width(10, WARNER, options=PlanOptions(share=1.5)), r"share \(1.5\) must be in \[0, 1\]\."),
        (lambda: half_width(10, WARNER, options=PlanOptions(share=math.nan)), r"share \(nan\) must be in \[0, 1\]\."),
        (lambda: half_width(0, WARNER), r"n \(0\) must be an integer"),
        (lambda: half_width(10, WARNER, options=PlanOptions(level=1)), r"level \(1\) must be in \(0, 1\)\."),
        (lambda: half_width(10, WARNER, options=PlanOptions(method="wald")), r"method \('wald'\) must be one of"),
        (lambda: half_width(10, WARNER, options=PlanOptions(target="all")), r"target \('all'\) must be one of"),
        (lambda: no_privacy_half_width(10, options=PlanOptions(target="all")), r"target \('all'\) must be one of"),
        (lambda: standard_deviation(10, WARNER, share=-1), r"share \(-1\) must be in \[0, 1\]\."),
        (lambda: respondents_needed(0, WARNER), r"wanted_half_width \(0\) must be > 0\."),
        (
            lambda: respondents_needed(math.nan, WARNER, options=PlanOptions(method="wilson")),
            r"wanted_half_width \(nan\) must be > 0\.",
        ),
        (lambda: respondents_needed(1e-9, WARNER), r"wanted_half_width \(1e-09\) must be reachable with 10\^12"),
        (lambda: laplace_standard_deviation(10, 0, sensitivity=1), r"epsilon \(0\) must be finite and > 0\."),
        (lambda: laplace_standard_deviation(10, 1, sensitivity=0), r"sensitivity \(0\) must be finite and > 0\."),
    ],
)
def test_an_impossible_plan_is_refused_by_name_and_domain(make, message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(DomainError, match=message):
        make()


@pytest.mark.thorough
@settings(deadline=None, max_examples=25)
@given(
    wanted=st.floats(0.02, 0.4),
    other=st.floats(0, 0.4),
    share=st.floats(0, 1),
    target=st.sampled_from(TARGETS),
    method=st.sampled_from([name for name, method in METHODS.items() if not method.planned_as]),
)
def test_no_later_n_is_wide_again(wanted: float, other: float, share: float, target: Target, method: str) -> None:
    channel = Channel(other + 0.5, other)
    found = respondents_needed(wanted, channel, options=PlanOptions(method=method, target=target, share=share))
    sizes = np.arange(max(1, found - 1), found + 150)
    counts = counts_of(sizes, channel, share, target)
    low, high = share_bounds(counts, sizes, channel, level=0.95, method=method, target=target)
    widths = (high - low) / 2
    assert np.all(widths[sizes >= found] <= wanted + 1e-12)
    assert np.all(widths[sizes < found] > wanted - 1e-12)  # at 0.125 a rounding error makes 232 one too few
