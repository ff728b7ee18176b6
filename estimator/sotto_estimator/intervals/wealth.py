"""Wealth that may only grow by luck: a mixture of exponential tilts, bounded at every number of reports at once.

Reports are independent bits X_i with P(X_i = 1) = l_i. For a tilt h the product of e^(h X_i) / (1 - l_i + l_i e^h) is a
martingale that starts at 1, and so is a mixture over tilts that were fixed before. By Ville's inequality (1939) it ever
comes to 1 / tail with a probability of `tail` at most. The method is Robbins's (1970). The proof is in
docs/maths-waves.md.
"""

import numpy as np

from sotto_estimator.channel.channel import Floats

_EPS = float(np.finfo(np.float64).eps)

_HEAD = {
    8.0: 0.005,
    4.0: 0.015,
    2.0: 0.057,
    2.0**0.5: 0.153,
    1.0: 0.193,
    0.5**0.5: 0.224,
    0.5: 0.066,
    0.5**1.5: 0.057,
    0.25: 0.039,
    0.5**2.5: 0.035,
}
"""Weights by tilt, for some ten to a thousand reports; any of a sum of at most 1 are valid.

Of n reports that half support, a tilt of 2 z / sqrt(n) refutes what is z standard errors away best. These were found by
a search for the least width beside the sequences of other programs (docs/anytime.md).
"""

_N_OCTAVES = 18
"""Of smaller tilts, for up to 10^12 reports: half the one before; the j-th has 1 / (j (j + 1)) of what is left."""

_J = np.arange(1, _N_OCTAVES + 1)

TILTS: Floats = np.concatenate([list(_HEAD), 0.5 ** (2.5 + _J)])
WEIGHTS: Floats = np.concatenate([list(_HEAD.values()), (1 - sum(_HEAD.values())) / (_J * (_J + 1))])

_LOG_WEIGHTS: Floats = np.log(WEIGHTS)


def log_wealth(s: Floats, log_moments: Floats, tilts: Floats) -> Floats:
    """Return the logarithm of the sum of w e^(h s) / e^log_moments over tilts h, less what rounding may have added.

    `s`: shape (rows,). `log_moments`: shape (rows, tilts), ln E e^(h S) under what is to be refuted. `tilts`: TILTS, to
    refute that less was expected than s, or -TILTS, that more was.
    """
    of_count = s[:, None] * tilts
    rounding = 8 * _EPS * (1 + np.abs(of_count) + np.abs(log_moments))
    terms = of_count - log_moments - rounding + _LOG_WEIGHTS
    largest = terms.max(axis=1)
    wealth: Floats = largest + np.log(np.exp(terms - largest[:, None]).sum(axis=1)) - 1e-12
    return wealth
