"""Counts of a sketch: how many reports support the bucket of a string, cohort by cohort, without the channel's bias."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sotto_estimator.channel.channel import Channel, Floats
from sotto_estimator.errors import SourceError
from sotto_protocol.mechanisms.mechanism import Counts
from sotto_protocol.mechanisms.sketch.hash import buckets
from sotto_protocol.mechanisms.sketch.response import SketchResponse

Numbers = NDArray[np.uint64]
"""Of strings, as `sketch.hash.string_numbers` makes them."""
Buckets = NDArray[np.uint16]
"""Of n strings, shape (n_cohorts, n)."""


@dataclass(frozen=True, eq=False)
class SketchCounts:
    """What the cohorts that report the same characters of a string sent; those without reports are left out.

    `cohorts`: their numbers. `n_reports`: shape (n_cohorts,). `table`, shape (n_cohorts, n_buckets): estimates without
    bias of w (m - 1/v), w the cohort's part of all reports, m the share of its strings that are in the bucket, v the
    number of buckets; each row adds up to 0. `report_noise`: the expected sum of squares of the table of one report
    from a cohort whose buckets are all alike. `n_silent`: how many cohorts have no reports.
    """

    channel: Channel
    n_buckets: int
    cohorts: tuple[int, ...]
    n_reports: Counts
    table: Floats
    report_noise: float
    n_silent: int

    @classmethod
    def of(cls, mechanism: SketchResponse, counts: Counts, chosen: Iterable[int] | None = None) -> "SketchCounts":
        """Return the counts of some cohorts of a tally's, by default of all; `counts` of shape `counts_shape`.

        Raises SourceError where none of them has reports.
        """
        asked = list(range(mechanism.n_cohorts) if chosen is None else chosen)
        cohorts = [cohort for cohort in asked if counts[cohort, 0]]
        if not cohorts:
            raise SourceError("the counts hold no reports; decoding needs at least one.")
        geometry, v = mechanism.geometry, mechanism.n_values
        channel = Channel(geometry.prob_support_if_true, geometry.prob_support_if_other)
        sizes = counts[cohorts, 0]
        support = mechanism.support(counts[cohorts])
        centred = support - sizes[:, None] * (channel.prob_support_if_other + channel.contrast / v)
        table = centred / (int(sizes.sum()) * channel.contrast)
        # Of a vector that adds up to 0, supports have this many times the squared length: a block design (Ryser 1963).
        stretch = geometry.field ** (geometry.dimension - 2)
        noise = stretch * (1 - 1 / v) / channel.contrast**2
        return cls(channel, v, tuple(cohorts), sizes, table, noise, len(asked) - len(cohorts))

    @cached_property
    def n_total(self) -> int:
        """All reports."""
        return int(self.n_reports.sum())

    @cached_property
    def weights(self) -> Floats:
        """Each cohort's part of all reports, shape (n_cohorts,)."""
        parts: Floats = self.n_reports / self.n_total
        return parts

    @cached_property
    def collision_variance(self) -> float:
        """The variance, over hashes, of the part of a share that a string of share 1 adds to another's."""
        return float(np.square(self.weights).sum()) / (self.n_buckets - 1)

    def buckets(self, numbers: Numbers) -> Buckets:
        """Return the buckets of n strings, shape (n_cohorts, n)."""
        found = np.empty((len(self.cohorts), len(numbers)), np.uint16)
        for row, cohort in enumerate(self.cohorts):
            found[row] = buckets(numbers, cohort, self.n_buckets)
        return found

    def sums(self, numbers: Numbers) -> Floats:
        """Return what stands in the table at each string's buckets, added up over cohorts, shape (n,).

        Strings are hashed anew, so that a million need no more memory than their numbers do.
        """
        total = np.zeros(len(numbers))
        for cohort, row in zip(self.cohorts, self.table, strict=True):
            total += row[buckets(numbers, cohort, self.n_buckets)]
        return total

    def share_out(self, places: Buckets, shares: Floats) -> Floats:
        """Return the table that strings of these buckets and shares make without noise."""
        made = np.empty_like(self.table)
        for row, at in enumerate(places):
            made[row] = np.bincount(at, shares, self.n_buckets)
        made -= shares.sum() / self.n_buckets
        made *= self.weights[:, None]
        return made

    def without(self, places: Buckets, shares: Floats) -> "SketchCounts":
        """Return the counts less what strings of these buckets and shares make: their collisions with others."""
        return replace(self, table=self.table - self.share_out(places, shares))

    def second_moment(self) -> tuple[float, float]:
        """Return the sum of squares of the shares of the strings in the table, and its standard error.

        Without bias over hashes: in a cohort the buckets' shares, less 1/v, have (1 - 1/v) times that sum of squares,
        and coins add what they add to any table. The error is of coins alone.
        """
        spread = 1 - 1 / self.n_buckets
        pairs = float((self.n_reports * (self.n_reports - 1.0)).sum()) / self.n_total**2
        if not pairs:
            return 0.0, np.inf
        squares = float(np.square(self.table).sum()) - self.report_noise / self.n_total
        deviation = np.sqrt(2 * pairs / self.n_buckets) * self.report_noise / spread / self.n_total
        return squares / (pairs * spread), float(deviation) / (pairs * spread)

    def chi_square(self) -> float:
        """Return Pearson's statistic of the reports against buckets that are all alike."""
        squares = np.square(self.table).sum(axis=1) / self.n_reports
        return float(squares.sum()) * self.n_total**2 * (self.n_buckets - 1) / self.report_noise


def sums_at(table: Floats, places: Buckets) -> Floats:
    """Return what stands in a table, shape (n_cohorts, n_buckets), at n strings' buckets, added up, shape (n,)."""
    total = np.zeros(places.shape[1])
    for row, at in zip(table, places, strict=True):
        total += row[at]
    return total
