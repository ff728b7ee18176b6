"""How precise the estimated shares of cells are: standard errors that hold at the edge of the simplex too.

The information counts every cell as free, also those that are estimated as 0: a cell's standard error is that of the
estimate which may be negative. Of the estimate that may not it is an upper bound, and so its intervals are wide
rather than narrow. To leave out the cells at 0 would promise more than was known before the estimate.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sotto_estimator.errors import SourceError
from sotto_estimator.likelihood.em import MixtureFit
from sotto_estimator.likelihood.latent_classes import Floats, Mixture, mean_products

MAX_INFORMATION_CELLS = 1000
MAX_INFORMATION_WORK = 2 * 10**10
"""Groups of reports times the square of cells. Where either is exceeded the errors are those of products, whose work
grows with the cells and not with their square."""
_LEAST_CONDITION = 1e-10
_ROUNDING = 1e-9


def standard_errors(mixture: Mixture, fit: MixtureFit, marginals: Sequence[MixtureFit]) -> Floats:
    """Return the standard errors of a fit's shares, shape `mixture.shape`. Raises SourceError: see `invert`.

    `marginals`: the fits of every question by itself.
    """
    n_cells = fit.shares.size
    if n_cells > MAX_INFORMATION_CELLS or len(mixture.counts) * n_cells**2 > MAX_INFORMATION_WORK:
        return product_errors(mixture, marginals)
    return information_errors(mixture, fit)


def information_errors(mixture: Mixture, fit: MixtureFit) -> Floats:
    """Return standard errors by the observed information of all cells, whose shares add up to 1."""
    cells = np.arange(fit.shares.size)
    inverse = invert(mixture.information(fit.densities, cells))
    sums = inverse.sum(axis=1)
    variances = np.diag(inverse) - sums**2 / sums.sum()
    errors: Floats = np.sqrt(variances.clip(0) / mixture.n_reports)
    return errors.reshape(mixture.shape)


def errors_of_sums(mixture: Mixture, fit: MixtureFit, members: NDArray[np.bool_]) -> Floats:
    """Return the standard errors of sums of cells' shares, shape (n_sums,), of `members`, shape (n_cells, n_sums).

    By the same information. Infinite where the reports at hand do not tell a sum; they need not tell its cells apart.
    """
    n_cells = fit.shares.size
    free = np.linalg.qr(np.column_stack([np.ones(n_cells), np.eye(n_cells)[:, 1:]]))[0][:, 1:]  # sums stay as they are
    values, vectors = np.linalg.eigh(free.T @ mixture.information(fit.densities, np.arange(n_cells)) @ free)
    along = vectors.T @ free.T @ members
    is_told = values > _LEAST_CONDITION * values[-1]
    untold = np.square(along[~is_told]).sum(axis=0) > _ROUNDING
    variances = (np.square(along[is_told]) / values[is_told, np.newaxis]).sum(axis=0) / mixture.n_reports
    return np.where(untold, np.inf, np.sqrt(variances))


def product_errors(mixture: Mixture, marginals: Sequence[MixtureFit]) -> Floats:
    """Return the standard errors of the mean over reports of the products of the questions' unbiased indicators.

    A question's scores s, its likelihoods over their density, have the mean I e_a under category a, I being their
    second moments: I^-1 s is an unbiased indicator of the category, and a product of several one of the cell. Its mean
    is an unbiased estimate of the cell's share, which maximum likelihood does not fall behind; where answers are
    independent both have the same variance.
    """
    indicators = [_indicators(mixture, question, fit) for question, fit in enumerate(marginals)]
    means = mean_products(indicators, mixture.weights)
    squares = mean_products([part**2 for part in indicators], mixture.weights)
    errors: Floats = np.sqrt((squares - means**2).clip(0) / mixture.n_reports)
    return errors


def _indicators(mixture: Mixture, question: int, fit: MixtureFit) -> Floats:
    scores = mixture.likelihoods[question] / fit.densities[:, np.newaxis]
    information = (scores * mixture.weights[:, np.newaxis]).T @ scores
    indicators: Floats = scores @ invert(information)
    return indicators


def invert(information: Floats) -> Floats:
    """Return the inverse of an information matrix.

    Raises SourceError where it is singular: where the reports cannot tell the categories apart.
    """
    scale = np.sqrt(np.diag(information))
    values, vectors = np.linalg.eigh(information / np.outer(scale, scale)) if scale.min() > 0 else (np.zeros(1), scale)
    if values[0] <= _LEAST_CONDITION * values[-1]:
        raise SourceError(
            f"the reports cannot distinguish the {len(information)} categories or cells: there are too few reports, or "
            "two candidates set the same bits. Ask for fewer."
        )
    inverse: Floats = (vectors / values) @ vectors.T / np.outer(scale, scale)
    return inverse
