"""The distribution of numbers: shares of bins by maximum likelihood, smoothed as much as held-out reports ask for.

A density is a mixture of bumps, one for each bin, all of one bandwidth; their weights are those of the largest
likelihood, which is concave (`association.em`). The bandwidth, none included, is the one that makes reports likeliest
which were held out of the fit: with few reports, or much noise, bumps are wide; with many they are single bins.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from sotto_estimator.channel.channel import Floats
from sotto_estimator.likelihood.em import fit
from sotto_estimator.likelihood.latent_classes import Mixture
from sotto_estimator.numbers.channel import NumberChannel

MAX_BINS = 64
_BANDWIDTHS = (0, 1, 2, 4, 8)
"""Standard deviations of bumps, of 64 bins; of fewer as many bins less."""
_NEAR = 1.0
"""The widest bandwidth is taken whose held-out log-likelihood is so near the largest: chance decides on less."""
_N_FOLDS = 5
_TOLERANCE = 1e-2  # of a log-likelihood: half of one is a standard error
_TOLERANCE_PER_REPORT = 1e-10  # of many reports: shares are then right to about 1e-5
_N_PLACES = 64  # at so many places at most a bin's reports are averaged
_SEED = 1


def bin_edges(n_values: int, most_bins: int) -> NDArray[np.int64]:
    """Return where bins begin, and the last ends, shape (n_bins + 1,), of steps 0 .. n_values - 1.

    Each holds 1, 2, 5, 10, .. values, as few as make no more than so many bins; the last may hold fewer.
    """
    scales = (factor * 10**exponent for exponent in range(11) for factor in (1, 2, 5))
    size = next(scale for scale in scales if -(-n_values // scale) <= most_bins)
    return np.append(np.arange(0, n_values, size), n_values)


def bin_columns(channel: NumberChannel, edges: NDArray[np.int64]) -> Floats:
    """Return P(output | bin), shape (n_outputs, n_bins), of numbers that are spread evenly in their bin."""
    last, n_levels = int(edges[-1]) - 1, channel.n_levels
    columns = []
    for first, end in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        steps = np.linspace(first, end - 1, min(end - first, _N_PLACES))
        at = steps / last * (n_levels - 1)
        below = np.minimum(at.astype(np.intp), n_levels - 2)
        weights = np.bincount(below, 1 - (at - below), n_levels) + np.bincount(below + 1, at - below, n_levels)
        columns.append(channel.matrix @ (weights / len(steps)))
    return np.stack(columns, axis=1)


def fit_density(columns: Floats, histogram: NDArray[np.integer], bandwidth: float) -> Floats:
    """Return the shares of bins, shape (n_bins,), that are a mixture of bumps and make the reports likeliest."""
    bumps = _bumps(columns.shape[1], bandwidth)
    counted = histogram > 0
    mixture = Mixture(((columns @ bumps)[counted],), histogram[counted])
    tolerance = max(_TOLERANCE, _TOLERANCE_PER_REPORT * float(histogram.sum()))
    shares: Floats = bumps @ fit(mixture, tolerance=tolerance).shares
    return shares


def choose_bandwidth(columns: Floats, histogram: NDArray[np.int64]) -> float:
    """Return the widest bandwidth, in bins, of about the largest likelihood of reports that were not fitted.

    Each fold holds about a fifth of the reports, drawn by a fixed seed. Of fewer than five reports the widest of all is
    taken.
    """
    bandwidths = _bandwidths(columns)
    if histogram.sum() < _N_FOLDS:
        return bandwidths[-1]
    folds = _folds(histogram)
    scores = [sum(_held_out(columns, histogram, fold, bandwidth) for fold in folds) for bandwidth in bandwidths]
    return max(width for width, score in zip(bandwidths, scores, strict=True) if score >= max(scores) - _NEAR)


def narrower(columns: Floats, bandwidth: float) -> float:
    """Return the bandwidth before one of `choose_bandwidth`'s: its fits vary more, and are less biased."""
    bandwidths = _bandwidths(columns)
    return bandwidths[max(0, bandwidths.index(bandwidth) - 1)]


def _bandwidths(columns: Floats) -> list[float]:
    return [width * columns.shape[1] / MAX_BINS for width in _BANDWIDTHS]


def _held_out(columns: Floats, histogram: NDArray[np.int64], fold: NDArray[np.int64], bandwidth: float) -> float:
    density = columns @ fit_density(columns, histogram - fold, bandwidth)
    return float(fold @ np.log(density))


def _folds(histogram: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return about equal parts of a histogram, shape (_N_FOLDS, n_outputs): each report goes to any one of them."""
    parts: NDArray[np.int64] = np.random.default_rng(_SEED).multinomial(histogram, [1 / _N_FOLDS] * _N_FOLDS)
    return parts.T


@lru_cache(maxsize=16)
def _bumps(n_bins: int, bandwidth: float) -> Floats:
    """Return each bin's bump, a column that adds up to 1: a normal density, cut at the ends."""
    if bandwidth == 0:
        return np.eye(n_bins)
    distance = np.arange(n_bins)[:, None] - np.arange(n_bins)
    bumps: Floats = np.exp(-0.5 * (distance / bandwidth) ** 2)
    bumps /= bumps.sum(axis=0)
    return bumps
