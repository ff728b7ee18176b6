"""The distribution of numbers: near the truth, smoothed only as far as the reports ask for, and the same each time."""

import os
from decimal import Decimal
from itertools import pairwise

import numpy as np
import pytest

from sotto_estimator.channel.devices import Devices
from sotto_estimator.numbers.channel import NumberChannel
from sotto_estimator.numbers.counts import NumberCounts
from sotto_estimator.numbers.density import bin_columns, bin_edges, choose_bandwidth, fit_density
from sotto_estimator.numbers.distribution import PROBS, Distribution, estimate_distribution, has_distribution
from sotto_protocol.mechanisms.segment_design import best_segments
from sotto_protocol.mechanisms.window_design import window
from sotto_protocol.questions.number import Number

AGES = Number((), 0, 120, 1, "years")
STEPS = np.arange(121)
AGE = np.exp(-0.5 * ((STEPS - 45) / 18) ** 2) / np.exp(-0.5 * ((STEPS - 45) / 18) ** 2).sum()
SPIKED = 0.6 * AGE + 0.4 * (STEPS == 65)
"""Many say 65."""


def channel_of(epsilon: str, levels: int | None = 64, kind: Number = AGES) -> NumberChannel:
    return NumberChannel.of(window(kind.n_options - 1, Decimal(epsilon), levels))


def outputs(channel: NumberChannel, shares: np.ndarray) -> np.ndarray:
    """Return the distribution of outputs, each number rounded to the level below or above."""
    at = np.arange(len(shares)) / (len(shares) - 1) * (channel.n_levels - 1)
    rounded = np.maximum(0, 1 - np.abs(at[:, None] - np.arange(channel.n_levels)))
    return channel.matrix @ (shares @ rounded)


def drawn(
    epsilon: str,
    shares: np.ndarray,
    n: int,
    seed: int = 0,
    n_waves: int = 1,
    channel: NumberChannel | None = None,
) -> NumberCounts:
    channel = channel or channel_of(epsilon)
    histogram = np.random.default_rng(seed).multinomial(n, outputs(channel, shares))
    return NumberCounts("age", AGES, channel, float(epsilon), histogram, Devices.alike(n, n_waves))


def found_of(counts: NumberCounts, level: float = 0.95) -> Distribution:
    return estimate_distribution(counts, level)


def distance(found: Distribution, shares: np.ndarray) -> float:
    """Return the mean difference of the distribution functions, at the bins' ends (Wasserstein, of a range of 1)."""
    ends = [int(each.last) for each in found.bins]
    return float(np.abs(np.cumsum([each.share for each in found.bins]) - np.cumsum(shares)[ends]).mean())


@pytest.mark.few(2, "rare")
@pytest.mark.thorough
@pytest.mark.parametrize(
    ("epsilon", "shares", "n", "most"),
    [
        ("1", AGE, 10_000, 0.02),
        ("2", AGE, 10_000, 0.01),
        ("4", AGE, 10_000, 0.006),
        ("1", AGE, 10**6, 0.004),
        ("2", AGE, 10**6, 0.002),
        ("2", SPIKED, 10**6, 0.006),
        ("2", AGE, 2**52, 0.001),
    ],
)
def test_density_is_near_the_truth(epsilon: str, shares: np.ndarray, n: int, most: float) -> None:
    """About twice what ten seeds have on average."""
    assert distance(found_of(drawn(epsilon, shares, n)), shares) <= most


@pytest.mark.thorough
def test_smoothing_gives_way_to_many_reports_and_to_spikes() -> None:
    few, many = (found_of(drawn("2", SPIKED, n)).bandwidth for n in (300, 10**6))
    assert few > many == 0
    assert found_of(drawn("2", AGE, 10**6)).bandwidth > 5


def test_noise_free_outputs_give_the_density_back() -> None:
    """Of all reports that are expected, and no smoothing: maximum likelihood is the truth itself."""
    kind = Number((), 1, 5, 1, "")
    channel, shares = channel_of("2", 5, kind), np.array([0.1, 0.4, 0.05, 0.25, 0.2])
    columns = bin_columns(channel, bin_edges(5, 5))
    assert columns == pytest.approx(channel.matrix)
    fitted = fit_density(columns, np.rint(1e9 * outputs(channel, shares)).astype(np.int64), 0)
    assert fitted == pytest.approx(shares, abs=1e-4)


def test_columns_of_bins_are_the_mean_of_their_numbers_columns() -> None:
    channel = channel_of("1")
    edges = bin_edges(121, 61)
    for column, (first, end) in zip(bin_columns(channel, edges).T, pairwise(edges.tolist()), strict=True):
        spread = np.isin(STEPS, np.arange(first, end)) / (end - first)
        assert column == pytest.approx(outputs(channel, spread), abs=1e-12)


@pytest.mark.parametrize(
    ("n_values", "most", "size"), [(5, 64, 1), (64, 64, 1), (65, 64, 2), (121, 64, 2), (2**32, 64, 10**8)]
)
def test_bins_hold_round_numbers_of_values_and_all_of_them(n_values: int, most: int, size: int) -> None:
    edges = bin_edges(n_values, most)
    assert (edges[0], edges[-1]) == (0, n_values)
    assert set(np.diff(edges)[:-1].tolist()) <= {size}
    assert len(edges) <= most + 1
    assert 0 < edges[-1] - edges[-2] <= size


def test_quantiles_are_the_numbers_that_so_many_do_not_exceed() -> None:
    found = found_of(drawn("4", AGE, 10**6))
    exact = [int(np.searchsorted(np.cumsum(AGE), prob)) for prob in PROBS]
    assert [quantile.value for quantile in found.quantiles] == pytest.approx(exact, abs=1)
    for quantile, truth in zip(found.quantiles, exact, strict=True):
        assert quantile.low <= quantile.value <= quantile.high
        assert quantile.low - 1 <= truth <= quantile.high + 1


@pytest.mark.thorough
@pytest.mark.parametrize("channel", [channel_of("2"), NumberChannel.of(best_segments(120, Decimal(2)))])
def test_quantiles_intervals_hold_about_as_often_as_they_say(channel: NumberChannel) -> None:
    """Approximate: of .95, at least .85 of those of thirty surveys; bounded, of ten. A third of the width holds .46."""
    n_surveys = 30 if os.environ.get("SOTTO_TEST_FULL") else 10
    exact = [int(np.searchsorted(np.cumsum(AGE), prob)) for prob in PROBS]
    held = [
        quantile.low <= truth <= quantile.high
        for seed in range(n_surveys)
        for quantile, truth in zip(found_of(drawn("2", AGE, 10_000, seed, 1, channel)).quantiles, exact, strict=True)
    ]
    assert np.mean(held) >= 0.85


def test_the_same_counts_give_the_same_distribution_and_a_higher_level_wider_quantiles() -> None:
    counts = drawn("1", AGE, 5000)
    assert found_of(counts) == found_of(counts)
    narrow, wide = found_of(counts, 0.5), found_of(counts, 0.99)
    for less, more in zip(narrow.quantiles, wide.quantiles, strict=True):
        assert more.low <= less.low <= less.high <= more.high


def test_reports_of_one_device_in_two_waves_are_worth_half_as_many() -> None:
    once, twice = (found_of(drawn("1", AGE, 20_000, n_waves=n_waves)) for n_waves in (1, 2))
    assert once.bins == twice.bins
    widths = [sum(quantile.high - quantile.low for quantile in of.quantiles) for of in (once, twice)]
    assert widths[1] > 1.1 * widths[0]


def test_quantiles_of_a_few_reports_are_hardly_known() -> None:
    """One report shows nearly nothing, and its copies are no resamples: those are drawn from the density found."""
    exact = [int(np.searchsorted(np.cumsum(AGE), prob)) for prob in PROBS]
    for seed in range(8):
        found = found_of(drawn("1", AGE, 1, seed)).quantiles
        assert all(quantile.low <= truth <= quantile.high for quantile, truth in zip(found, exact, strict=True))
    assert found_of(drawn("1", AGE, 1), 0.999999).quantiles[2].high == AGES.maximum


@pytest.mark.parametrize("n", [1, 3, 7])
def test_a_few_reports_have_a_distribution(n: int) -> None:
    found = found_of(drawn("1", AGE, n))
    assert sum(each.share for each in found.bins) == pytest.approx(1)


def test_only_many_levels_or_every_number_show_a_distribution() -> None:
    def shows(epsilon: str, levels: int | None, kind: Number) -> bool:
        channel = channel_of(epsilon, levels, kind)
        return has_distribution(
            NumberCounts("q", kind, channel, 1.0, np.zeros(channel.n_outputs, np.int64), Devices.alike(0, 1))
        )

    rating = Number((), 1, 5, 1, "")
    by_segments = NumberChannel.of(best_segments(120, Decimal(1)))
    assert has_distribution(drawn("1", AGE, 9, channel=by_segments))
    assert shows("1", 64, AGES)
    assert shows("1", 5, rating)
    assert not shows("1", None, AGES)
    assert not shows("1", 3, rating)
    assert not shows("1", 2, Number((), 0, 1, 1, ""))


def test_the_widest_bandwidth_is_taken_of_fewer_than_five_reports() -> None:
    channel = channel_of("1")
    columns = bin_columns(channel, bin_edges(121, 64))
    histogram = np.zeros(channel.n_outputs, np.int64)
    histogram[:4] = 1
    assert choose_bandwidth(columns, histogram) == pytest.approx(8 * columns.shape[1] / 64)
