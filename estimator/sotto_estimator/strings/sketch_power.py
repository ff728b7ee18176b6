"""With which probability a string is found in a sketch: by the decoder's own test, of the reports that will come.

Notation: of n reports in m cohorts of v buckets a string's count is binomial, l its probability where the string has
no share, c by how much a share of 1 raises it, less 1/v. The decoder bounds what noise and collisions can make of a
string that nobody has (`tails`), with the sum of squared shares as it estimates it, four errors up (`peeling`).
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import special

from sotto_estimator.channel.channel import Floats
from sotto_estimator.strings.peeling import SURE
from sotto_estimator.strings.plan_designs import BucketResponse
from sotto_estimator.strings.tails import Tails

_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(5)
"""Of a standard normal variable: what the decoder's estimate of that sum is off by."""
_WEIGHTS = _WEIGHTS / _WEIGHTS.sum()
_MOST = 64.0
"""Beyond any estimate that can be, in the search for the least one that is found."""
_N_PARTS, _N_ROUNDS, _HALVES = 16, 6, (8, 4, 2, 1)
"""Four bisections at a time: all ends that these can try are computed together, in a quarter of the time."""
_ENDS = np.arange(1, _N_PARTS)[:, None]
_COLUMNS = np.arange(len(_NODES))


@dataclass(frozen=True)
class SketchTest:
    """The decoder's test of one string of a sketch with `n` reports, at a P-value of at most `most_p`."""

    design: BucketResponse
    n: int
    most_p: float

    def power(self, share: float) -> float:
        """Return the probability that a string of this share is found, where all others answer strings of their own."""
        needed = np.ceil(self.n * (self._of_none + self._thresholds(share) * self._raised))
        return float(_WEIGHTS @ _at_least(needed, self.n, self._of_none + self._raised * share))

    def _thresholds(self, share: float) -> Floats:
        """Return the estimates from which on it is found, by what the sum of squared shares is estimated as."""
        squares = np.clip(share**2 + self._error_of_squares * _NODES, 0, None) + SURE * self._error_of_squares
        tails, nats = self._tails(np.minimum(squares, 1)), float(special.ndtri(self.most_p)) ** 2 / 2
        low, width = np.zeros(len(_NODES)), _MOST
        for _ in range(_N_ROUNDS):
            width /= _N_PARTS
            is_found = tails.exponents(low + width * _ENDS) >= nats
            part = np.zeros(len(_NODES), np.intp)
            for half in _HALVES:
                part += half * ~is_found[part + half - 1, _COLUMNS]
            low = low + width * part
        return low + width

    def _tails(self, squares: Floats) -> Tails:
        noise = self._of_none * (1 - self._of_none) / self.n / self._raised**2
        of_report = 1 / (self.n * self._raised)
        most = np.sqrt(squares) * self._largest_cohort / (1 - 1 / self.design.n_values)
        largest = np.maximum(most, of_report)
        return Tails(np.full(len(squares), noise), squares * self._collision_variance, of_report, largest)

    @property
    def _contrast(self) -> float:
        return self.design.prob_support_if_true - self.design.prob_support_if_other

    @property
    def _of_none(self) -> float:
        """P(a report supports a string that nobody has)."""
        return self.design.prob_support_if_other + self._contrast / self.design.n_values

    @property
    def _raised(self) -> float:
        """What a share of 1 adds to that."""
        return self._contrast * (1 - 1 / self.design.n_values)

    @property
    def _collision_variance(self) -> float:
        """Of the part of a share that a string of share 1 adds to another's, of cohorts that devices draw."""
        m = self.design.n_cohorts
        return (1 / m + (1 - 1 / m) / self.n) / (self.design.n_values - 1)

    @cached_property
    def _error_of_squares(self) -> float:
        """The error of the decoder's estimate of the sum of squared shares, as `SketchCounts.second_moment` has it."""
        v, m = self.design.n_values, self.design.n_cohorts
        pairs = max(1 - 1 / self.n, 1 / self.n) / m
        of_report = v * self._of_none * (1 - self._of_none) / self._contrast**2
        return math.sqrt(2 / (pairs * v)) * of_report / (1 - 1 / v) ** 2 / self.n

    @cached_property
    def _largest_cohort(self) -> float:
        """The part of all reports that the largest cohort has: its median, of cohorts that devices draw."""
        from scipy.stats import binom  # it takes half a second to load

        m = self.design.n_cohorts
        return float(binom.isf(0.5 / m, self.n, 1 / m)) / self.n if m > 1 else 1.0


def _at_least(counts: Floats, n: int, prob: float) -> Floats:
    """Return P(Binomial(n, prob) >= count)."""
    inside = special.betainc(np.maximum(counts, 1), np.maximum(n - counts + 1, 1), prob)
    return np.asarray(np.where(counts <= 0, 1.0, np.where(counts > n, 0.0, inside)))
