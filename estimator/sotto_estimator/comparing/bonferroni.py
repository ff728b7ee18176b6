"""What two intervals say of a difference and a ratio: it holds however the two groups depend on one another.

Each holds with half of what both may miss by (Bonferroni): so it serves where the same people answer twice, where
reports of pooled waves depend, for means, and for people who were asked by several designs.
"""

import math
from collections.abc import Callable

from sotto_estimator.comparing.group_estimates import GroupEstimate

_LEAST_P = 1e-9
_N_HALVINGS = 40


def difference_from_two_intervals(first: GroupEstimate, second: GroupEstimate, level: float) -> tuple[float, float]:
    """Return an interval of the second's less the first's."""
    (low_1, high_1), (low_2, high_2) = (side.bounds((1 + level) / 2) for side in (first, second))
    return low_2 - high_1, high_2 - low_1


def ratio_of_two(first: GroupEstimate, second: GroupEstimate, level: float) -> tuple[float, float]:
    """Return an interval of the second's share over the first's, in [0, infinity]."""
    (low_1, high_1), (low_2, high_2) = (side.bounds((1 + level) / 2) for side in (first, second))
    return low_2 / high_1 if high_1 else 0.0, high_2 / low_1 if low_1 else math.inf


def p_of_two(first: GroupEstimate, second: GroupEstimate) -> float:
    """Return the least alpha of which the intervals at 1 - alpha don't meet: a P-value."""
    estimates = sorted([first, second], key=lambda side: side.estimate)

    def is_found(alpha: float) -> bool:
        (_, high), (low, _) = (side.bounds(1 - alpha / 2) for side in estimates)
        return low > high

    return least_alpha(is_found)


def least_alpha(is_found: Callable[[float], bool]) -> float:
    """Return the least alpha of which intervals at 1 - alpha find something; 10^-9 where it is less, 1 where none is.

    What they find at one alpha, they find at every larger one.
    """
    least, most = _LEAST_P, 1.0 - 1e-9
    if is_found(least) or not is_found(most):
        return least if is_found(least) else 1.0
    for _ in range(_N_HALVINGS):
        middle = math.sqrt(least * most)
        least, most = (least, middle) if is_found(middle) else (middle, most)
    return most
