"""Lower bounds of an epsilon from counts: exact, and honest about how many events were looked at.

An event that happens in x of n reports under one answer and in y of m under another has a log-ratio of probabilities of
at least ln(lower(x, n) / upper(y, m)), by the exact limits of Clopper & Pearson (1934). Every limit misses with
probability at most `tail`; if all tests of an audit share a probability (Bonferroni), its bounds hold all together but
for that.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

Floats = NDArray[np.float64]
_SMALL = 1e-3  # a tail whose limits are more than two standard errors away


class Counts(NamedTuple):
    """How often events happened, x of n reports under one answer and y of m under another; arrays of one shape."""

    x: NDArray[np.int64]
    n: NDArray[np.int64]
    y: NDArray[np.int64]
    m: NDArray[np.int64]

    @staticmethod
    def of(x: ArrayLike, n: ArrayLike, y: ArrayLike, m: ArrayLike) -> "Counts":
        """Return counts, as flat arrays."""
        flat = [np.ravel(part).astype(np.int64) for part in np.broadcast_arrays(x, n, y, m)]
        return Counts(*flat)

    @staticmethod
    def join(several: "Sequence[Counts]") -> "Counts":
        """Return all of these, one behind the other."""
        return Counts(*[np.concatenate(part) for part in zip(*several, strict=True)])

    def both_ways(self) -> "Counts":
        """Return these, the events' opposites, and both with the answers exchanged: four times as many, in that order.

        Event i, its opposite, and so on, are at i, size + i, 2 size + i, 3 size + i.
        """
        x, n, y, m = self
        opposite = Counts(n - x, n, m - y, m)
        return Counts.join([self, opposite, Counts(y, m, x, n), Counts(m - y, m, n - x, n)])


def rate_below(x: ArrayLike, n: ArrayLike, tail: float) -> Floats:
    """Return the lower limits of a probability of which x of n trials came out; it is below with at most `tail`.

    x in [0, n]; where n is 0 it is 0.
    """
    x, n = np.asarray(x, np.float64), np.asarray(n, np.float64)
    with np.errstate(invalid="ignore"):
        limits: Floats = np.where(x > 0, special.betaincinv(np.maximum(x, 1), n - x + 1, tail), 0.0)
    return limits


def rate_above(x: ArrayLike, n: ArrayLike, tail: float) -> Floats:
    """Return the upper limits of a probability of which x of n trials came out; it is above with at most `tail`."""
    x, n = np.asarray(x, np.float64), np.asarray(n, np.float64)
    return 1 - rate_below(n - x, n, tail)


def epsilon_below(counts: Counts, tail: float) -> Floats:
    """Return the lower bounds of the epsilon that each event takes, at least 0; each of both limits has `tail`.

    >>> round(float(epsilon_below(Counts.of(750, 1000, 0, 1000), 1e-7)[0]), 2)
    3.74
    """
    bounds: Floats = np.zeros(len(counts.x))
    is_above = counts.x * counts.m > counts.y * counts.n  # elsewhere the limits are on the wrong sides of both rates
    x, n, y, m = (part[is_above] for part in counts)
    with np.errstate(divide="ignore"):
        bounds[is_above] = np.maximum(0, np.log(rate_below(x, n, tail)) - np.log(rate_above(y, m, tail)))
    return bounds


def differ(counts: Counts, tail: float) -> NDArray[np.bool_]:
    """Return where two rates differ: their limits do not meet. Each of the four limits misses with `tail`."""
    apart = _may_differ(counts) if tail < _SMALL else np.ones(len(counts.x), np.bool_)
    x, n, y, m = (part[apart] for part in counts)
    apart[apart] = (rate_below(x, n, tail) > rate_above(y, m, tail)) | (rate_below(y, m, tail) > rate_above(x, n, tail))
    return apart


def _may_differ(counts: Counts) -> NDArray[np.bool_]:
    """Return where rates are two standard errors apart: nowhere else do limits of small tails not meet."""
    n, m = np.maximum(1, counts.n), np.maximum(1, counts.m)
    pooled = (counts.x + counts.y) / (n + m)
    gap = np.abs(counts.x / n - counts.y / m)
    may: NDArray[np.bool_] = gap > 2 * np.sqrt(pooled * (1 - pooled) * (1 / n + 1 / m))
    return may


def binomial_tails(x: ArrayLike, n: ArrayLike, prob: ArrayLike) -> Floats:
    """Return P(a count is as far out as this one), twice the smaller tail, of x of n events of a known probability."""
    x, n, prob = np.broadcast_arrays(np.asarray(x, np.float64), n, prob)
    below = np.where(x < n, special.betaincc(x + 1, np.maximum(n - x, 1), prob), 1.0)
    above = np.where(x > 0, special.betainc(np.maximum(x, 1), n - x + 1, prob), 1.0)
    tails: Floats = np.minimum(1.0, 2 * np.minimum(below, above))
    return tails
