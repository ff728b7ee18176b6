"""All candidates at once, where they are as many as cells: each is estimated beside what is known of all the others.

The shares of the others are random, exponential with a mean that the counts tell, and each is known as well as the
counts allow: expectation propagation (Minka 2001), in which a candidate's own estimate never sees its prior. A false
candidate's column is random, and independent of what a model of the others leaves over; so it is tested as if it joined
a model that grows (`models.py`), with less left over to drown in.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy import linalg, special

from sotto_estimator.channel.channel import Floats
from sotto_estimator.strings.columns import Columns, Ints
from sotto_estimator.strings.regression import BloomCells
from sotto_estimator.strings.screening import upper_tail

_MAX_CELLS = 2048  # a round takes a time that grows with their cube
_MAX_ROUNDS = 10
_SETTLED = 0.01  # of the logarithms of the mean share and of the noise
_STEP = 0.7  # of the way to new messages, so that they settle
_LEAST_SHRINKAGE = 0.02
"""How much of an estimate's precision a share's prior adds at the least: messages have a variance then."""
_MEAN_STEPS = 30
_LEAST_SHARE = 1e-12
_HOPELESS = 1.5
"""Times the variance of another model: from there on no round is likely to bring it below."""


@dataclass(frozen=True, slots=True, eq=False)
class DenseEstimates:
    """The shares of `candidates`, by their numbers, in their order.

    `shares`: linear in the counts, given what is known of the others, as `weights`, shape (n_candidates, n_cells); of
    `errors`. `means`: the shares' means given these and the prior, above 0. `p_values`: of tests that they are 0.
    `spread`: the median variance, per squared length of a column, as `CandidateRegression.spread` has it.
    """

    candidates: Ints
    shares: Floats
    errors: Floats
    means: Floats
    p_values: Floats
    weights: Floats
    spread: float


def is_dense(n_cells: int, n_candidates: int) -> bool:
    """Return whether candidates are about as many as cells, and not too many to be taken together."""
    return n_cells <= _MAX_CELLS and n_cells < 2 * n_candidates <= 4 * n_cells


def dense_estimates(cells: BloomCells, columns: Columns, candidates: Ints, spread: float) -> DenseEstimates | None:
    """Return the estimates of some candidates; None where those of another model, of this `spread`, vary by less."""
    used = cells.n_devices > 0
    variances = cells.variances(np.full(cells.excess.shape, cells.moments.density))[used]
    centred, excess = columns.dense(candidates)[used] - cells.moments.density, cells.excess[used]
    n = candidates.size
    noise, mean = 1.0, 1 / n
    spreads, centres = np.full(n, mean**2), np.zeros(n)  # of the messages
    for round_number in range(_MAX_ROUNDS):
        covariance = (centred * spreads) @ centred.T
        covariance[np.diag_indices_from(covariance)] += variances * noise
        inverse = linalg.inv(covariance, check_finite=False, overwrite_a=True)
        constant = inverse.sum(0)
        inverse -= np.outer(constant, constant / constant.sum())
        left = inverse @ (excess - centred @ centres)
        along = inverse @ centred
        known = (centred * along).sum(0)
        left_out = 1 - spreads * known
        scores = (centred.T @ left + centres * known) / left_out
        precisions = known / left_out
        residuals = np.zeros((n, used.size))
        residuals[:, used] = (left[:, None] + along * (centres + spreads * scores)).T
        null = cells.moments.quadratic(residuals.reshape(n, *cells.shape)).sum(-1)
        shares, errors = scores / precisions, 1 / np.sqrt(precisions)
        means, variances_left, new_mean = _given_prior(shares, errors, mean)
        now = float(np.median(errors)) ** 2 * cells.moments.variance
        ratio = float(np.median(null / precisions))
        new_noise = max(1.0, noise * ratio**_STEP)
        is_settled = max(abs(math.log(new_noise / noise)), abs(math.log(new_mean / mean))) < _SETTLED
        if round_number and now > _HOPELESS * spread:
            return None
        if round_number and is_settled:
            break
        noise, mean = new_noise, new_mean
        new_spreads = 1 / (1 / variances_left - precisions)
        new_centres = new_spreads * (means / variances_left - shares * precisions)
        step = _STEP if round_number else 1.0
        spreads = new_spreads**step * spreads ** (1 - step)
        centres = step * new_centres + (1 - step) * centres
    weights = np.zeros((n, used.size))
    weights[:, used] = (along / known).T
    typical = np.zeros(used.size)
    typical[used] = left
    skewness = cells.moments.skewness(typical.reshape(cells.shape), columns.n_hashes)
    p_values = upper_tail(scores, np.sqrt(null), skewness)
    return DenseEstimates(candidates, shares, errors, means, p_values, weights, now) if now < spread else None


def _given_prior(shares: Floats, errors: Floats, mean: float) -> tuple[Floats, Floats, float]:
    """Return means and variances of shares, exponential beforehand, given normal estimates; and the mean beforehand.

    By EM from `mean`, with the moments of the truncated normal distribution.
    """
    for _ in range(_MEAN_STEPS):
        middles = shares - np.square(errors) / mean
        scores = middles / errors
        hazards = np.exp(-np.square(scores) / 2 - special.log_ndtr(scores)) / math.sqrt(2 * math.pi)
        means = np.maximum(middles + errors * hazards, _LEAST_SHARE)
        mean = float(means.mean())
    variances = np.square(errors) * (1 - hazards * (hazards + scores))
    return means, np.clip(variances, 1e-3 * np.square(errors), (1 - _LEAST_SHRINKAGE) * np.square(errors)), mean
