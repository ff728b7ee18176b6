"""Sums of a mixture's shares, such as that of all who selected an option: intervals by their profile likelihood.

A share's profile is the largest log-likelihood that it allows. Beside the reports stands a row of weight K that only
some cells could have made. It depends on their sum alone, so the maximum with it is on the profile, and the larger K,
the farther along. The interval ends where twice the log-likelihood has fallen by a quantile of chi-square (Wilks 1938).
"""

import math

import numpy as np
import scipy
from numpy.typing import NDArray

from sotto_estimator.likelihood.em import TOLERANCE, MixtureFit, fit
from sotto_estimator.likelihood.latent_classes import Mixture

_LEAST_PART = 1e-3  # of the shares from which a search goes on, so that no cell is out of it
_EXACT = 1e-4  # of the logarithm of K
_WIDER = 1.0


def profile_interval(
    mixture: Mixture, best: MixtureFit, members: NDArray[np.bool_], error: float, fall: float
) -> tuple[float, float]:
    """Return where the profile of the sum of some cells' shares, shape (n_cells,), has fallen by `fall` on either side.

    `best`: the fit of the mixture, of one question. `error`: about the sum's standard error, to begin with. `fall`: of
    twice the log-likelihood, above 0.
    """
    share = float(best.shares[members].sum())
    step = math.sqrt(fall)
    low = _end(mixture, best, ~members, step * ((1 - share) / error + step), fall)
    return 1 - low, _end(mixture, best, members, step * (share / error + step), fall)


def _end(mixture: Mixture, best: MixtureFit, towards: NDArray[np.bool_], weight: float, fall: float) -> float:
    """Return the largest sum of the shares of the cells `towards` that the reports allow; `weight`: about the row's."""
    (rows,) = mixture.likelihoods
    at_end = fit(Mixture((rows[:, towards],), mixture.counts))
    if 2 * (best.log_likelihood - at_end.log_likelihood) <= fall + 2 * TOLERANCE:  # by as much fits may be wrong
        return 1.0
    beside = np.vstack([rows, towards.astype(rows.dtype)])
    found = best.shares

    def too_far(log_weight: float) -> float:
        nonlocal found
        start = (1 - _LEAST_PART) * found + _LEAST_PART / found.size
        pulled = Mixture((beside,), np.append(np.asarray(mixture.counts, np.float64), math.exp(log_weight)))
        found = fit(pulled, start=start).shares
        there = float(mixture.weights @ np.log(mixture.densities(found))) * mixture.n_reports
        return math.sqrt(max(2 * (best.log_likelihood - there), 0.0)) - math.sqrt(fall)

    first = last = math.log(weight)
    while too_far(first) > 0:
        first -= _WIDER
    while too_far(last) < 0:
        last += _WIDER
    too_far(scipy.optimize.brentq(too_far, first, last, xtol=_EXACT) if first < last else first)
    return float(found[towards].sum())
