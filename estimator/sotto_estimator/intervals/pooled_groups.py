"""Values of groups that lean on one another: approximate intervals, which hold on average over groups.

The model is Fay and Herriot's (1979); `docs/maths-intervals.md` has formulas and measured coverage.
"""

from typing import NamedTuple

import numpy as np
import scipy

from sotto_estimator.channel.channel import Floats

LEAST_GROUPS = 3
"""Of fewer groups nothing is known of how much they differ."""
_N_NODES = 100
_N_HALVINGS = 32


class Pooled(NamedTuple):
    """What `pool` returns: numbers of all strata together, and of each, shape (n_strata,)."""

    mean: float
    between: float
    between_most: float
    own_weights: Floats
    values: Floats
    errors: Floats
    low: Floats
    high: Floats


def pool(values: Floats, errors: Floats, level: float) -> Pooled:
    """Return what is known of true values in [0, 1] from unbiased ones, with known errors, of three groups or more.

    The mean has a flat prior. Given A, each true value is normal (Rao & Molina 2015, 7.1 and 10.3). A has its
    restricted likelihood, on a grid: up to 1/4, the most that values in [0, 1] can vary. For the interval the prior of
    A is flat, which makes it wide enough in few strata; for the estimate that of its root is flat, whose errors are
    smaller (Gelman 2006). So intervals allow for all that is not known of A. Their ends may lie outside [0, 1].
    """
    variances = errors**2
    usual = 1 / np.sqrt(np.mean(1 / variances))
    steps = (np.arange(_N_NODES) + 0.5) / _N_NODES * 0.5 / (0.5 + usual)
    deviations = usual * steps / (1 - steps)
    precisions = 1 / (variances + deviations[:, None] ** 2)
    total = precisions.sum(axis=1)
    means = precisions @ values / total
    squares = (precisions * (values - means[:, None]) ** 2).sum(axis=1)
    log_likelihoods = (np.log(precisions).sum(axis=1) - np.log(total) - squares) / 2
    of_root = np.exp(log_likelihoods - log_likelihoods.max()) / (1 - steps) ** 2
    of_root, of_variance = of_root / of_root.sum(), of_root * deviations / (of_root @ deviations)
    shrinkage = variances * precisions
    centres = values * (1 - shrinkage) + shrinkage * means[:, None]
    spreads = np.sqrt(variances * (1 - shrinkage) + shrinkage**2 / total[:, None])
    estimates = of_root @ centres
    low, high = (_quantiles(of_variance, centres, spreads, prob) for prob in ((1 - level) / 2, (1 + level) / 2))
    between, most = (
        float(deviations[np.searchsorted(np.cumsum(weights), prob).clip(max=_N_NODES - 1)])
        for weights, prob in ((of_root, 0.5), (of_variance, level))
    )
    return Pooled(
        mean=float(np.clip(of_root @ means, 0, 1)),
        between=between,
        between_most=most,
        own_weights=of_root @ (1 - shrinkage),
        values=np.clip(estimates, 0, 1),
        errors=np.sqrt(of_variance @ (spreads**2 + (centres - estimates) ** 2)),
        low=low,
        high=high,
    )


def _quantiles(weights: Floats, centres: Floats, spreads: Floats, prob: float) -> Floats:
    """Return a quantile of each column's mixture of normals, by bisection."""
    low, high = (centres - 9 * spreads).min(axis=0), (centres + 9 * spreads).max(axis=0)
    for _ in range(_N_HALVINGS):
        middle = (low + high) / 2
        is_below = weights @ scipy.special.ndtr((middle - centres) / spreads) < prob
        low, high = np.where(is_below, middle, low), np.where(is_below, high, middle)
    ends: Floats = (low + high) / 2
    return ends
