"""The power of a slope: does a hidden answer depend on something that is known of everybody?"""

from dataclasses import dataclass

import numpy as np
from scipy import special

from sotto_estimator.channel.channel import Channel, Floats
from sotto_estimator.errors import DomainError
from sotto_estimator.planning.power import USUAL, Errors, n_of_expected

_N_NODES = 64
"""Of Gauss-Hermite quadrature over a normal covariate: ten digits of slopes up to 3."""


@dataclass(frozen=True, slots=True)
class RegressionTest:
    """Wald's test of a slope in P(yes | x) = logistic(intercept + slope x), of a yes that is told through the channel.

    `share`: of yes where x is 0; `slope`: of the log odds, for x one larger. `covariate_share`: x is 1 of so many
    people and 0 of the others; None: x is standard normal. The slope's variance is the inverse of the Fisher
    information of n reports (Maddala 1983; Scheers & Dayton 1988). Approximate, level and power.
    """

    channel: Channel
    share: float
    slope: float
    covariate_share: float | None = 0.5
    errors: Errors = USUAL

    def __post_init__(self) -> None:
        if not 0 < self.share < 1:
            raise DomainError(f"share ({self.share!r}) must be in (0, 1).")
        if self.covariate_share is not None and not 0 < self.covariate_share < 1:
            raise DomainError(f"covariate_share ({self.covariate_share!r}) must be in (0, 1).")
        if not 0 < abs(self.slope) <= 20:
            raise DomainError(f"slope ({self.slope!r}) must be in [-20, 20], and not 0.")

    def slope_variance(self) -> float:
        """Return n times the variance of the estimated slope.

        A report's log-likelihood has the derivative (y - l) c p (1-p) / (l (1-l)) by the log odds: p the share of yes
        at x, l the reported share, c the contrast.
        """
        x, weights = self._covariate()
        information = weights * self._information(x)
        mean = float(information @ x / information.sum())
        return float(1 / (information @ (x - mean) ** 2))

    def _information(self, x: Floats) -> Floats:
        """Return what one report says about the log odds at each x; shape of x."""
        share = special.expit(special.logit(self.share) + self.slope * x)
        reported = self.channel.prob_support_if_other + self.channel.contrast * share
        slope = self.channel.contrast * share * (1 - share)
        return np.asarray(np.divide(slope**2, reported * (1 - reported), where=slope > 0, out=np.zeros_like(x)))

    def powers(self, n: Floats) -> Floats:
        """Return the probability that the slope's estimate is significant; shape of n."""
        shift = np.sqrt(n / self.slope_variance()) * abs(self.slope)
        critical = -float(special.ndtri(self.errors.tail))
        found = special.ndtr(shift - critical)
        return np.asarray(found if self.errors.n_sides == 1 else found + special.ndtr(-shift - critical))

    def least_n(self) -> int:
        """Return the least n of which people of each x, or all where x is normal, say enough about their log odds.

        As much as `LEAST_EXPECTED` answers of the rarer kind would without noise: their log odds' error is then a
        third, and an estimate at the edge, of no yes or all yes, is rare.
        """
        x, weights = self._covariate()
        of_report = weights * self._information(x)
        return n_of_expected(float(of_report.sum() if self.covariate_share is None else of_report.min()))

    def n_ahead(self, n: int) -> float:
        """Return 0: the power grows evenly."""
        return 0

    def _covariate(self) -> tuple[Floats, Floats]:
        if self.covariate_share is not None:
            return np.array([0.0, 1.0]), np.array([1 - self.covariate_share, self.covariate_share])
        nodes, weights = np.polynomial.hermite_e.hermegauss(_N_NODES)
        return nodes, weights / weights.sum()
