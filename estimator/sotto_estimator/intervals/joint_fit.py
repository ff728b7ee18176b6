"""How badly all counts together fit the best shares, G², and how likely that is at most."""

import math
from collections.abc import Sequence

import numpy as np

from sotto_estimator.channel.channel import Channel

ROUNDING = 1e-12
"""Of a report's log-likelihood, at most, that of a design's probabilities included."""


def g_squared_of_names(support_counts: Sequence[int], channel: Channel) -> float:
    """Return G² of reports that name one value each: twice the log-likelihood that the best shares lose. Rounded down.

    No value's probability is less than what noise alone gives it. All together are 1. The likeliest are the
    counts over one number, or that least one (Karush, Kuhn and Tucker).
    """
    counts, least = np.array(support_counts, np.float64), channel.prob_support_if_other
    n, descending = counts.sum(), np.sort(counts)[::-1]
    scales = np.cumsum(descending) / (1 - least * np.arange(len(counts) - 1, -1, -1))
    scale = scales[np.flatnonzero(descending >= least * scales)[-1]]
    ratios = counts / (n * np.maximum(least, counts / scale))
    lost = counts @ np.log(ratios, where=counts > 0, out=np.zeros_like(ratios)) - n * ROUNDING
    return max(0.0, 2 * float(lost))


def tail_of_fit(g_squared: float, n_free: int) -> float:
    """Return at most P(G² or more) for whatever shares are true, of samples that leave `n_free` numbers free.

    The sum of n KL(seen | true) is G² / 2 or more. Its generating function is at most a gamma's of the shape n_free
    (Agrawal 2020), so Chernoff's bound is e^(d - t) (t/d)^d. It is so where people's answers are fixed as well: e^(h n
    KL) is a product of log-convex functions of the counts, so its mean grows where two people's probabilities are
    replaced by their mean (as of binomials: Hoeffding 1956).
    """
    half = g_squared / 2
    if half <= n_free or not n_free:
        return 1.0
    return math.exp(n_free - half + n_free * math.log(half / n_free))
