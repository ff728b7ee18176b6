"""Fisher's exact test of two groups whose reports went through the same channel: the test that `sotto power` plans.

If their shares are equal, so are the distributions of their reports, whatever the share is: given how many reports
support the answer in both together, the first group's count is hypergeometric (Fisher 1935).
"""

import math

import numpy as np

from sotto_estimator.comparing.group import Group

_N_DEVIATIONS = 12
_MARGIN = 1e-9
"""Relative widening of a P-value: more than the rounding of its tails."""


def fisher_p_value(first: Group, second: Group) -> float:
    """Return twice the smaller tail, 1 at most; of counts more than 12 deviations out, that of those at 12.

    The groups' channels are taken to be the same.
    """
    together, n = first.support_count + second.support_count, first.n + second.n
    least, most = max(0, together - second.n), min(together, first.n)
    mean = first.n * (together / n)
    deviation = math.sqrt(mean * (1 - together / n) * (second.n / max(n - 1, 1)))
    reach = _N_DEVIATIONS * deviation + 8
    start, stop = max(least, math.floor(mean - reach)), min(most, math.ceil(mean + reach))
    counts = np.arange(start, stop + 1, dtype=np.float64)
    ratios = (together - counts[:-1]) * (first.n - counts[:-1]) / (counts[1:] * (second.n - together + counts[1:]))
    logs = np.concatenate([[0.0], np.cumsum(np.log(ratios))])
    sizes = np.exp(logs - logs.max())
    at = min(max(first.support_count, start), stop) - start
    tail = min(sizes[: at + 1].sum(), sizes[at:].sum()) / sizes.sum()
    return float(min(1.0, 2 * tail * (1 + _MARGIN)))
