"""What a comparison may be asked for, and the search that all its bounds of epsilon go by."""

import math
from collections.abc import Callable

from sotto_estimator.errors import DomainError

_N_STEPS = 120
LEAST_DELTA = 1e-15
"""Below it differences of probabilities have no digits left."""


def check_delta(delta: float) -> float:
    """Return delta, or raise `DomainError` unless it lies in [1e-15, 1)."""
    if not LEAST_DELTA <= delta < 1:
        raise DomainError(f"delta ({delta!r}) must be a probability in [{LEAST_DELTA:g}, 1).")
    return delta


def usual_delta(n: int) -> float:
    """Return 10^-6, or n^-1.1 where that is less: a delta of 1 / n would allow to publish one person's answer.

    >>> usual_delta(300), round(usual_delta(10**6) * 10**7, 2)
    (1e-06, 2.51)
    """
    return min(1e-6, math.exp(-1.1 * math.log(n)))


def least_epsilon(delta_of: Callable[[float], float], delta: float, highest: float) -> float:
    """Return the least epsilon in [0, highest] with delta_of(epsilon) <= delta, rounded up; delta_of falls.

    `highest` is taken for enough, unseen. Error: 1e-9 of it. The secant of ln(delta) finds it in a few steps, as that
    is nearly a line; every third step halves, in case it is none.
    """
    at_zero = delta_of(0.0)
    if at_zero <= delta:
        return 0.0
    low, high, above, below = 0.0, highest, math.log(at_zero / delta), -1.0
    for step in range(_N_STEPS):
        if high - low <= 1e-9 * highest:
            break
        part = 0.5 if step % 3 == 2 else above / (above - below)
        middle = low + (high - low) * min(max(part, 1e-3), 0.999)
        value = delta_of(middle)
        if value <= delta:
            high, below = middle, math.log(max(value, 1e-300) / delta) - 1e-12
        else:
            low, above = middle, math.log(value / delta)
    return high
