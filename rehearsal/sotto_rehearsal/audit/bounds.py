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
    low, high = rate_below(counts.x, counts.n, tail), rate_above(counts.y, counts.m, tail)
    with np.errstate(divide="ignore"):
        bounds: Floats = np.maximum(0, np.log(low) - np.log(high))
    return bounds


def differ(counts: Counts, tail: float) -> NDArray[np.bool_]:
    """Return where two rates differ: their limits do not meet. Each of the four limits misses with `tail`."""
    lows = [rate_below(part, of, tail) for part, of in ((counts.x, counts.n), (counts.y, counts.m))]
    highs = [rate_above(part, of, tail) for part, of in ((counts.x, counts.n), (counts.y, counts.m))]
    apart: NDArray[np.bool_] = (lows[0] > highs[1]) | (lows[1] > highs[0])
    return apart
