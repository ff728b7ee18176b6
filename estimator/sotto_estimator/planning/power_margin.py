"""The power to show that a share is within a margin of another one, or that two groups' shares are.

The tests are those of `sotto test --within`, each side at alpha (Schuirmann 1987): Clopper and Pearson's tails of one
share; Chernoff's bound of a difference, which goes by the counts' difference alone where n and channel are the same.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from sotto_estimator.channel.channel import Channel, Floats
from sotto_estimator.errors import DomainError
from sotto_estimator.intervals.difference import p_of_rows
from sotto_estimator.intervals.margin import Margin, margin_around
from sotto_estimator.planning.counts import least_counts, prob_at_most
from sotto_estimator.planning.options import check_share
from sotto_estimator.planning.power import LEAST_PLANNED, MAX_AHEAD, USUAL, Errors
from sotto_estimator.planning.power_groups import GroupsTest, likely_counts, likely_probs
from sotto_estimator.planning.power_share import ShareTest, critical_above, critical_below

MOST_ENUMERATED = 10_000
"""Powers are added up over all counts where n l (1 - l), l the mean reported share, is at most this; beyond, they are
by the normal distribution."""
_N_GAPS = 4
"""So many counts' worth of what lies between the truth and the margin: over as many sizes teeth can still undo it."""
_BEYOND = 1.05
"""Times Hoeffding's bound, which Chernoff's at the best of the tilts that are tried is not above."""


def _n_ahead(channel: Channel, gap: float) -> float:
    return min(_N_GAPS / (channel.contrast * gap), MAX_AHEAD)


@dataclass(frozen=True, slots=True)
class ShareWithinTest:
    """A test that a share, truly `share`, is within some points of `null`. `errors`: each side has all of alpha."""

    channel: Channel
    null: float
    share: float
    within: float
    errors: Errors = USUAL

    def __post_init__(self) -> None:
        null, share = check_share(self.null), check_share(self.share)
        margin = margin_around(null, self.within)
        if not margin.holds(share - null, share - null):
            raise DomainError(f"share ({share!r}) must be within {self.within:g} points of null ({null!r}).")

    @property
    def _edges(self) -> tuple[float, float]:
        return self.null - self.within / 100, self.null + self.within / 100

    def powers(self, n: Floats) -> Floats:
        """Return the probability that the count refutes both edges of the margin, exactly; shape of n."""
        (low, high), tail = self._edges, self.errors.alpha
        reported = self.channel.reported_share
        least = critical_above(n, reported(low), tail) if low >= 0 else np.zeros_like(n)
        most = critical_below(n, reported(high), tail) if high <= 1 else n
        true = reported(self.share)
        return np.asarray(np.maximum(0.0, prob_at_most(most, n, true) - prob_at_most(least - 1, n, true)))

    def least_n(self) -> int:
        """Return 2: powers are exact."""
        return LEAST_PLANNED

    def n_ahead(self, n: int) -> float:
        """Return in how many sizes the expected count gains `_N_GAPS` on that of the nearer edge."""
        low, high = self._edges
        return _n_ahead(self.channel, min(self.share - low if low >= 0 else 1, high - self.share if high <= 1 else 1))


@dataclass(frozen=True, slots=True, eq=False)
class _Row:
    """Groups of these sizes and shares, shape (rows, 1)."""

    n: Floats
    channel: Channel
    share: Floats


@dataclass(frozen=True, slots=True)
class GroupsMarginTest:
    """A test that `other_share` is not lower than `share`, not higher, or neither, by a margin; of n people each."""

    channel: Channel
    share: float
    other_share: float
    margin: Margin
    errors: Errors = USUAL

    def __post_init__(self) -> None:
        difference = check_share(self.other_share) - check_share(self.share)
        if not self.margin.holds(difference, difference):
            raise DomainError(
                f"other_share ({self.other_share!r}) is {100 * difference:+g} points from share ({self.share!r}): "
                f"{self.margin.kind} {self.margin.points:g} is not true. Plan for shares inside the margin."
            )

    def powers(self, n: Floats) -> Floats:
        """Return the probability that the difference of the counts refutes what it must; shape of n."""
        least, middle = self.least_difference(n), sum(self._reported) / 2
        is_enumerated = n * middle * (1 - middle) <= MOST_ENUMERATED
        found = self._normal(n, least)
        found[is_enumerated] = [
            self._exact(int(size), of) for size, of in zip(n[is_enumerated], least[is_enumerated], strict=True)
        ]
        return np.maximum(found, 0.0)

    def least_difference(self, n: Floats) -> Floats:
        """Return the least whole numbers by which a count has to be above one of n other reports, shape of n.

        Then it is refuted that its share is lower by the margin or more. n + 1 where no count is.
        """
        nothing = np.zeros((len(n), 1))

        def is_refuted(difference: Floats) -> NDArray[np.bool_]:
            share = difference[:, None] / (n[:, None] * self.channel.contrast)
            first, second = (_Row(n[:, None], self.channel, of) for of in (nothing, share))
            return p_of_rows(first, second, np.ones(len(n)), -self.margin.share) <= self.errors.alpha

        lower = np.floor(-self.margin.share * self.channel.contrast * n)
        upper = lower + np.ceil(_BEYOND * np.sqrt(-math.log(self.errors.alpha) * n)) + 2
        return least_counts(lower, np.minimum(upper, n + 1), is_refuted)

    @property
    def _reported(self) -> tuple[float, float]:
        return self.channel.reported_share(self.share), self.channel.reported_share(self.other_share)

    def _refutes(self, least: Floats | float, prob_above: Callable[[Any], Any]) -> Any:
        """Return the probability of what refutes, by that of a difference of the counts of so many or more."""
        if self.margin.kind == "not_lower_by":
            return prob_above(least)
        return (prob_above(least) if self.margin.kind == "within" else 1.0) - prob_above(1 - least)

    def _exact(self, n: int, least: float) -> float:
        (start, first), (other_start, second) = (_probs(n, reported) for reported in self._reported)
        above = np.append(np.cumsum(second[::-1])[::-1], 0.0)  # of each of the other group's counts, and all larger

        def prob_above(difference: float) -> float:
            places = start + np.arange(len(first)) + difference - other_start
            return float(first @ above[np.clip(places, 0, len(second)).astype(np.int64)])

        return float(self._refutes(least, prob_above))

    def _normal(self, n: Floats, least: Floats) -> Floats:
        one, other = self._reported
        deviation = np.sqrt(n * (one * (1 - one) + other * (1 - other)))

        def prob_above(difference: Floats) -> Floats:
            return np.asarray(special.ndtr((n * (other - one) - difference + 0.5) / deviation))

        return np.asarray(self._refutes(least, prob_above))

    def least_n(self) -> int:
        """Return 2: powers are exact."""
        return LEAST_PLANNED

    def n_ahead(self, n: int) -> float:
        """Return in how many sizes the counts' difference gains `_N_GAPS` on that of the nearer edge."""
        difference = self.other_share - self.share
        gaps = {"not_lower_by": self.margin.share + difference, "not_higher_by": self.margin.share - difference}
        return _n_ahead(self.channel, gaps.get(self.margin.kind, self.margin.share - abs(difference)))


def _probs(n: int, reported: float) -> tuple[int, Floats]:
    """Return the least count that is not too rare, and the probabilities of it and the following ones."""
    low, high = likely_counts(n, reported)
    return low, likely_probs(np.arange(low, high + 1, dtype=np.float64), n, reported)


def share_test(
    channel: Channel, null: float, share: float, within: float | None = None, errors: Errors = USUAL
) -> ShareTest | ShareWithinTest:
    """Return the test that a share is another one than `null`; with a margin, that it is within it."""
    if within is None:
        return ShareTest(channel, null, share, errors)
    return ShareWithinTest(channel, null, share, within, errors)


def groups_test(
    channel: Channel, share: float, other_share: float, errors: Errors = USUAL, **margins: float | None
) -> GroupsTest | GroupsMarginTest:
    """Return the test that two groups' shares differ; with a margin, that they do not differ by that."""
    margin = Margin.of(**margins)
    if margin is None:
        return GroupsTest(channel, share, other_share, errors)
    return GroupsMarginTest(channel, share, other_share, margin, errors)
