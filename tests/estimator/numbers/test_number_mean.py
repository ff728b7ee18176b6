"""Means of numbers: unbiased, and with intervals that hold, by enumeration of all histograms of small crowds."""

import math
import os
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import reduce
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from number_channels import of_table, window
from segment_tables import FOUR, TABLES
from sotto_estimator import Channel, IntervalOptions, confidence_interval
from sotto_estimator.channel.channel import TARGETS, Target
from sotto_estimator.channel.devices import Devices
from sotto_estimator.intervals.bounded_means import log_capital
from sotto_estimator.numbers.channel import NumberChannel
from sotto_estimator.numbers.counts import NumberCounts
from sotto_estimator.numbers.mean import MeanEstimate, estimate_mean, mean_bounds, place_error
from sotto_protocol.counted import Counted
from sotto_protocol.mechanisms.window_design import two_stage_bit
from sotto_protocol.questions.number import Number

FOR_MEANS = ["chernoff", "hoeffding", "anytime"]
ROUNDING = 1e-11
"""Of the sums of probabilities here, not of the intervals."""


SMALL = [
    *[(window(3, 1, 1.5), 30), (window(3, 1, 4), 12), (window(3, 2, 0.5), 12), (window(4, 2, 3), 9)],
    (of_table(FOUR), 9),
]
"""Channels, with crowds all of whose histograms are few enough."""


def histograms(n: int, n_outputs: int) -> np.ndarray:
    """Return every histogram of n reports, shape (number, n_outputs), by stars and bars."""
    bars = np.array([*combinations(range(n + n_outputs - 1), n_outputs - 1)])
    ends = np.hstack([np.full((len(bars), 1), -1), bars, np.full((len(bars), 1), n + n_outputs - 1)])
    return np.diff(ends, axis=1) - 1


def at_place(channel: NumberChannel, place: float) -> np.ndarray:
    """Return the distribution of the output of a number: of the level below and of that above."""
    n_levels = channel.matrix.shape[1]
    level = min(int(place * (n_levels - 1)), n_levels - 2)
    rest = place * (n_levels - 1) - level
    return (1 - rest) * channel.matrix[:, level] + rest * channel.matrix[:, level + 1]


POPULATIONS = [[0.0], [1.0], [0.5], [0.1], [0.0, 1.0], [0.0] * 9 + [1.0], [0.2, 0.3, 0.3, 0.9]]
"""Places as likely as each other, of people who are drawn."""


def exact(channel: NumberChannel, places: list[float], every: np.ndarray) -> np.ndarray:
    """Return the probability of every histogram, of reports of people at these places, one each."""
    found = {(0,) * channel.n_outputs: 1.0}
    for place in places:
        following: dict[tuple[int, ...], float] = {}
        for histogram, prob in found.items():
            for output, share in enumerate(at_place(channel, place)):
                more = tuple(count + (output == y) for y, count in enumerate(histogram))
                following[more] = following.get(more, 0.0) + prob * float(share)
        found = following
    return np.array([found[tuple(row)] for row in every.tolist()])


def crowds(n: int) -> Iterator[list[float]]:
    """Yield places of n people who are not alike, the most adverse ones: some at each end, and between levels."""
    for n_top in {0, 1, n // 2, n - 1, n}:
        yield [1.0] * n_top + [0.0] * (n - n_top)
    yield [0.25, 0.75] * (n // 2)
    yield [0.0, 0.5] * (n // 2)


def bounds(
    channel: NumberChannel,
    every: np.ndarray,
    method: str,
    level: float,
    n_waves: int = 1,
    target: Target = "population",
) -> tuple[np.ndarray, np.ndarray]:
    """Return the intervals of all histograms, of as many reports each, a hair wider for the sums' rounding."""
    devices = Devices.alike(int(every[0].sum()), n_waves)
    low, high = mean_bounds(every, channel, devices, IntervalOptions(level, method, target), 1)
    return low - 1e-12, high + 1e-12


def coverage(ends: tuple[np.ndarray, np.ndarray], probs: np.ndarray, truth: float) -> float:
    assert probs.sum() == pytest.approx(1, abs=ROUNDING)
    low, high = ends
    return float(probs[(low <= truth) & (truth <= high)].sum())


@pytest.mark.few(3)
@pytest.mark.parametrize("level", [0.5, 0.95])
@pytest.mark.parametrize("method", FOR_MEANS)
def test_the_mean_of_a_population_is_covered_at_the_level(method: str, level: float) -> None:
    for channel, most in SMALL:
        for n in {1, 2, most}:
            every = histograms(n, channel.n_outputs)
            ends = bounds(channel, every, method, level)
            for places in POPULATIONS:
                output = np.mean([at_place(channel, place) for place in places], axis=0)
                probs = stats.multinomial.pmf(every, n, output)
                found = coverage(ends, probs, float(np.mean(places)))
                assert found >= level - ROUNDING, (n, channel.n_outputs, places)


@pytest.mark.thorough
@pytest.mark.parametrize("method", FOR_MEANS)
def test_a_population_is_covered_by_five_outputs_of_thirty(method: str) -> None:
    """46,376 histograms; bounded, of sixteen people 4,845: three at least of each output, as in many of the large."""
    n = 30 if os.environ.get("SOTTO_TEST_FULL") else 16
    for channel in (window(4, 2, 3), window(4, 2, 6), window(3, 3, 1)):
        every = histograms(n, channel.n_outputs)
        ends = bounds(channel, every, method, 0.95)
        for places in POPULATIONS:
            output = np.mean([at_place(channel, place) for place in places], axis=0)
            probs = stats.multinomial.pmf(every, n, output)
            assert coverage(ends, probs, float(np.mean(places))) >= 0.95 - ROUNDING, places


@pytest.mark.parametrize("level", [0.5, 0.95])
@pytest.mark.parametrize("method", FOR_MEANS)
def test_the_mean_of_respondents_who_are_not_alike_is_covered_at_the_level(method: str, level: float) -> None:
    for channel, n in [(SMALL[0][0], 10), (SMALL[3][0], 6), (SMALL[4][0], 6)]:
        every = histograms(n, channel.n_outputs)
        ends = bounds(channel, every, method, level, target="respondents")
        for places in crowds(n):
            found = coverage(ends, exact(channel, places, every), float(np.mean(places)))
            assert found >= level - ROUNDING, places


def test_betting_against_the_true_mean_wins_nothing_on_average() -> None:
    """Exactly nothing where people are drawn, and no more where they are not alike."""
    bets = np.array([[0.2, 0.9, 1.7]])
    for channel, n in [(SMALL[0][0], 10), (SMALL[3][0], 6), (SMALL[4][0], 6)]:
        every, (lowest, highest) = histograms(n, channel.n_outputs), (min(channel.scores), max(channel.scores))
        for places in crowds(n):
            score = channel.offset + channel.slope * Fraction(sum(places)) / len(places)
            mean = float((score - lowest) / (highest - lowest))
            means, each = np.full(len(every), mean), bets.repeat(len(every), 0)
            capital = np.exp(log_capital(every.astype(float), channel.outputs, means, each))
            output = np.mean([at_place(channel, place) for place in places], axis=0)
            drawn = stats.multinomial.pmf(every, n, output)
            assert drawn @ capital == pytest.approx(1, abs=1e-9)
            assert exact(channel, places, every) @ capital <= 1 + 1e-9


def test_the_enumeration_refuses_a_normal_interval() -> None:
    channel, n = SMALL[1]
    every = histograms(n, channel.n_outputs)
    outputs = np.arange(channel.n_outputs)
    means = every @ outputs / n
    errors = np.sqrt(every @ outputs**2 / n - means**2) / math.sqrt(n)
    probs = stats.multinomial.pmf(every, n, at_place(channel, 0.0))
    covers = np.abs(means - float(channel.offset)) <= 1.96 * errors
    assert probs[covers].sum() < 0.95 - 0.01


@pytest.mark.parametrize("method", ["chernoff", "hoeffding"])
def test_reports_of_one_device_in_two_waves_may_be_all_alike(method: str) -> None:
    """Every device repeats its output: twice the histogram of one wave."""
    for channel, most in SMALL[:2]:
        every = histograms(most // 2, channel.n_outputs)
        ends = bounds(channel, 2 * every, method, 0.8, n_waves=2)
        for places in POPULATIONS:
            output = np.mean([at_place(channel, place) for place in places], axis=0)
            probs = stats.multinomial.pmf(every, most // 2, output)
            found = coverage(ends, probs, float(np.mean(places)))
            assert found >= 0.8 - ROUNDING, places


def test_waves_of_unequal_size_and_other_means_are_covered() -> None:
    """Those who answer twice, alike both times, think otherwise than those who answer once."""
    channel, n_both, n_single = SMALL[0][0], 4, 6
    both, single = histograms(n_both, 3), histograms(n_single, 3)
    devices = Devices.of(Counted({1: n_both + n_single, 2: n_both}))
    for of_both, of_single in [(0.0, 1.0), (1.0, 0.0), (0.5, 0.0)]:
        truth = (2 * n_both * of_both + n_single * of_single) / (2 * n_both + n_single)
        probs = np.outer(
            stats.multinomial.pmf(both, n_both, at_place(channel, of_both)),
            stats.multinomial.pmf(single, n_single, at_place(channel, of_single)),
        )
        together = 2 * both[:, None] + single[None]
        for level in (0.5, 0.9):
            low, high = mean_bounds(together, channel, devices, IntervalOptions(level), 1)
            assert probs[(low <= truth) & (truth <= high)].sum() >= level, (of_both, of_single)


@pytest.mark.parametrize("target", TARGETS)
def test_of_two_outputs_the_mean_is_a_share_with_its_intervals(target: str) -> None:
    channel = window(2, 1, 1)
    prob = float(channel.matrix[1, 1])
    for method in ("hoeffding", *(["clopper-pearson", "wilson"] if target == "population" else ["anytime"])):
        of_mean = mean_bounds(
            np.array([400, 600]), channel, Devices.alike(1000, 1), IntervalOptions(0.9, method, target), 1
        )
        share = confidence_interval(600, 1000, Channel(prob, 1 - prob), level=0.9, method=method)
        assert [float(end) for end in of_mean] == pytest.approx([float(end) for end in share], abs=1e-12)
    low, _ = mean_bounds(np.array([400, 600]), channel, Devices.alike(1000, 1), IntervalOptions(method="hoeffding"), 1)
    assert float(low) == pytest.approx((0.6 - math.sqrt(math.log(40) / 2000) - (1 - prob)) / (2 * prob - 1), abs=1e-9)


@pytest.mark.parametrize(("n_devices", "n_waves"), [(120, 5), (1000, 12)])
@pytest.mark.parametrize(("epsilon", "forever"), [("1", "2"), ("1", "3"), (".5", "1")])
def test_waves_of_two_stages_show_nearly_as_much_as_their_mean_spreads(
    epsilon: str, forever: str, n_devices: int, n_waves: int
) -> None:
    """The mean 30 of 0 to 100, of people who are each at an end, and stay there; 1.9 to 2 times by one stage."""
    channel = NumberChannel.of(two_stage_bit(100, Decimal(epsilon), Decimal(forever)))
    n, true, one = n_devices * n_waves, float(channel.matrix[1, 1]), channel.repeated
    kept = (true - (1 - one)) / (2 * one - 1)
    at_top = 0.3 * kept + 0.7 * (1 - kept)
    variance = n_waves * one * (1 - one) + n_waves**2 * (2 * one - 1) ** 2 * at_top * (1 - at_top)
    error = math.sqrt(n_devices * variance) / n / (2 * true - 1)
    count = round(n * (1 - true + 0.3 * (2 * true - 1)))
    histogram, devices = np.array([n - count, count]), Devices.alike(n, n_waves)
    low, high = mean_bounds(histogram, channel, devices, IntervalOptions(), 1)
    assert float(high - low) / 2 <= 1.12 * 1.96 * error
    assert place_error(histogram, channel, devices.effect) == pytest.approx(error, rel=1e-3)


def test_chernoff_holds_for_a_share_of_people_who_are_not_alike() -> None:
    channel, n = window(2, 1, 2), 12
    every = histograms(n, 2)
    ends = bounds(channel, every, "chernoff", 0.8)
    for places in crowds(n):
        each = [at_place(channel, place) for place in places]
        probs = reduce(np.convolve, each)[every[:, 1]]
        assert coverage(ends, probs, float(np.mean(places))) >= 0.8 - ROUNDING


@pytest.mark.parametrize(
    ("levels", "method", "target"),
    [
        (3, "clopper-pearson", "respondents"),
        (3, "wilson", "population"),
        (2, "blaker", "respondents"),
        (2, "wilson", "respondents"),
    ],
)
def test_a_mean_that_a_method_does_not_know_has_the_interval_of_the_default(
    levels: int, method: str, target: Target
) -> None:
    channel = window(levels, 1, 1)
    histogram = np.arange(20, 20 + channel.n_outputs)
    devices = Devices.alike(int(histogram.sum()), 1)
    asked, usual = IntervalOptions(0.9, method, target), IntervalOptions(0.9, target=target)
    assert mean_bounds(histogram, channel, devices, asked, 1) == mean_bounds(histogram, channel, devices, usual, 1)
    of_what = "of more than two outputs" if target == "population" else "about respondents"
    said, default = (mean_of(histogram.tolist(), channel, options).interval for options in (asked, usual))
    assert said == f"{default}, as {method} knows no mean {of_what}"


def mean_of(histogram: list[int], channel: NumberChannel, options: IntervalOptions | None = None) -> MeanEstimate:
    devices = Devices.alike(sum(histogram), 1)
    counts = NumberCounts("age", Number((), 20, 140, 1, "years"), channel, 1.0, np.array(histogram), devices)
    return estimate_mean(counts, options or IntervalOptions(), 1)


@pytest.mark.few(3)
@pytest.mark.parametrize(
    "channel", [window(2, 1, 1.0), window(3, 1, 2.0), window(6, 2, 3.0), window(16, 5, 4.0), *map(of_table, TABLES)]
)
def test_the_mean_of_all_single_reports_weighted_by_their_probability_is_the_number(channel: NumberChannel) -> None:
    singles = np.eye(channel.n_outputs, dtype=int).tolist()
    means = [mean_of(histogram, channel).mean for histogram in singles]
    for place in (0.0, 0.01, 0.37, 0.5, 1.0):
        assert at_place(channel, place) @ means == pytest.approx(20 + 120 * place, abs=1e-7)


def test_the_standard_error_is_the_outputs_and_at_least_the_device_s_noise() -> None:
    channel = window(3, 1, 2)
    some = mean_of([30, 50, 20], channel)
    variance = (30 * 0 + 50 * 1 + 20 * 4) / 100 - (50 + 40) ** 2 / 100**2
    error = 120 * math.sqrt(variance / 100) / float(channel.slope)
    assert some.standard_error == pytest.approx(error, rel=1e-12)
    outputs = np.arange(3)
    least = min(outputs**2 @ column - (outputs @ column) ** 2 for column in channel.matrix.T)
    alike = mean_of([0, 100, 0], channel)
    assert alike.standard_error == pytest.approx(12 * math.sqrt(least) / float(channel.slope))


def test_a_mean_outside_of_the_range_stays_and_its_interval_and_the_consistent_mean_do_not() -> None:
    found = mean_of([0, 0, 500], window(3, 1, 1), IntervalOptions(consistent=True))
    assert found.mean > 140
    assert (found.low, found.high, found.consistent_mean) == (140, 140, 140)


def test_one_per_cent_of_fakes_shift_the_mean_by_what_is_said() -> None:
    channel = window(6, 2, 3)
    honest = [40, 60, 50, 30, 10, 5, 4]
    before = mean_of([99 * count for count in honest], channel)
    n_fakes = sum(honest)
    high, low = [99 * count for count in honest], [99 * count for count in honest]
    high[-1] += n_fakes
    low[0] += n_fakes
    assert mean_of(high, channel).mean - before.mean == pytest.approx(before.shift_up, rel=1e-9)
    assert mean_of(low, channel).mean - before.mean == pytest.approx(before.shift_down, rel=1e-9)


def test_an_interval_is_wider_by_what_a_table_is_off_and_no_more() -> None:
    exact, histogram = of_table(FOUR), np.array([3, 4, 5, 6])
    off = replace(exact, bias=1e-6)
    (low, high), (lower, higher) = (
        mean_bounds(histogram, channel, Devices.alike(18, 1), IntervalOptions(), 1) for channel in (exact, off)
    )
    assert (float(low - lower), float(higher - high)) == pytest.approx((1e-6, 1e-6), rel=1e-6)
