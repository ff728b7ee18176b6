"""The power of the independence test of `sotto associate`: do answers to two yes-no questions go together?"""

import math
from dataclasses import dataclass

import numpy as np
from scipy import special

from sotto_estimator.channel.channel import Channel, Floats
from sotto_estimator.errors import DomainError
from sotto_estimator.planning.options import check_share
from sotto_estimator.planning.power import USUAL, Errors, n_of_expected

_LEAST_VARIANCE = 1e-12
"""Answers that are all the same, or all opposite, are so without noise: what is found of them does not vary."""


@dataclass(frozen=True, slots=True)
class AssociationTest:
    """A test of two questions of one report, both by the channel; two-sided.

    `share`: of yes to the first; `share_if_yes`, `share_if_no`: of yes to the second among those who say yes, and no,
    to the first. Of two yes-no questions the score test is Pearson's of the four counts of reports: n phi^2 is its
    statistic, phi the correlation of the reports, which is normal with the variance of its influence function
    (Hampel 1974), 1 where nothing is there. Approximate, level and power.
    """

    channel: Channel
    share: float
    share_if_yes: float
    share_if_no: float
    errors: Errors = USUAL

    def __post_init__(self) -> None:
        if not 0 < self.share < 1:
            raise DomainError(f"share ({self.share!r}) must be in (0, 1).")
        if check_share(self.share_if_yes) == check_share(self.share_if_no):
            raise DomainError(f"share_if_no ({self.share_if_no!r}) must differ from share_if_yes.")
        if self.errors.n_sides != 2:
            raise DomainError("n_sides (1) must be 2: the test of independence has no sides.")

    def reports(self) -> Floats:
        """Return the shares of the four kinds of reports: yes and no to the first in rows, to the second in columns."""
        yes = np.array([self.share * self.share_if_yes, self.share * (1 - self.share_if_yes)])
        no = np.array([(1 - self.share) * self.share_if_no, (1 - self.share) * (1 - self.share_if_no)])
        true, other = self.channel.prob_support_if_true, self.channel.prob_support_if_other
        noise = np.array([[true, other], [1 - true, 1 - other]])
        return np.asarray(noise @ np.array([yes, no]) @ noise.T)

    def correlation(self) -> tuple[float, float]:
        """Return phi of the reports, and n times the variance of what is found of it."""
        reports = self.reports()
        first, second = (_standardised(float(reports.sum(axis=axis)[0])) for axis in (1, 0))
        product = np.outer(first, second)
        phi = float((reports * product).sum())
        influence = product - phi * np.add.outer(first**2, second**2) / 2
        return phi, float((reports * influence**2).sum())

    def powers(self, n: Floats) -> Floats:
        """Return the probability that the statistic exceeds its quantile; shape of n."""
        phi, variance = self.correlation()
        shift, critical = np.sqrt(n) * abs(phi), -float(special.ndtri(self.errors.tail))
        deviation = math.sqrt(max(variance, _LEAST_VARIANCE))
        return np.asarray(special.ndtr((shift - critical) / deviation) + special.ndtr((-shift - critical) / deviation))

    def least_n(self) -> int:
        """Return the least n of which enough reports of each of the four kinds are expected, but of one never sent."""
        reports = self.reports()
        return n_of_expected(float(reports[reports > 0].min()))

    def n_ahead(self, n: int) -> float:
        """Return 0: the power grows evenly."""
        return 0


def _standardised(share: float) -> Floats:
    """Return what yes and no are, with mean 0 and variance 1, where so many say yes."""
    return np.array([1 - share, -share]) / math.sqrt(share * (1 - share))
