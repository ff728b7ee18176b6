"""The least noise that any mechanism of an epsilon can add: what a plan compares each mechanism with.

Sources: Kairouz, Oh & Viswanath 2016 (Warner's coin, of two answers); Ye & Barg 2018 (subset selection, of k options).
"""

import math

import numpy as np

from sotto_estimator.channel.channel import Floats


def least_noise_of_options(epsilon: float, n_options: int) -> float:
    """Return the least mean variance of a debiased report's noise, over the options, where these are equally common.

    Of a one-of question with k options, or of the two answers yes and no: no channel and no unbiased estimate has less.
    """
    sizes = np.arange(1, max(2, n_options))
    odds = math.exp(epsilon) * sizes / (n_options - sizes)
    true = odds / (1 + odds)
    other = (true * (sizes - 1) + (1 - true) * sizes) / (n_options - 1)
    return float(noise_of_options(true, other, n_options).min())


def noise_of_options(true: Floats | float, other: Floats | float, n_options: int) -> Floats:
    """Return the mean variance of a debiased report's noise over k options that are equally common.

    `true`, `other`: P(a report supports an option), if it is the answer and if not.
    """
    true, other = np.asarray(true, np.float64), np.asarray(other, np.float64)
    each = true * (1 - true) / n_options + other * (1 - other) * (1 - 1 / n_options)
    return np.asarray(each / (true - other) ** 2)
