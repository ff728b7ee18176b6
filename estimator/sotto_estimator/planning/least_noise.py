"""The least noise that any mechanism of an epsilon can add: what a plan compares each mechanism with.

Sources: Kairouz, Oh & Viswanath 2016 (Warner's coin, of two answers); Ye & Barg 2018 (subset selection, of k options).
"""

import math
from functools import lru_cache

import numpy as np
from scipy import optimize, sparse

from sotto_estimator.channel.channel import Floats

_N_NUMBERS, _FEW_UP_TO, _MOST_NUMBERS = 11, 2.0, 21
"""So many numbers are asked up to an epsilon, and so many above: of twice as many the least is the same to 1 %."""
_MOST_EPSILON = 6.0
_N_VALUES = 121
_BEYOND = 1.25
"""The grid of values ends at so much of 1BitMean's."""


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


@lru_cache(maxsize=64)
def least_variance_of_numbers(epsilon: float, n_numbers: int) -> float | None:
    """Return about the least worst-case variance of an unbiased report of a number in [0, 1], by a linear program.

    The program looks for P(value | number): for each value all within e^epsilon of each other, for each number with its
    mean, and the largest variance least. Values are on a grid, and only 11 or 21 of the `n_numbers` are asked. So it is
    within 1 % up to epsilon 6; None above. Domain: epsilon > 0, n_numbers >= 2.
    """
    if epsilon > _MOST_EPSILON:
        return None
    n, k = min(n_numbers, _N_NUMBERS if epsilon <= _FEW_UP_TO else _MOST_NUMBERS), _N_VALUES
    numbers = np.linspace(-1, 1, n)
    end = _BEYOND * (math.exp(epsilon) + 1) / (math.exp(epsilon) - 1)
    values, size = np.linspace(-end, end, k), n * k
    each = sparse.eye(n, format="csr")
    sums, means, squares = (sparse.kron(each, row[None], format="csr") for row in (np.ones(k), values, values**2))
    none, at_value = sparse.csr_matrix((n, k)), sparse.kron(np.ones((n, 1)), sparse.eye(k), format="csr")
    eye, column = sparse.eye(size, format="csr"), sparse.csr_matrix((size, 1))
    no_more = sparse.hstack([squares, none, -np.ones((n, 1))])
    above = sparse.hstack([eye, -math.exp(epsilon) * at_value, column])
    below = sparse.hstack([-eye, at_value, column])
    found = optimize.linprog(
        np.concatenate([np.zeros(size + k), [1.0]]),
        A_ub=sparse.vstack([no_more, above, below], format="csr"),
        b_ub=np.concatenate([numbers**2, np.zeros(2 * size)]),
        A_eq=sparse.vstack([sparse.hstack([rows, none, np.zeros((n, 1))]) for rows in (sums, means)], format="csr"),
        b_eq=np.concatenate([np.ones(n), numbers]),
        method="highs",
    )
    return float(found.fun) / 4
