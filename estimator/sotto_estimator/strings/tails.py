"""How far off a share may be whose error has two sources: many small ones, and a few that are large.

Each source is sub-gamma: the logarithm of its moment generating function at x is at most variance x^2 / (2 (1 - scale
x)), as that of a sum of independent errors is, none above 3 scale (Bernstein; Boucheron, Lugosi & Massart 2013, 2.4).
Chernoff's bound holds at every x: each x that is tried makes a valid bound, the best is taken.
"""

from dataclasses import dataclass

import numpy as np

from sotto_estimator.channel.channel import Floats


@dataclass(frozen=True, slots=True, eq=False)
class Tails:
    """Two independent errors: `many` small ones and a `few` large ones, by their variances and their scales, > 0.

    The scale of the few is the larger.
    """

    many: Floats
    few: float | Floats
    scale_of_many: float
    scale_of_few: float | Floats

    def exponents(self, offs: Floats) -> Floats:
        """Return L with P(error >= off) <= exp(-L), for each off; 0 where it is not above 0."""
        above, variance = np.maximum(offs, 0), self.many + self.few
        tried = [(1 - 1 / np.sqrt(1 + 2 * scale * above / variance)) / scale for scale in self._between()]
        exponents: Floats = np.maximum.reduce([x * above - self._cumulant(x) for x in tried])
        return exponents

    def reaches(self, nats: float) -> Floats:
        """Return how far errors are off at most, but for a probability of exp(-nats)."""
        normal = np.sqrt(2 * nats / (self.many + self.few))
        tried = [normal / (1 + scale * normal) for scale in self._between()]
        reaches: Floats = np.minimum.reduce([(self._cumulant(x) + nats) / x for x in tried])
        return reaches

    def _between(self) -> list[Floats]:
        """Return scales to try: the larger, the two weighted by their variances, and one between them."""
        larger = np.full_like(self.many, self.scale_of_few)
        weighted = (self.many * self.scale_of_many + self.few * self.scale_of_few) / (self.many + self.few)
        return [larger, weighted, np.sqrt(weighted * larger)]

    def _cumulant(self, x: Floats) -> Floats:
        """Return the bound of the logarithm of the moment generating function; infinite where there is none."""
        left_of_many, left_of_few = (np.maximum(1 - scale * x, 0) for scale in (self.scale_of_many, self.scale_of_few))
        with np.errstate(divide="ignore"):
            return np.asarray(np.square(x) / 2 * (self.many / left_of_many + self.few / left_of_few))
