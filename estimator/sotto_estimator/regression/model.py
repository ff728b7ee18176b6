"""A fitted model and those it is compared with: coefficients, tests, and how well it fits."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sotto_estimator.channel.channel import Floats
from sotto_estimator.regression.fitting import Fitted
from sotto_estimator.regression.inference import coefficients_of, ratio_test, wald_test
from sotto_estimator.regression.result import Coefficient, FitQuality, Test


@dataclass(frozen=True, slots=True, eq=False)
class Without:
    """The fit without some terms: `places` of the coefficients that are 0 in it; the others.

    Of a sample that is not simple, where nobody asks for the likelihood, it may be NaN.
    """

    places: tuple[int, ...]
    log_likelihood: float
    coefficients: Floats

    @classmethod
    def of(cls, places: Sequence[int], fitted: Fitted) -> "Without":
        """Return what is needed of a fit."""
        return cls(tuple(places), fitted.log_likelihood, fitted.coefficients)


@dataclass(frozen=True, slots=True, eq=False)
class FittedModel:
    """A fit to `n_rows` records. `labels`: each coefficient's equation and name.

    `null`: without any term; `without`: without each, by its name. `others`: what else was tested. The last `n_scales`
    coefficients are logs of deviations: nobody asks whether they are 0. Of a sample that is not simple, likelihoods are
    not of what was seen: nothing is made of them. If `is_penalised`, they are likelihoods with a penalty.
    """

    n_rows: int
    labels: tuple[tuple[str, str], ...]
    fitted: Fitted
    null: Without
    without: dict[str, Without]
    n_scales: int = 0
    others: tuple[Test, ...] = ()
    is_penalised: bool = False

    def coefficients(self, level: float) -> tuple[Coefficient, ...]:
        """Return the coefficients with their errors."""
        degrees = self.fitted.degrees_of_freedom
        found = coefficients_of(self.labels, self.fitted.coefficients, self.fitted.covariance, level, degrees)
        n_tested = len(found) - self.n_scales
        return (*found[:n_tested], *(replace(of, z=math.nan, p_value=math.nan) for of in found[n_tested:]))

    def tests(self) -> tuple[Test, ...]:
        """Return the tests of all terms together, and of each, by the likelihood ratio and Wald's."""
        found, degrees = [], self.fitted.degrees_of_freedom
        for name, other in {"": self.null, **self.without}.items():
            if other.places:
                n_zero = len(other.places)
                if degrees is None:
                    found.append(ratio_test(name, self.fitted.log_likelihood, other.log_likelihood, n_zero))
                coefficients, covariance = self.fitted.coefficients, self.fitted.covariance
                found.append(wald_test(name, other.places, coefficients, covariance, degrees))
        return (*found, *self.others)

    def quality(self) -> FitQuality:
        """Return how well it fits."""
        maximum, nan = self.fitted.maximum, math.nan
        if self.fitted.degrees_of_freedom is not None:
            return FitQuality(nan, nan, nan, nan, nan, maximum.n_iterations, maximum.converged)
        value, null = self.fitted.log_likelihood, self.null.log_likelihood
        if self.is_penalised:
            return FitQuality(value, null, nan, nan, nan, maximum.n_iterations, maximum.converged)
        n_free = len(self.fitted.coefficients)
        aic, bic = 2 * n_free - 2 * value, n_free * float(np.log(self.n_rows)) - 2 * value
        return FitQuality(value, null, max(0.0, 1 - value / null), aic, bic, maximum.n_iterations, maximum.converged)
