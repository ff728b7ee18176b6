"""Does a logistic model of the hidden answer fit? A score test of groups of people with alike predictions."""

import numpy as np
from scipy.special import chdtrc

from sotto_estimator.channel.channel import Floats
from sotto_estimator.regression.basis import products
from sotto_estimator.regression.fitting import Fitted
from sotto_estimator.regression.hidden_answer import HiddenAnswer
from sotto_estimator.regression.sample import Sample

N_GROUPS = 10
_TOLERANCE = 1e-8


def lack_of_fit(sample: Sample, fitted: Fitted) -> dict[str, float]:
    """Return chi-square, degrees of freedom and P-value of the test that the groups have no terms of their own.

    Groups are tenths of people by their predicted log odds (Tsiatis 1980); the information is the expected one, of two
    reports. Nothing is returned where there are more answers, too few groups, or an estimate that is not finite.
    """
    matrix = sample.terms.matrix
    if len(sample.answers) > 2 or len(fitted.separated) or not matrix.shape[1]:
        return {}
    logits = matrix @ fitted.coefficients + (0.0 if sample.offset is None else sample.offset)
    groups = _tenths(logits, sample.weights)
    scores, expected = _scores(sample, logits)
    within, across = products(matrix, expected, matrix), products(groups, expected, matrix)
    own = expected @ groups
    sizes, directions = np.linalg.eigh(np.diag(own) - across @ np.linalg.solve(within, across.T))
    is_free = sizes > _TOLERANCE * own.sum()
    if not is_free.any():
        return {}
    along = (directions.T @ (groups.T @ scores))[is_free]
    statistic, degrees = float((along**2 / sizes[is_free]).sum()), int(is_free.sum())
    return {"lack of fit: chi-square": statistic, "df": degrees, "P": float(chdtrc(degrees, statistic))}


def _scores(sample: Sample, logits: Floats) -> tuple[Floats, Floats]:
    """Return the weighted scores of rows in their log odds, and the expected informations."""
    with np.errstate(divide="ignore"):
        log_other = np.log1p(-np.exp(sample.log_channel))
    own, other = (HiddenAnswer(channel).at(logits[:, None]) for channel in (sample.log_channel, log_other))
    prob = np.exp(own.log_likelihood)
    expected = prob * own.score[:, 0] ** 2 + (1 - prob) * other.score[:, 0] ** 2
    return sample.weights * own.score[:, 0], sample.weights * expected


def _tenths(logits: Floats, weights: Floats) -> Floats:
    """Return which tenth of the people each row is in, shape (n, n_groups), 0 or 1; alike rows are in one."""
    values, place = np.unique(logits.round(9), return_inverse=True)
    of_value = np.bincount(place, weights, len(values))
    below = np.cumsum(of_value) - of_value / 2
    tenth = np.minimum((below / weights.sum() * N_GROUPS).astype(np.int64), N_GROUPS - 1)[place]
    found: Floats = (tenth[:, None] == np.unique(tenth)).astype(np.float64)
    return found
