"""How far off a share may be whose error has two sources: many small ones, and a few that are large.

Each source is a sum of independent errors, none above b. The logarithm of its moment generating function at x is at
most variance (e^(b x) - 1 - b x) / b^2, as of a Poisson variable (Bennett 1962; Boucheron, Lugosi & Massart 2013, 2.7).
Chernoff's bound holds at every x: each x that is tried makes a valid bound, the best is taken.
"""

from dataclasses import dataclass

import numpy as np

from sotto_estimator.channel.channel import Floats

_TRIED = np.linspace(0, 1, 7)
_SMALL = 1e-4
"""Below it two terms of the series are nearer than the formula, which rounding spoils; what is left out is 1e-9."""

_HUGE = 1e200  # beyond what any bound is at: and nothing times it is nothing


@dataclass(frozen=True, slots=True, eq=False)
class Tails:
    """Two independent errors: `many` small ones and a `few` large ones, by variances and largest parts, > 0.

    The largest part of the few is the larger.
    """

    many: Floats
    few: float | Floats
    largest_of_many: float
    largest_of_few: float | Floats

    def exponents(self, offs: Floats) -> Floats:
        """Return L with P(error >= off) <= exp(-L), for each off; 0 where it is not above 0."""
        above = np.maximum(offs, 0)
        most, least = (
            np.log1p(largest * above / (self.many + self.few)) / largest
            for largest in (self.largest_of_many, self.largest_of_few)
        )
        exponents: Floats = np.maximum.reduce([x * above - self._cumulant(x) for x in _between(least, most)])
        return np.maximum(exponents, 0)

    def reaches(self, nats: float) -> Floats:
        """Return how far errors are off at most, but for a probability of exp(-nats)."""
        normal = np.sqrt(2 * nats / (self.many + self.few))
        least = normal / (1 + self.largest_of_few * normal / 3)  # the best of Bernstein's bound, which is above
        reaches: Floats = np.minimum.reduce([(self._cumulant(x) + nats) / x for x in _between(least, normal)])
        return reaches

    def _cumulant(self, x: Floats) -> Floats:
        """Return the bound of the logarithm of the moment generating function; infinite where it is huge."""
        many, few = (_growth(largest * x) for largest in (self.largest_of_many, self.largest_of_few))
        return np.asarray(np.square(x) * (self.many * many + self.few * few))


def _between(least: Floats, most: Floats) -> list[Floats]:
    """Return points from the least to the most, each as many times as large as the one before."""
    return [least ** (1 - part) * most**part for part in _TRIED]


def _growth(exponent: Floats) -> Floats:
    """Return (e^y - 1 - y) / y^2, 1/2 where y is 0, and no less than that by rounding."""
    y = np.maximum(exponent, _SMALL)
    with np.errstate(over="ignore"):
        grown = np.minimum((np.expm1(y) - y) / np.square(y), _HUGE)
    return np.asarray(np.where(exponent < _SMALL, 0.5 + exponent / 6 + _SMALL**2, grown))
