"""Means of the people who answered: no crowd is missed more often than at the level, by their sum's exact law."""

from decimal import Decimal
from functools import reduce
from itertools import product

import numpy as np
import pytest
from scipy import optimize, stats

from number_channels import of_table, window
from segment_tables import TABLES
from sotto_estimator import IntervalOptions
from sotto_estimator.channel.devices import Devices
from sotto_estimator.intervals.noise_means import _log_factor, _log_moments, noise_means, unlike_bits
from sotto_estimator.numbers.channel import NumberChannel
from sotto_estimator.numbers.mean import mean_bounds, place_error
from sotto_estimator.planning.number_widths import outputs_of
from sotto_protocol.mechanisms.segment_design import best_segments

TAIL = 0.025
CHANNELS = [window(2, 1, 1), window(3, 1, 2), window(4, 2, 3), window(6, 2, 6)]


def crowds(n: int) -> list[np.ndarray]:
    """Return places of n people who are not alike: all at each end or between, halves, one who differs, spread."""
    halves = [np.repeat(pair, n // 2) for pair in [(0.0, 1.0), (0.25, 0.75), (0.0, 0.5), (0.1, 1.0)]]
    single = [np.append(np.full(n - 1, place), other) for place, other in [(0.0, 1.0), (1.0, 0.0), (0.5, 0.0)]]
    return [*(np.full(n, place) for place in (0.0, 0.2, 0.5, 1.0)), *halves, *single, np.linspace(0, 1, n) ** 2]


def ends_by_sum(channel: NumberChannel, n: int, level: float, n_waves: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Return the interval of every sum of n outputs' numbers, each sent in so many waves.

    It hangs on the sum alone, so any histogram of a sum has that of all.
    """
    most = channel.n_outputs - 1
    lower, rest = np.divmod(np.arange(n * most + 1), n)
    rows = np.zeros((len(rest), channel.n_outputs))
    np.add.at(rows, (np.arange(len(rest)), np.minimum(lower + 1, most)), rest)
    np.add.at(rows, (np.arange(len(rest)), lower), n - rest)
    options = IntervalOptions(level, target="respondents")
    low, high = mean_bounds(n_waves * rows, channel, Devices.alike(n_waves * n, n_waves), options, 1)
    return low - 1e-12, high + 1e-12


@pytest.mark.parametrize(("n", "n_waves"), [(4, 1), (200, 1), (12, 2)])
@pytest.mark.parametrize("level", [0.6, 0.95])
@pytest.mark.parametrize("channel", CHANNELS, ids=lambda channel: f"{channel.n_levels} levels")
def test_respondents_who_are_not_alike_are_covered_at_the_level(
    channel: NumberChannel, level: float, n: int, n_waves: int
) -> None:
    """In waves devices repeat their outputs: nothing is learned by the second."""
    low, high = ends_by_sum(channel, n, level, n_waves)
    for places in crowds(n):
        probs = reduce(np.convolve, outputs_of(channel, places).T)
        truth = float(places.mean())
        assert probs[low > truth].sum() <= (1 - level) / 2 + 1e-11
        assert probs[high < truth].sum() <= (1 - level) / 2 + 1e-11


def test_bits_that_are_not_alike_are_covered_and_would_not_be_by_clopper_and_pearson_s_end() -> None:
    n, s = 6, np.arange(7.0)
    low, high = unlike_bits(s, np.full(7, 6.0), TAIL)
    least = [0.0, *stats.beta.ppf(TAIL, s[1:], n - s[1:] + 1)]
    missed_by_either = 0.0
    for probs in product([0.0, 0.02525, 0.1, 0.4, 0.5, 0.9, 1.0], repeat=3):
        each = [*probs, *probs] if probs[0] > 0.1 else [*probs, 0.0, 0.0, 0.0]
        law = reduce(np.convolve, [np.array([1 - prob, prob]) for prob in each])
        mean = sum(each) / n
        assert law[low > mean].sum() <= TAIL
        assert law[high < mean].sum() <= TAIL
        missed_by_either = max(missed_by_either, law[np.array(least) > mean].sum())
    assert missed_by_either > TAIL
    assert low[2:] == pytest.approx(least[2:], rel=1e-6)
    assert high == pytest.approx(1 - low[::-1], abs=1e-9)


@pytest.mark.parametrize("tilt", [0.05, 1.0, 30.0])
@pytest.mark.parametrize("channel", [*CHANNELS, of_table(TABLES[0])], ids=lambda channel: f"{channel.n_levels} levels")
def test_moments_are_below_a_function_that_is_concave_and_close_to_the_least(
    channel: NumberChannel, tilt: float
) -> None:
    """The least at a place: the highest line between logarithms of moments at two places around it."""
    corners, heights = _log_moments(tilt, channel.outputs, channel.matrix)
    slopes = np.diff(heights) / np.diff(corners)
    assert (np.diff(slopes) <= 1e-9 * (1 + tilt)).all()
    assert (slopes > 0).all()
    places = np.linspace(0, 1, 301)
    logs = np.log(np.exp(tilt * channel.outputs) @ outputs_of(channel, places))
    above = np.interp(places, corners, heights)
    assert (above >= logs).all()
    for at in (0, 40, 150, 299):
        below, behind = places[: at + 1, None], places[None, at + 1 :]
        part = (places[at] - below) / (behind - below)
        least = max(logs[at], ((1 - part) * logs[: at + 1, None] + part * logs[None, at + 1 :]).max())
        rising = max(least, logs[: at + 1].max())
        assert above[at] <= rising + 0.003 * tilt**2 * channel.deviations[0] ** 2 + 1e-9


@pytest.mark.parametrize("n", [20, 200])
@pytest.mark.parametrize("tilt", [0.3, 1.0, 3.0])
def test_tilted_sums_are_above_any_value_no_more_than_the_factor_says(tilt: float, n: int) -> None:
    """E e^(-h (S - s)) for S >= s, of the exact law of all tilted outputs' sum; and Berry and Esseen's bound of it."""
    for channel in CHANNELS[1:]:
        scores, most = np.arange(channel.n_outputs), channel.n_outputs - 1
        factor = float(np.exp(_log_factor(tilt, np.array([float(n)]), channel.outputs, channel.matrix)[0]))
        for places in crowds(n):
            law = outputs_of(channel, places) * np.exp(tilt * scores / most)[:, None]
            law /= law.sum(axis=0)
            probs = reduce(np.convolve, law.T)
            for s in range(0, len(probs), 1 + len(probs) // 200):
                assert probs[s:] @ np.exp(-tilt * np.arange(len(probs) - s) / most) <= factor
            off = np.abs(scores[:, None] - scores @ law) / most
            variance, third = (law * off**2).sum(), (law * off**3).sum()
            bound = 1 / (tilt * np.sqrt(2 * np.pi * variance)) + 1.12 * third / variance**1.5
            assert factor >= min(1, bound)


def test_ends_are_those_of_the_best_tilt() -> None:
    """Without a factor, as in waves: by a search over tilts, of the places that a tilt refutes."""
    channel, n = window(6, 2, 3), 50
    counts = np.array([[5, 5, 10, 10, 10, 5, 5]])
    mean = float(counts[0] @ channel.outputs / n)
    places = np.linspace(0, 1, 4001)

    def refuted(log_tilt: float) -> float:
        tilt = np.exp(log_tilt)
        corners, heights = _log_moments(tilt, channel.outputs, channel.matrix)
        above = np.interp(places, corners, heights)
        return -float(places[np.searchsorted(above, tilt * mean + np.log(TAIL) / (n / 2))])

    best = optimize.minimize_scalar(refuted, bounds=(-1, 4), method="bounded")
    low, high = noise_means(counts, channel.outputs, channel.matrix, TAIL, Devices.alike(n, 2))
    assert float(low[0]) == pytest.approx(-best.fun, abs=1e-3)
    assert float(low[0] + high[0]) == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize(
    ("epsilon", "n", "most"),
    [("1", 60, 1.28), ("2", 60, 1.33), ("4", 60, 1.28), ("8", 60, 0.61), ("1", 1000, 1.08), ("2", 1000, 1.08)],
)
def test_half_widths_beside_those_of_the_normal_approximation_about_a_population(
    epsilon: str, n: int, most: float
) -> None:
    """1.36 to 1.66 by bets. Of numbers that are evenly spread, in a bell of deviation 15, and with a long tail."""
    channel = NumberChannel.of(best_segments(100, Decimal(epsilon)))
    places = np.linspace(0, 1, 101)
    crowds = np.stack([np.ones(101), np.exp(-((places - 0.5) ** 2) / 0.045), np.exp(-places / 0.15)])
    probs = crowds / crowds.sum(axis=1, keepdims=True) @ outputs_of(channel, places).T
    low, high = mean_bounds(n * probs, channel, Devices.alike(n, 1), IntervalOptions(target="respondents"), 1)
    normal = np.array([1.96 * place_error(n * of, channel) for of in probs])
    assert ((high.clip(0, 1) - low.clip(0, 1)) / 2 / normal).max() <= most


@pytest.mark.parametrize("channel", CHANNELS, ids=lambda channel: f"{channel.n_levels} levels")
def test_the_standard_error_about_respondents_is_that_of_the_most_noise(channel: NumberChannel) -> None:
    """Of people at two places around the mean, who have the most; half at each end vary more."""
    outputs, places = channel.outputs, np.linspace(0, 1, 401)
    law = outputs_of(channel, places)
    noise = outputs**2 @ law - (outputs @ law) ** 2
    part = (0.3 - places[:120]) / (places[121:, None] - places[:120])
    most = max(noise[120], ((1 - part) * noise[:120] + part * noise[121:, None]).max())
    drawn = 1000 * law[:, [0, -1]] @ [0.7, 0.3]
    found = place_error(drawn, channel, about="respondents")
    assert found == pytest.approx(np.sqrt(most / 1000) * channel.stretch, rel=2e-3)
    assert found < place_error(drawn, channel) or channel.is_binary
