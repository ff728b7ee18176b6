"""The power of Fisher's exact test: have two groups, or two crowds, the same share?

Answers of both come through the same channel. So their noisy counts have the same distribution if their shares are
equal, whatever these are, and given the sum of the counts each is hypergeometric (Fisher 1935): the level holds for
every n and every share. Each side has its tail of that.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy import special

from sotto_estimator.channel.channel import Channel, Floats
from sotto_estimator.errors import DomainError
from sotto_estimator.planning.counts import prob_at_most
from sotto_estimator.planning.options import check_share
from sotto_estimator.planning.power import LEAST_PLANNED, USUAL, Errors

MOST_ENUMERATED = 1_000
"""Powers are added up over all counts where n l (1 - l), l the mean reported share, is at most this: up to 4,000 in
each group, and up to far more where a report is rare. Beyond, by the normal approximation."""

_MOST_AHEAD = 72

_N_DEVIATIONS = 7.0
"""Counts further out have a probability below 1e-11 together, and count as not found."""

_N_TAIL_DEVIATIONS = 6.0
"""So far behind the critical count a tail is added up: what is left of it is below 1e-10 of any in use."""


@dataclass(frozen=True, slots=True)
class GroupsTest:
    """A test of two groups of n with these shares; one-sided towards the side on which the other lies."""

    channel: Channel
    share: float
    other_share: float
    errors: Errors = USUAL

    def __post_init__(self) -> None:
        if check_share(self.share) == check_share(self.other_share):
            raise DomainError(f"other_share ({self.other_share!r}) must differ from share ({self.share!r}).")

    @property
    def reported(self) -> tuple[float, float]:
        """The reported shares, the larger one first."""
        low, high = sorted([self.share, self.other_share])
        return self.channel.reported_share(high), self.channel.reported_share(low)

    def powers(self, n: Floats) -> Floats:
        """Return the probability that the test finds the difference, and on two sides that it finds its opposite."""
        return np.array([self._exact(int(size)) if self._is_enumerated(size) else self._normal(size) for size in n])

    def least_n(self) -> int:
        """Return 2: where counts are few, powers are exact."""
        return LEAST_PLANNED

    def n_ahead(self, n: int) -> float:
        """Return as many sizes as a step of the critical difference takes at most to be made up for."""
        return min(math.sqrt(n) + 8, _MOST_AHEAD) if self._is_enumerated(n) else 0

    def _is_enumerated(self, n: float) -> bool:
        middle = sum(self.reported) / 2
        return n * middle * (1 - middle) <= MOST_ENUMERATED

    def _exact(self, n: int) -> float:
        high, low = self.reported
        found = prob_found(n, high, low, self.errors.tail)
        return found if self.errors.n_sides == 1 else found + prob_found(n, low, high, self.errors.tail)

    def _normal(self, n: float) -> float:
        """Return the power with Fisher's correction for whole counts (Casagrande, Pike & Smith 1978)."""
        high, low = self.reported
        middle = (high + low) / 2
        gap = n * (high - low) - 1
        critical = -float(special.ndtri(self.errors.tail)) * math.sqrt(2 * n * middle * (1 - middle))
        return float(special.ndtr((gap - critical) / math.sqrt(n * (high * (1 - high) + low * (1 - low)))))


def prob_found(n: int, first: float, second: float, tail: float) -> float:
    """Return the probability that the first of two counts of n is large enough, given their sum, to be in the tail.

    `first`, `second`: the probabilities of a report to be counted. Over all first counts that are not too rare: the
    second may be so small that the sum's critical count is not above the first.
    """
    (start, stop), (low, high) = likely_counts(n, first), likely_counts(n, second)
    sums = np.arange(start + low, stop + high + 1, dtype=np.float64)
    critical = critical_counts(sums, n, tail)
    counts = np.arange(start, stop + 1, dtype=np.float64)
    most = sums[0] + np.searchsorted(critical, counts, side="right") - 1 - counts
    below = np.where(most >= low, prob_at_most(most, np.full_like(counts, n), second), 0.0)
    return float(likely_probs(counts, n, first) @ below)


def critical_counts(sums: Floats, n: int, tail: float) -> Floats:
    """Return the least c with P(S1 >= c | S1 + S2 = sum) <= tail, of two counts of n; sum + 1 where none has.

    Shape of sums, which are whole and in [0, 2 n]. They grow with the sum, by 0 or 1. From a few below the normal
    critical count on, the probabilities' ratios are multiplied, and added up from the far end.
    """
    mean, deviation = sums / 2, np.sqrt(sums * (2 * n - sums) / (4 * (2 * n - 1)))
    least = np.maximum(0, sums - n)
    start = np.clip(np.floor(mean - special.ndtri(tail) * deviation) - 3, least, np.minimum(sums, n))
    steps = np.arange(math.ceil(_N_TAIL_DEVIATIONS * deviation.max()) + 8, dtype=np.float64)
    at = start[:, None] + steps
    ratios = (sums[:, None] - at) * (n - at) / ((at + 1) * (n - sums[:, None] + at + 1))
    sizes = np.cumprod(np.maximum(ratios[:, :-1], 0), axis=1)
    first = np.exp(_log_choose(n, start) + _log_choose(n, sums - start) - _log_choose(2 * n, sums))
    probs = first[:, None] * np.concatenate([np.ones_like(start)[:, None], sizes], axis=1)
    tails = np.cumsum(probs[:, ::-1], axis=1)[:, ::-1]
    critical = start + (tails > tail).sum(axis=1)
    return np.where(critical > np.minimum(sums, n), sums + 1, critical)


def likely_counts(n: int, share: float) -> tuple[int, int]:
    """Return the least and the largest count that is not too rare."""
    reach = _N_DEVIATIONS * math.sqrt(n * share * (1 - share)) + 8
    return max(0, math.floor(n * share - reach)), min(n, math.ceil(n * share + reach))


def likely_probs(counts: Floats, n: int, share: float) -> Floats:
    """Return the probabilities of successive likely counts: their ratios multiplied, since logs of n! lose digits."""
    if share in (0, 1):
        return np.where(counts == n * share, 1.0, 0.0)
    ratios = (n - counts[:-1]) / (counts[:-1] + 1) * (share / (1 - share))
    logs = np.concatenate([[0.0], np.cumsum(np.log(ratios))])
    sizes = np.exp(logs - logs.max())
    return np.asarray(sizes / sizes.sum())


def _log_choose(n: float, k: Floats) -> Floats:
    return np.asarray(special.gammaln(n + 1) - special.gammaln(k + 1) - special.gammaln(n - k + 1))
