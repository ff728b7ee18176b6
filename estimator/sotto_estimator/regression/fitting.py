"""Fitting the coefficients of rows: in an orthogonal basis, with what runs off to infinity named."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import block_diag

from sotto_estimator.channel.channel import Floats
from sotto_estimator.likelihood.newton import Maximum, maximise
from sotto_estimator.regression.basis import Basis
from sotto_estimator.regression.mixture import RowLikelihood, Rows
from sotto_estimator.regression.sampling_design import SamplingDesign

_SEPARATED = 1e-6
"""Of the complete information that a row could give at most so little is left where an estimate has no end."""
_INVOLVED = 1e-3


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """Coefficients of all blocks, one after the other, with their covariance by the observed information.

    `separated`: the places of coefficients without a finite estimate; their variances are infinite.
    `degrees_of_freedom`: of the covariance of a sample that is not simple, which is then the sandwich; else None.
    """

    coefficients: Floats
    covariance: Floats
    maximum: Maximum
    separated: NDArray[np.int64]
    largest_error: float
    degrees_of_freedom: int | None = None

    @property
    def log_likelihood(self) -> float:
        """That of the maximum."""
        return self.maximum.local.log_likelihood

    def without(self, places: Sequence[int]) -> Floats:
        """Return about what the other coefficients are where these are 0: the maximum of the parabola at this one."""
        kept = np.delete(self.coefficients, places)
        if not len(places) or np.isinf(self.covariance).any():
            return kept
        rows = np.delete(self.covariance, places, axis=0)[:, places]
        within = self.covariance[np.ix_(places, places)]
        return kept - rows @ np.linalg.solve(within, self.coefficients[list(places)])


def fit_rows(
    likelihood: RowLikelihood,
    bases: Sequence[Basis],
    weights: Floats,
    start: Floats | None = None,
    drawn: SamplingDesign | None = None,
    offset: Floats | None = None,
) -> Fitted:
    """Return the maximum likelihood fit of one block of coefficients a basis.

    `drawn`: how rows were, where not simply; errors are then linearised (Binder 1983; Skinner 1989).
    `offset`: what is added to the first linear predictor of each row, with a coefficient of 1.
    `start`: of the coefficients. One from which the climb gets lost, far out where all is flat, is given up for 0.
    """
    rows, triangle = rows_of(likelihood, bases, weights, offset)
    maximum = None if start is None else _climb(rows, triangle @ start)
    if maximum is None or not maximum.converged:
        maximum = maximise(rows.at, np.zeros(len(triangle)))
    if drawn is None:
        return fitted_of(maximum, triangle, float(weights.sum()))
    of_scores = drawn.covariance_of_scores(rows.scores(maximum.place)) if len(triangle) else None
    fitted = fitted_of(maximum, triangle, float(weights.sum()), of_scores)
    return replace(fitted, degrees_of_freedom=drawn.degrees_of_freedom)


def rows_of(
    likelihood: RowLikelihood, bases: Sequence[Basis], weights: Floats, offset: Floats | None = None
) -> tuple[Rows, Floats]:
    """Return rows of one block of coefficients a basis, and the triangle that makes them of those of the columns."""
    rows = Rows(likelihood, [basis.matrix for basis in bases], weights, offset)
    return rows, block_diag(*[basis.triangle for basis in bases])


def _climb(rows: Rows, start: Floats) -> Maximum | None:
    """Return where a climb ends; None where it begins so far out that nothing can be told there."""
    try:
        return maximise(rows.at, start)
    except np.linalg.LinAlgError:
        return None


def fitted_of(maximum: Maximum, triangle: Floats, n_rows: float, of_scores: Floats | None = None) -> Fitted:
    """Return the fit that a maximum is in a basis whose coefficients are triangle @ those of the columns.

    `of_scores`: the covariance of the score, where it is not the information.
    """
    if not len(triangle):
        empty = np.zeros(0)
        return Fitted(empty, np.zeros((0, 0)), maximum, np.zeros(0, np.int64), 0.0)
    inverse = np.linalg.inv(triangle)
    sizes, directions = np.linalg.eigh(maximum.local.complete() / n_rows)
    is_lost = sizes < _SEPARATED
    kept = directions[:, ~is_lost]
    covariance = np.zeros_like(triangle)
    if kept.size:
        covariance = kept @ np.linalg.inv(kept.T @ maximum.local.information @ kept) @ kept.T
    if of_scores is not None:
        covariance = covariance @ of_scores @ covariance
    scale = np.sqrt(np.diag(triangle.T @ triangle))
    involved = np.abs(inverse @ directions[:, is_lost]).max(axis=1, initial=0) * scale
    separated = np.flatnonzero(involved > _INVOLVED * max(1.0, involved.max()))
    of_columns = inverse @ covariance @ inverse.T
    of_columns[separated] = of_columns[:, separated] = 0
    of_columns[separated, separated] = np.inf
    largest = float(np.sqrt(np.abs(np.diag(covariance)).max()))
    return Fitted(inverse @ maximum.place, of_columns, maximum, separated, largest)
