"""Mean and percentiles of the durations of those loads that truly had high confidence, or low, with intervals.

Notation: of record i the rate p, a = 1 - p/2, b = p/2, c = 1 - p, R whether it says this stratum, w = (R - b) / c,
whose mean is 1 if it truly is of the stratum and 0 if not (W3C Navigation Timing, Level 2). y = duration - m, or for
a percentile (duration <= t) - q: sum w y is near 0 at the true m, and at the true t.

Its noise has the variance sum (a b / c^2) y^2, whatever is true. About these records nothing else is random, and the
noise of one is sub-Gaussian with the proxy 1 / (2 epsilon c), epsilon = ln(a / b) (Kearns & Saul 1998): so
|sum w y| <= sqrt(2 ln(2 / beta) sum proxy y^2) with probability 1 - beta, for every n. About the population it is
random too which loads there are: the normal distribution with the variance of both is taken, which is approximate.
"""

import math
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy import special

from sotto_estimator.channel.channel import Floats, Target
from sotto_estimator.formats.timing_cells import TimingCells

_SMALLEST_RATE = 1e-300


@dataclass(frozen=True, slots=True)
class Located:
    """A mean or a percentile, in ms, with its interval; a percentile has no standard error.

    `value` is None where the weights of the stratum do not add up to more than 0. An end that is not known is 0 or
    infinite; about these records it is the least or the largest duration.
    """

    value: float | None
    standard_error: float | None
    low: float
    high: float


@dataclass(frozen=True, slots=True, eq=False)
class WeightedDurations:
    """A stratum's weights, added up by duration: all of shape (n_durations,), in order.

    `noises`: the variances of the weights' noise; `proxies`: what bounds it as if it were normal with this variance.
    """

    durations_ms: Floats
    weights: Floats
    noises: Floats
    proxies: Floats
    step_ms: float

    @classmethod
    def of(cls, cells: TimingCells, *, is_high: bool) -> Self:
        """Return the weights of the loads that truly had high confidence, or low."""
        said, not_said = (cells.n_high, cells.n_low) if is_high else (cells.n_low, cells.n_high)
        true, other, contrast = 1 - cells.rates / 2, cells.rates / 2, 1 - cells.rates
        weights = (said * true - not_said * other) / contrast
        n, epsilons = said + not_said, np.log(true / np.maximum(other, _SMALLEST_RATE))
        proxies = np.where(other > 0, n / (2 * epsilons * contrast), 0)
        durations, place = np.unique(cells.durations_ms, return_inverse=True)
        noises = n * true * other / contrast**2
        return cls(durations, _sums(place, weights), _sums(place, noises), _sums(place, proxies), step_ms=cells.step_ms)

    @property
    def total(self) -> float:
        """The estimated number of records of the stratum."""
        return float(self.weights.sum())

    def mean(self, tail: float, target: Target) -> Located:
        """Return the mean: all m with |sum w (d - m)| within its bound, a quadratic in m (Fieller 1954)."""
        centre = float(np.average(self.durations_ms))
        d, total = self.durations_ms - centre, self.total
        variances, z_squared = self._variances(tail, target)
        sums = [float((variances * d**power).sum()) for power in range(3)]
        first = float((self.weights * d).sum())
        square, half = total**2 - z_squared * sums[0], total * first - z_squared * sums[1]
        constant = first**2 - z_squared * sums[2]
        low, high = self._unknown(target)
        if total > 0 and square > 0:
            root = math.sqrt(max(0.0, half**2 - square * constant))
            low, high = max(low, centre + (half - root) / square), min(high, centre + (half + root) / square)
        if total <= 0:
            return self._widened(None, None, low, high)
        value = first / total
        spread = self.noises + self.weights if target == "population" else self.noises
        error = math.sqrt(max(0.0, float((spread * (d - value) ** 2).sum()))) / total
        return self._widened(centre + value, error, low, high)

    def percentile(self, share: float, tail: float, target: Target) -> Located:
        """Return the duration below which this share of the stratum lies, interpolated as Navigation Timing does.

        The low end is the least t where sum w ((d <= t) - q) is not below its bound, the high end the last where the
        sum over (d < t) is not above it: durations that are equal do no harm.
        """
        d, total = self.durations_ms, self.total
        below = np.cumsum(self.weights) - share * total
        bound = self._bounds(share, tail, target)
        low, high = self._unknown(target)
        # bound[k]: of the sum where the k shortest durations are below; sums[0] is of none.
        sums = np.concatenate([[-share * total], below])
        not_low, not_high = np.flatnonzero(sums >= -bound), np.flatnonzero(sums <= bound)
        if not_low.size and not_low[0] > 0:
            low = float(d[not_low[0] - 1])
        if not_high.size and not_high[-1] < d.size:
            high = float(d[not_high[-1]])
        value = _interpolated(d, np.cumsum(self.weights) / total, share) if total > 0 else None
        return self._widened(value, None, min(low, high), max(low, high))

    def _bounds(self, share: float, tail: float, target: Target) -> Floats:
        """Return what sum w ((d <= t) - q) stays within at the true t, by how many durations are <= t."""
        parts = self.noises if target == "population" else self.proxies
        below = np.concatenate([[0.0], np.cumsum(parts)])
        noise = (1 - share) ** 2 * below + share**2 * (below[-1] - below)
        if target == "respondents":
            factor = math.sqrt(-2 * math.log(tail))
        else:
            noise += max(self.total, 1.0) * share * (1 - share)  # of who is below t, at the true t
            factor = -float(special.ndtri(tail))
        bounds: Floats = factor * np.sqrt(noise)
        return bounds

    def _variances(self, tail: float, target: Target) -> tuple[Floats, float]:
        if target == "respondents":
            return self.proxies, -2 * math.log(tail)
        return self.noises + self.weights, float(special.ndtri(tail) ** 2)

    def _unknown(self, target: Target) -> tuple[float, float]:
        if target == "population":
            return 0.0, math.inf
        return float(self.durations_ms[0]), float(self.durations_ms[-1])

    def _widened(self, value: float | None, error: float | None, low: float, high: float) -> Located:
        return Located(value, error, max(0.0, low - self.step_ms), high + self.step_ms)


def _sums(place: NDArray[np.intp], values: Floats) -> Floats:
    return np.bincount(place, values).astype(np.float64)


def _interpolated(durations: Floats, shares: Floats, share: float) -> float:
    """Return where the cumulated weights first reach the share, between that duration and the one before it."""
    reached = np.flatnonzero(shares >= share)
    if not reached.size:
        return float(durations[-1])
    at = int(reached[0])
    if at == 0 or shares[at] == shares[at - 1]:
        return float(durations[at])
    part = (share - shares[at - 1]) / (shares[at] - shares[at - 1])
    return float(durations[at - 1] + (durations[at] - durations[at - 1]) * part)
