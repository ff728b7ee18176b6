"""From a maximum to errors, intervals and tests."""

from collections.abc import Mapping, Sequence

import numpy as np
from scipy.special import chdtrc, expit, ndtr, ndtri

from sotto_estimator.channel import Floats
from sotto_estimator.regression.result import Coefficient, Prediction, Test

Columns = Mapping[str, Sequence[int]]
"""By a term: the places of its coefficients."""


def coefficients_of(
    labels: Sequence[tuple[str, str]], estimates: Floats, covariance: Floats, level: float
) -> tuple[Coefficient, ...]:
    """Return coefficients with Wald's intervals and tests. `labels`: their equations and names."""
    errors = np.sqrt(np.diag(covariance))
    quantile = -float(ndtri((1 - level) / 2))
    found = []
    for (equation, name), estimate, error in zip(labels, estimates.tolist(), errors.tolist(), strict=True):
        z = estimate / error
        p_value = float(2 * ndtr(-abs(z)))
        low, high = estimate - quantile * error, estimate + quantile * error
        found.append(Coefficient(equation, name, estimate, error, z, p_value, low, high))
    return tuple(found)


def wald_test(terms: str, places: Sequence[int], estimates: Floats, covariance: Floats) -> Test:
    """Return Wald's test that these coefficients are 0 (Wald 1943); without a result where an error is infinite."""
    part, of = estimates[list(places)], covariance[np.ix_(places, places)]
    statistic = float(part @ np.linalg.solve(of, part)) if np.isfinite(of).all() else float("nan")
    return Test(terms, "Wald", statistic, len(places), float(chdtrc(len(places), statistic)))


def ratio_test(terms: str, log_likelihood: float, restricted: float, degrees_of_freedom: int) -> Test:
    """Return the likelihood ratio test of a restricted model (Wilks 1938)."""
    statistic = max(0.0, 2 * (log_likelihood - restricted))
    p_value = float(chdtrc(degrees_of_freedom, statistic))
    return Test(terms, "likelihood ratio", statistic, degrees_of_freedom, p_value)


def prediction_of(
    cells: str, answer: str, log_odds: float, gradient: Floats, covariance: Floats, level: float
) -> Prediction:
    """Return a share with an interval that is normal on the log odds. `gradient`: of these.

    Where a coefficient that it takes has an infinite error, nothing is known: the interval is all of [0, 1].
    """
    of, taken = covariance[np.ix_(gradient != 0, gradient != 0)], gradient[gradient != 0]
    share, left = float(expit(log_odds)), float(expit(-log_odds))
    with np.errstate(over="ignore"):
        error = float(np.sqrt(taken @ of @ taken)) if np.isfinite(of).all() else np.inf
    if not np.isfinite(error):
        return Prediction(cells, answer, share, np.inf, 0.0, 1.0)
    reach = -float(ndtri((1 - level) / 2)) * error
    low, high = float(expit(log_odds - reach)), float(expit(log_odds + reach))
    return Prediction(cells, answer, share, share * left * error, low, high)
