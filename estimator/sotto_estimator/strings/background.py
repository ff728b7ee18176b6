"""Strings that nobody listed, which set bits as a hash makes them: whether counts contradict that, or hide it."""

import math

import numpy as np
from scipy import linalg

from sotto_estimator.strings.regression import BloomCells, CandidateRegression, standard_errors

CONFOUNDED = 2.0
"""Times the variance by which columns that no hash made show; 1.0 to 1.2 for hashes of 4 to 256 bits."""


def level_score(cells: BloomCells, fit: CandidateRegression) -> tuple[float, float]:
    """Return the constant that the strings leave over, as a share of devices a bit, and its size in its own errors.

    0 but for noise: other strings set bits at their density, and the rest of a fit is the rates' or the reports' fault.
    Where the map is no hash it is what the strings' shares exceed 1 by, or lack to it if no bit is without a string.
    """
    if not cells.has_others:
        return _total_score(cells, fit)
    used = np.isfinite(fit.variances)
    mass = np.where(used, 1 / fit.variances, 0.0)
    mass /= mass.sum()
    left = float(mass @ (cells.excess - (fit.columns - cells.moments.density) @ fit.shares))
    sampled = float(np.square(mass[used]) @ cells.variances(fit.true_shares)[used])
    hashed = fit.unlisted * float(cells.moments.quadratic(mass.reshape(cells.shape)).sum())
    return left, left / math.sqrt(sampled + hashed)


def _total_score(cells: BloomCells, fit: CandidateRegression) -> tuple[float, float]:
    beyond = float(fit.shares.sum()) - 1
    if not fit.shares.size or (beyond < 0 and not fit.columns.any(1).all()):
        return 0.0, 0.0
    error = float(standard_errors(cells, fit, fit.weights.sum(0, keepdims=True))[0])
    return beyond / cells.shape[1], beyond / error


def confounding(cells: BloomCells, fit: CandidateRegression) -> float:
    """Return how many times as large the variance of a share is as it would be if there were no other strings.

    The median over the columns. Large where their sum is nearly the same in all cells, as that of others is: with G the
    columns' Gram matrix, g = G^-1 X'W1 and the constant's part that they leave, t = 1'W1 - 1'WX g: 1 + g^2 / (t G^-1).
    """
    if not cells.has_others or not fit.shares.size:
        return 1.0
    weighted = fit.columns.T * fit.cell_weights
    inverse = linalg.pinvh(weighted @ fit.columns)
    sums = weighted.sum(1)
    along = inverse @ sums
    left = float(fit.cell_weights.sum() - sums @ along)
    with np.errstate(divide="ignore"):
        return float(np.median(1 + np.square(along) / np.float64(max(left, 0.0)) / np.diag(inverse)))
