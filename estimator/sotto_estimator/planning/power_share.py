"""The power of the exact binomial test of a share: is it s, or something else?

The test rejects where Clopper and Pearson's interval of the same tails misses s: at level 1 - alpha two-sided, at
1 - 2 alpha one-sided. So its level holds for every n.
"""

import math
from dataclasses import dataclass

import numpy as np

from sotto_estimator.channel.channel import Channel, Floats
from sotto_estimator.errors import DomainError
from sotto_estimator.planning.counts import least_counts, prob_at_least, prob_at_most
from sotto_estimator.planning.options import check_share
from sotto_estimator.planning.power import LEAST_PLANNED, MAX_AHEAD, USUAL, Errors

_N_GAPS = 8
"""So many counts' worth of the difference: over as many sizes teeth can still undo it."""


@dataclass(frozen=True, slots=True)
class ShareTest:
    """A test of the share `null` where the true one is `share`; one-sided towards the side where that lies."""

    channel: Channel
    null: float
    share: float
    errors: Errors = USUAL

    def __post_init__(self) -> None:
        if check_share(self.null) == check_share(self.share):
            raise DomainError(f"share ({self.share!r}) must differ from null ({self.null!r}).")

    def powers(self, n: Floats) -> Floats:
        """Return the probability that the count lies in a tail of the null's, exactly; shape of n."""
        null, true = self.channel.reported_share(self.null), self.channel.reported_share(self.share)
        above = prob_at_least(critical_above(n, null, self.errors.tail), n, true)
        below = prob_at_most(critical_below(n, null, self.errors.tail), n, true)
        if self.errors.n_sides == 2:
            return above + below
        return above if self.share > self.null else below

    def least_n(self) -> int:
        """Return 2: powers are exact."""
        return LEAST_PLANNED

    def n_ahead(self, n: int) -> float:
        """Return in how many sizes the expected count gains `_N_GAPS` on that of the null."""
        return min(_N_GAPS / (self.channel.contrast * abs(self.share - self.null)), MAX_AHEAD)


def critical_above(n: Floats, reported_share: float, tail: float) -> Floats:
    """Return the least counts c with P(S >= c) <= tail, S ~ Binomial(n, reported_share); n + 1 where none has.

    Shape of n. Domain: tail in (0, 1/2). It lies between the median and Bernstein's bound.
    """
    mean = n * reported_share
    bound = np.ceil(mean + _deviation(n, reported_share, tail)) + 1
    return least_counts(np.floor(mean), np.minimum(bound, n + 1), lambda c: prob_at_least(c, n, reported_share) <= tail)


def critical_below(n: Floats, reported_share: float, tail: float) -> Floats:
    """Return the greatest counts c with P(S <= c) <= tail, -1 where none has, as `critical_above`."""
    mean = n * reported_share
    bound = np.floor(mean - _deviation(n, reported_share, tail)) - 1
    return -least_counts(-np.ceil(mean), -np.maximum(bound, -1), lambda c: prob_at_most(-c, n, reported_share) <= tail)


def _deviation(n: Floats, reported_share: float, tail: float) -> Floats:
    """Return a t of which P(S >= mean + t) and P(S <= mean - t) are at most the tail: Bernstein's.

    It solves exp(-t^2 / (2 variance + 2 t / 3)) = tail.
    """
    log_tail = -math.log(tail)
    variance = n * reported_share * (1 - reported_share)
    return np.asarray(log_tail / 3 + np.sqrt(log_tail**2 / 9 + 2 * variance * log_tail))
