"""The power of the Cochran-Armitage test: does a share rise or fall evenly over several waves?"""

from dataclasses import dataclass

import numpy as np
from scipy import special

from sotto_estimator.channel.channel import Channel, Floats
from sotto_estimator.errors import DomainError
from sotto_estimator.planning.options import check_share
from sotto_estimator.planning.power import USUAL, Errors, n_of_expected

LEAST_WAVES = 3


@dataclass(frozen=True, slots=True)
class TrendTest:
    """A test of a share that goes from `share` to `last_share` in even steps, of n other people in each wave.

    The statistic is the sum of the waves' counts, weighted by -(W - 1), .., W - 3, W - 1 (Cochran 1954, Armitage 1955),
    against its standard deviation where all reports have the same distribution. Approximate, level and power.
    """

    channel: Channel
    share: float
    last_share: float
    n_waves: int
    errors: Errors = USUAL

    def __post_init__(self) -> None:
        if self.n_waves < LEAST_WAVES:
            raise DomainError(f"n_waves ({self.n_waves!r}) must be {LEAST_WAVES} or more; two waves have a change.")
        if check_share(self.share) == check_share(self.last_share):
            raise DomainError(f"last_share ({self.last_share!r}) must differ from share ({self.share!r}).")

    def powers(self, n: Floats) -> Floats:
        """Return the probability that the weighted sum is critical, by the normal distribution; shape of n."""
        weights = 2.0 * np.arange(self.n_waves) - (self.n_waves - 1)
        reported = self.channel.reported_share(self.share) + self.channel.contrast * np.linspace(
            0, self.last_share - self.share, self.n_waves
        )
        middle = reported.mean()
        slope = abs(float(weights @ reported)) * n
        critical = -float(special.ndtri(self.errors.tail)) * np.sqrt(n * middle * (1 - middle) * (weights @ weights))
        deviation = np.sqrt(n * float(weights**2 @ (reported * (1 - reported))))
        found = special.ndtr((slope - critical) / deviation)
        return np.asarray(found if self.errors.n_sides == 1 else found + special.ndtr((-slope - critical) / deviation))

    def least_n(self) -> int:
        """Return the least n of which all waves are expected to have enough reports of the rarer kind."""
        middle = self.channel.reported_share((self.share + self.last_share) / 2)
        return n_of_expected(self.n_waves * min(middle, 1 - middle))

    def n_ahead(self, n: int) -> float:
        """Return 0: the power grows evenly."""
        return 0
