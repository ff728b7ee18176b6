"""Find the strings in a sketch: each one found takes its collisions off the others, the commonest first.

A share's error is the noise of coins and of sampled people, which is binomial, and what other strings add to it in the
cohorts where they are in its bucket, which a random hash says. The strings that were found are fitted together, so that
collisions with them are known; those with all others are left to chance. docs/maths-strings.md has the formulas.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import special
from scipy.sparse import linalg

from sotto_estimator.channel.channel import Floats
from sotto_estimator.intervals.binomial import chernoff_shares
from sotto_estimator.strings.bounds import normal_quantile
from sotto_estimator.strings.columns import Ints
from sotto_estimator.strings.selection import Correction, rejected
from sotto_estimator.strings.sketch_counts import Buckets, Numbers, SketchCounts, sums_at
from sotto_estimator.strings.tails import Tails

SHORTLIST = 2**14
"""The most candidates that are tested again and again: those with the largest estimates to begin with."""
SURE = 4.0
"""So many errors above its estimate is the other strings' sum of squares taken to be."""
_OF_COLLISIONS = 0.1
"""The part of what a guaranteed interval may miss by that is left to collisions."""
_EXACT = 1e-10
_LEAST_P_VALUE = 1e-300


@dataclass(frozen=True, eq=False)
class StringFit:
    """Strings that were fitted together: the buckets and `shares` of those, and `left`, the counts less theirs."""

    counts: SketchCounts
    places: Buckets
    shares: Floats
    left: SketchCounts

    @classmethod
    def of(cls, counts: SketchCounts, places: Buckets) -> "StringFit":
        """Fit by least squares, all cells of the table alike: shares times known collisions make the sums."""
        n, shares = places.shape[1], np.zeros(places.shape[1])
        if n:

            def collide(given: Floats) -> Floats:
                return sums_at(counts.share_out(places, given), places)

            operator = linalg.LinearOperator((n, n), matvec=collide, dtype=np.float64)
            shares, _ = linalg.cg(operator, sums_at(counts.table, places), rtol=_EXACT)
        return cls(counts, places, shares, counts.without(places, shares))

    @cached_property
    def degrees(self) -> int:
        """How many of the table's numbers the fit leaves free."""
        return len(self.counts.cohorts) * (self.counts.n_buckets - 1) - len(self.shares)

    @cached_property
    def slack(self) -> float:
        """By how much fitting so many strings beside it multiplies a share's variance of noise."""
        return 1 + len(self.shares) / max(self.degrees, 1)

    @cached_property
    def unlisted(self) -> float:
        """An upper bound of the sum of squared shares of strings that were not fitted, with errors of those that were.

        At most 1, as a sum of squared shares is.
        """
        estimate, error = self.left.second_moment()
        fitted = float(self.noise(sums_at(self.counts.table, self.places)).sum())
        return min(1.0, max(estimate, 0.0) + fitted + SURE * error)

    def estimate(self, left: Floats) -> Floats:
        """Return shares beside the fitted strings', of sums over what they leave."""
        return left * self._per_share

    def noise(self, sums: Floats) -> Floats:
        """Return the variance of shares by coins and sampling, of sums over the table: binomial."""
        channel = self.counts.channel
        reported = self.reported(np.clip(sums, -1 / self.counts.n_buckets, 1))
        binomial = reported * (1 - reported) / self.counts.n_total
        variance: Floats = binomial * (self._per_share / channel.contrast) ** 2 * self.slack
        return variance

    def variance(self, sums: Floats) -> Floats:
        """Return the variance of shares by noise, and by collisions with strings that were not fitted."""
        return self.noise(sums) + self._collisions[0]

    def reported(self, sums: Floats) -> Floats:
        """Return the share of reports that support a string, of its sum over the table."""
        channel = self.counts.channel
        return np.asarray(channel.prob_support_if_other + channel.contrast * (sums + 1 / self.counts.n_buckets))

    def half_widths(self, sums: Floats, quantile: float) -> Floats:
        """Return what shares may be off by at so many normal errors: normal where the variance is all that counts."""
        return self._tails(sums).reaches(quantile**2 / 2)

    def p_values(self, shares: Floats, sums: Floats) -> Floats:
        """Return P(an estimate is as large or larger | the string has no share): of as many normal errors."""
        exponents = self._tails(sums - shares / self._per_share).exponents(shares)
        return np.asarray(special.ndtr(-np.sqrt(2 * exponents)))

    def bounds(self, shares: Floats, sums: Floats, miss: float, *, chernoff: bool) -> tuple[Floats, Floats]:
        """Return ends of intervals, not clipped, that miss a share with probability `miss` each, in two tails.

        With `chernoff` they hold for every n: the noise by Chernoff's bound, collisions by Bernstein's.
        """
        if not chernoff:
            half = self.half_widths(sums, normal_quantile(miss))
            return shares - half, shares + half
        counts = self.counts
        n = np.full(len(sums), float(counts.n_total))
        reported = self.reported(sums)
        low, high = chernoff_shares(np.rint(reported * n).clip(0, n), n, (1 - _OF_COLLISIONS) * miss / 2)
        per_report = math.sqrt(self.slack) * self._per_share / counts.channel.contrast
        nats, variance, most = -math.log(_OF_COLLISIONS * miss / 2), *self._collisions
        collisions = most / 3 * nats + math.sqrt(2 * nats * variance)
        return shares + per_report * (low - reported) - collisions, shares + per_report * (high - reported) + collisions

    def _tails(self, sums: Floats) -> Tails:
        of_report = self._per_share / (self.counts.n_total * self.counts.channel.contrast)
        variance, most = self._collisions
        return Tails(self.noise(sums), variance, of_report, max(most, of_report))

    @property
    def _collisions(self) -> tuple[float, float]:
        """The variance of collisions with strings that were not fitted; the most that one adds."""
        counts = self.counts
        most = math.sqrt(self.unlisted) * float(counts.weights.max()) * self._per_share
        return self.unlisted * counts.collision_variance, most

    @property
    def _per_share(self) -> float:
        """A string's own share stands in all of its buckets, of which the table has 1/v taken off."""
        return 1 / (1 - 1 / self.counts.n_buckets)


@dataclass(frozen=True, eq=False)
class Peeled:
    """Strings that were found among candidates: their numbers, in ascending order, the fit of them, and their tests.

    `sums`: of all candidates over the counts' table. `scores`: of those tested, the normal ones that their p-values
    have. `twins`: groups of candidates that share a bucket in all cohorts.
    """

    found: Ints
    fit: StringFit
    p_values: Floats
    sums: Floats
    scores: Floats
    twins: list[list[int]]


def peel(counts: SketchCounts, numbers: Numbers, rate: float, correction: Correction) -> Peeled:
    """Find the strings that are there, false discoveries bounded as `correction` says.

    Strings that stand out join the fit, and lessen what chance may do to others; then whoever no longer stands out
    beside all of them leaves it.
    """
    sums = counts.sums(numbers)
    listed = np.sort(np.argsort(-sums, kind="stable")[:SHORTLIST])
    places, at = counts.buckets(numbers[listed]), sums[listed]
    twins = _twins(places)
    eligible = np.ones(len(listed), np.bool_)
    eligible[[number for group in twins for number in group]] = False
    chosen, is_growing = np.zeros(len(listed), np.bool_), True
    while True:
        fit = StringFit.of(counts, places[:, chosen])
        shares = fit.estimate(sums_at(fit.left.table, places))
        shares[chosen] += fit.shares
        p_values = fit.p_values(shares, at)
        called = rejected(p_values, rate, correction, len(numbers), len(numbers)) & (shares > 0) & eligible
        new = np.flatnonzero(called & ~chosen)
        new = new[np.argsort(p_values[new], kind="stable")][: max(fit.degrees // 2, 0)]
        if is_growing and new.size:
            chosen[new] = True
        elif (chosen & ~called).any():
            chosen, is_growing = chosen & called, False
        else:
            of_all = [listed[group].tolist() for group in twins]
            scores = -special.ndtri(np.clip(p_values, _LEAST_P_VALUE, 1 - 1e-16))
            return Peeled(listed[chosen], fit, p_values[chosen], sums, scores, of_all)


def _twins(places: Buckets) -> list[list[int]]:
    """Return the groups of strings that share a bucket in every cohort."""
    _, group, sizes = np.unique(places.T, axis=0, return_inverse=True, return_counts=True)
    return [np.flatnonzero(group == number).tolist() for number in np.flatnonzero(sizes > 1)]
