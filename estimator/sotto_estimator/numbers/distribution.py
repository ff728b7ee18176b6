"""The distribution of a question's numbers: shares of bins, and quantiles with about how far chance moves them.

The mean's interval is guaranteed (`mean.py`). These are not: a density is smoothed, and intervals of quantiles are a
bootstrap's (Efron 1979), which knows chance and no bias. They come from a fixed seed: the same counts give the same.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np
from scipy.special import ndtri

from sotto_estimator.channel.channel import Floats
from sotto_estimator.intervals.intervals import IntervalOptions
from sotto_estimator.numbers.counts import NumberCounts
from sotto_estimator.numbers.density import MAX_BINS, bin_columns, bin_edges, choose_bandwidth, fit_density, narrower

PROBS = (0.1, 0.25, 0.5, 0.75, 0.9)
"""Of the quantiles: the median, quartiles and deciles."""
N_RESAMPLES = 100
_LEAST_LEVELS = 16
_SEED = 2


@dataclass(frozen=True, slots=True)
class Bin:
    """The estimated share of numbers from `first` to `last`, both included."""

    first: float
    last: float
    share: float


@dataclass(frozen=True, slots=True)
class Quantile:
    """The number that a share `prob` of the numbers does not exceed; `low` to `high` is approximate."""

    prob: float
    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Distribution:
    """The estimated distribution of one question's numbers. `bandwidth`: of the smoothing, in `unit`; 0 if none."""

    kind: ClassVar = "distribution"
    is_told: ClassVar = True

    question: str
    unit: str
    n_reports: int
    bandwidth: float
    bins: tuple[Bin, ...]
    quantiles: tuple[Quantile, ...]

    def voided(self) -> "VoidedDistribution":
        """Return the counts alone, for counts that contradict the design."""
        return VoidedDistribution(self.question, self.unit, self.n_reports)

    @property
    def bars(self) -> list[tuple[float, float, float]]:
        """Where each bin begins and ends when drawn, and its share: to the next's first number, or round its only one.

        None of a single bin.
        """
        if len(self.bins) < 2:
            return []
        step = self.bins[1].first - self.bins[0].last
        shift = step / 2 if self.bins[0].first == self.bins[0].last else 0
        return [(each.first - shift, each.last + step - shift, each.share) for each in self.bins]


@dataclass(frozen=True, slots=True)
class VoidedDistribution:
    """A distribution of which nothing may be said, since the question's counts contradict the design."""

    kind: ClassVar = "distribution"
    is_told: ClassVar = False

    question: str
    unit: str
    n_reports: int
    bandwidth: None = None
    bins: None = None
    quantiles: None = None


def has_distribution(counts: NumberCounts) -> bool:
    """Whether the reports show more than the mean: their levels are many, or every number is one, of three or more."""
    return counts.channel.n_levels >= min(_LEAST_LEVELS, max(3, counts.kind.n_options))


def distributions_of(counts: NumberCounts, options: IntervalOptions, n_intervals: int) -> list[Distribution]:
    """Return what stands beside a mean: a distribution, where the reports show one."""
    return [estimate_distribution(counts, options.level)] if has_distribution(counts) else []


def estimate_distribution(counts: NumberCounts, level: float) -> Distribution:
    """Return the distribution of a histogram of one report or more of which `has_distribution`.

    Resamples are of as many reports as pooled ones are worth, drawn from the density that was found (the parametric
    bootstrap), and smoothed a step less, so that the intervals of quantiles allow for some of its bias. How far their
    quantiles are off by the root of the mean square, times a normal quantile, makes the intervals: at any level.
    """
    edges = bin_edges(counts.kind.n_options, min(MAX_BINS, counts.channel.n_levels))
    columns, n = bin_columns(counts.channel, edges), max(1, round(counts.n_reports / counts.devices.effect))
    bandwidth, shares, resampled = _fit(columns.tobytes(), counts.histogram.tobytes(), n)
    found = np.array([_quantiles(of_resample, edges) for of_resample in resampled])
    values = _quantiles(shares, edges)
    half = -ndtri((1 - level) / 2) * np.sqrt(np.mean((found - values) ** 2, axis=0))
    low, high = np.maximum(np.floor(values - half), 0), np.minimum(np.ceil(values + half), edges[-1] - 1)
    ends = zip(PROBS, values, low, high, strict=True)
    width = counts.value_of(int(edges[1])) - float(counts.kind.minimum) if len(edges) > 2 else 0.0
    return Distribution(
        counts.question,
        counts.kind.unit,
        counts.n_reports,
        bandwidth * width,
        tuple(
            Bin(counts.value_of(first), counts.value_of(end - 1), share)
            for first, end, share in zip(edges[:-1].tolist(), edges[1:].tolist(), shares.tolist(), strict=True)
        ),
        tuple(Quantile(prob, *(counts.value_of(step) for step in map(int, steps))) for prob, *steps in ends),
    )


@lru_cache(maxsize=128)
def _fit(columns: bytes, histogram: bytes, n_resampled: int) -> tuple[float, Floats, Floats]:
    """Return the bandwidth, the shares of bins, and those of N_RESAMPLES resamples, of arrays as bytes.

    Kept, as it takes a tenth of a second or more and depends on no choice of intervals.
    """
    counted = np.frombuffer(histogram, np.int64)
    channel = np.frombuffer(columns).reshape(len(counted), -1)
    bandwidth = choose_bandwidth(channel, counted)
    shares = fit_density(channel, counted, bandwidth)
    outputs = channel @ shares
    resamples = np.random.default_rng(_SEED).multinomial(n_resampled, outputs / outputs.sum(), N_RESAMPLES)
    less = narrower(channel, bandwidth)
    return bandwidth, shares, np.array([fit_density(channel, resample, less) for resample in resamples])


def _quantiles(shares: Floats, edges: np.ndarray[tuple[int], np.dtype[np.int64]]) -> Floats:
    """Return the least steps up to which there are the shares PROBS, of numbers that are spread evenly in bins."""
    above = np.concatenate([[0.0], np.cumsum(shares) / shares.sum()])
    above[-1] = 1.0
    at = np.searchsorted(above, PROBS, side="left").clip(1) - 1
    part = (np.array(PROBS) - above[at]) / np.maximum(above[at + 1] - above[at], 1e-300)
    size = edges[at + 1] - edges[at]
    return np.asarray(edges[at] + np.ceil(part * size - 1e-9).clip(1, size) - 1)
