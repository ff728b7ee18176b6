"""Tests of joining a model: a random column's sum of weighted residuals, whatever made the residuals.

A random column draws cells. Of many draws the sum is close to normal; of few its distribution is computed.
"""

import math

import numpy as np
from numpy.typing import NDArray
from scipy import special

from sotto_estimator.channel.channel import Floats
from sotto_estimator.strings.regression import CandidateRegression

_WINSOR = 2.0
_TURN = 1.5
N_LEVELS = 128  # of residuals above 0, where sums are few draws' and their distribution is computed


def winsor_limit(n_draws: int, most_p: float) -> float:
    """Return how many robust deviations a residual counts at most, where a column draws so many cells.

    With 2 a sum over many cells can be significant at `most_p`, over few none can, however large the residuals. There
    it is one more than what each cell has on average where a normal sum is just significant.

    >>> winsor_limit(64, 0.0005), round(winsor_limit(2, 0.0005), 1)
    (2.0, 3.3)
    """
    return max(_WINSOR, 1 - float(special.ndtri(most_p)) / math.sqrt(max(n_draws, 1)))


def is_few(limit: float) -> bool:
    """Return whether a column draws so few cells that their sum's distribution is to be computed."""
    return limit > _WINSOR


def winsorised(fit: CandidateRegression, limit: float = _WINSOR) -> Floats:
    """Return residuals over their variances, those beyond `limit` robust deviations brought back to them.

    A large string that made some of them then has no more say than that.
    """
    used = np.isfinite(fit.variances)
    deviations = np.sqrt(fit.variances)
    standardised = np.where(used, fit.residuals / deviations, 0.0)
    most = limit * float(np.median(np.abs(standardised[used]))) * 1.4826
    return np.clip(standardised, -most, most) / deviations


def levels_of(weighted: Floats) -> Floats:
    """Return integers in the proportions of residuals, shape (n_cohorts, n_bits), each cohort's around its mean."""
    centred = weighted - weighted.mean(-1, keepdims=True)
    largest = float(np.abs(centred).max())
    return np.asarray(np.rint(centred * (N_LEVELS / largest)) if largest > 0 else centred)


def tail_of_draws(levels: Floats, n_hashes: int, sums: Floats) -> Floats:
    """Return P(sum >= each of `sums`) where each hash draws a cell of each cohort; `levels` are integers.

    Exact for one hash. For more a bit that two hashes draw counts twice in it, once in a column's sum.
    """
    probs, lowest = np.ones(1), 0
    for cohort in levels.astype(np.intp):
        low = int(cohort.min())
        of_draw = np.bincount(cohort - low) / cohort.size
        for _ in range(n_hashes):
            probs, lowest = np.convolve(probs, of_draw), lowest + low
    tail = np.append(np.cumsum(probs[::-1])[::-1], 0.0)
    places: NDArray[np.intp] = np.clip(np.rint(sums).astype(np.intp) - lowest, 0, tail.size - 1)
    return np.asarray(np.minimum(tail[places], 1.0))


def upper_tail(values: Floats, errors: Floats, skewness: float = 0.0) -> Floats:
    """Return P(Z >= value / error); without any error, 0 for a value above 0 and else 1.

    Positive skewness thickens the tail: z - skewness (z^2 - 1) / 6 for z above 1 (Cornish & Fisher 1938).
    """
    scores = np.divide(values, errors, out=np.zeros_like(values), where=errors > 0)
    steepest = np.minimum(scores, _TURN / max(skewness, 1e-9))  # beyond, the correction would turn back
    scores = scores - max(skewness, 0.0) * np.maximum(np.square(steepest) - 1, 0) / 6
    return np.where(errors > 0, special.ndtr(-scores), np.where(values > 0, 0.0, 1.0))


def least_score(most_p: float, skewness: float) -> float:
    """Return the least score of a P-value of at most `most_p` in [0, 1/2], as `upper_tail` has it.

    >>> score = least_score(0.001, 0.4)
    >>> round(score, 3), round(float(upper_tail(np.array(score), np.array(1.0), 0.4)), 6)
    (3.961, 0.001)
    """
    normal, slope = -float(special.ndtri(most_p)), max(skewness, 1e-9) / 6
    steepest = _TURN / (6 * slope)
    root = 1 - 4 * slope * (normal - slope)
    if normal < 1 or (root >= 0 and (score := (1 - math.sqrt(root)) / (2 * slope)) <= steepest):
        return normal if normal < 1 else score
    return normal + slope * max(steepest**2 - 1, 0)
