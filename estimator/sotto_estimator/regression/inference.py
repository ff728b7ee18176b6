"""From a maximum to errors, intervals and tests."""

from collections.abc import Mapping, Sequence

import numpy as np
from scipy.special import chdtrc, expit, fdtrc, ndtr, ndtri, stdtr, stdtrit

from sotto_estimator.channel.channel import Floats
from sotto_estimator.regression.result import Coefficient, Prediction, Test

Columns = Mapping[str, Sequence[int]]
"""By a term: the places of its coefficients."""


def coefficients_of(
    labels: Sequence[tuple[str, str]],
    estimates: Floats,
    covariance: Floats,
    level: float,
    degrees: int | None = None,
) -> tuple[Coefficient, ...]:
    """Return coefficients with Wald's intervals and tests. `labels`: their equations and names.

    `degrees` of freedom: of the covariance, where Student's t takes the normal's place.
    """
    errors = np.sqrt(np.diag(covariance))
    quantile = _quantile(level, degrees)
    found = []
    for (equation, name), estimate, error in zip(labels, estimates.tolist(), errors.tolist(), strict=True):
        z = estimate / error
        p_value = 2 * float(ndtr(-abs(z)) if degrees is None else stdtr(degrees, -abs(z)))
        low, high = estimate - quantile * error, estimate + quantile * error
        found.append(Coefficient(equation, name, estimate, error, z, p_value, low, high))
    return tuple(found)


def _quantile(level: float, degrees: int | None) -> float:
    """Return how many standard errors an interval of this level reaches."""
    tail = (1 - level) / 2
    return -float(ndtri(tail) if degrees is None else stdtrit(degrees, tail))


def wald_test(
    terms: str, places: Sequence[int], estimates: Floats, covariance: Floats, degrees: int | None = None
) -> Test:
    """Return Wald's test that these coefficients are 0 (Wald 1943); without a result where an error is infinite.

    With `degrees` of freedom of the covariance it is by F (Korn & Graubard 1990); without a result where they are fewer
    than the coefficients.
    """
    part, of, n_zero = estimates[list(places)], covariance[np.ix_(places, places)], len(places)
    is_told = np.isfinite(of).all() and (degrees is None or degrees >= n_zero)
    statistic = float(part @ np.linalg.solve(of, part)) if is_told else float("nan")
    if degrees is None or not is_told:
        return Test(terms, "Wald", statistic, n_zero, float(chdtrc(n_zero, statistic)))
    left = degrees - n_zero + 1
    return Test(terms, "Wald", statistic, n_zero, float(fdtrc(n_zero, left, statistic * left / (degrees * n_zero))))


def ratio_test(terms: str, log_likelihood: float, restricted: float, degrees_of_freedom: int) -> Test:
    """Return the likelihood ratio test of a restricted model (Wilks 1938)."""
    statistic = max(0.0, 2 * (log_likelihood - restricted))
    p_value = float(chdtrc(degrees_of_freedom, statistic))
    return Test(terms, "likelihood ratio", statistic, degrees_of_freedom, p_value)


def prediction_of(
    cells: str,
    answer: str,
    log_odds: float,
    gradient: Floats,
    covariance: Floats,
    level: float,
    degrees: int | None = None,
) -> Prediction:
    """Return a share with an interval that is normal on the log odds, or Student's. `gradient`: of these.

    Where a coefficient that it takes has an infinite error, nothing is known: the interval is all of [0, 1].
    """
    of, taken = covariance[np.ix_(gradient != 0, gradient != 0)], gradient[gradient != 0]
    share, left = float(expit(log_odds)), float(expit(-log_odds))
    with np.errstate(over="ignore"):
        error = float(np.sqrt(taken @ of @ taken)) if np.isfinite(of).all() else np.inf
    if not np.isfinite(error):
        return Prediction(cells, answer, share, np.inf, 0.0, 1.0)
    reach = _quantile(level, degrees) * error
    low, high = float(expit(log_odds - reach)), float(expit(log_odds + reach))
    return Prediction(cells, answer, share, share * left * error, low, high)
