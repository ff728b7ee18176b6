"""Consistent shares, the closest ones that are possible, and about how far off chance puts them."""

import numpy as np
from scipy.special import ndtr

from sotto_estimator.channel.channel import Floats, Target
from sotto_estimator.channel.simplex import project_on_simplex
from sotto_estimator.shares.covariance import covariance_of
from sotto_protocol.mechanisms.mechanism import PureMechanism

MAX_OPTIONS = 1000
"""Of one-of questions of more, errors are not computed: they need all pairs of options."""

_N_DRAWS = 4000  # standard deviations of so many are 1 % off


def projected_shares(
    shares: Floats, mechanism: PureMechanism | None, n: int, target: Target
) -> list[tuple[float, float | None]]:
    """Return the consistent shares of a one-of question, of unbiased ones of shape (k,), and their standard errors.

    Of n independent reports. None where the mechanism does not tell the covariances, and above `MAX_OPTIONS` options.
    """
    possible = project_on_simplex(shares)
    errors: list[float | None] = [None] * len(possible)
    if mechanism and mechanism.prob_support_both and len(possible) <= MAX_OPTIONS:
        errors = projected_errors(possible, covariance_of(mechanism, possible, n, target)).tolist()
    return list(zip(possible.tolist(), errors, strict=True))


def clipped_shares(shares: Floats, errors: Floats) -> list[tuple[float, float | None]]:
    """Return unbiased shares, of these standard errors, clipped to [0, 1], and the errors of what they then are."""
    possible = shares.clip(0, 1)
    return list(zip(possible.tolist(), clipped_errors(possible, errors).tolist(), strict=True))


def projected_errors(mean: Floats, covariance: Floats) -> Floats:
    """Return the standard deviations, shape (k,), of normal draws that are projected on the simplex.

    Always of the same draws; `mean` is a point of the simplex.
    """
    size = np.trace(covariance) / len(mean)
    root = np.linalg.cholesky(covariance + 1e-9 * size * np.eye(len(mean)))  # k-ary's is singular: shares sum to 1
    draws = mean + np.random.default_rng(0).standard_normal((_N_DRAWS, len(mean))) @ root.T
    errors: Floats = np.apply_along_axis(project_on_simplex, 1, draws).std(axis=0)
    return errors


def clipped_errors(mean: Floats, errors: Floats) -> Floats:
    """Return the standard deviations of normal variables, of these means and errors, that are clipped to [0, 1].

    The shape of both; means in [0, 1], errors >= 0. By the moments of the censored normal distribution (Tobin 1958).
    """
    scale = np.where(errors > 0, errors, 1)
    low, high = -mean / scale, (1 - mean) / scale
    inside = ndtr(high) - ndtr(low)
    first = _density(low) - _density(high) + low * ndtr(low) + high * ndtr(-high)
    second = inside + low * _density(low) - high * _density(high) + low**2 * ndtr(low) + high**2 * ndtr(-high)
    clipped: Floats = errors * np.sqrt(np.maximum(second - first**2, 0))
    return clipped


def _density(deviate: Floats) -> Floats:
    density: Floats = np.exp(-(deviate**2) / 2) / np.sqrt(2 * np.pi)
    return density
