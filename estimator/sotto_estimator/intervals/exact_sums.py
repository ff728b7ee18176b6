"""Exact intervals for a share from a sum over reports that each add 0, 1, 2 ..: Clopper & Pearson's (1934) for sums.

Notation: n independent reports add X each, with the probabilities A if the answer is one of the values, else B; T is
their sum. X is stochastically larger under A, so P(T >= t) grows with the share of people whose answer is one. So the
ends are where a tail is beta / 2. With A(z), B(z) the generating functions of X, that of T is

    ((1 - p) B(z) + p A(z))^n   about the population,
    A(z)^K B(z)^(n - K)         about the respondents, of whom K have one of the values.
"""

from collections.abc import Callable, Sequence

import numpy as np
import scipy

from sotto_estimator.channel.channel import Target
from sotto_estimator.channel.sums import SumGroup
from sotto_estimator.intervals.sums import BEYOND

EXACT_METHODS = ("clopper-pearson", "blaker")
"""The methods that are exact for counts. Blaker's interval of a sum would lie within the one here."""
_MARGIN = 1e-9
"""Relative widening of a tail."""
_NEGLIGIBLE = 36.0
"""e^-36 of a tail: what the integral may count twice."""
_N_HALVINGS = 44
_MOST_POINTS = 2**18
"""Of a sum with a wider spread nothing exact is worked out."""
_EPS = float(np.finfo(np.float64).eps)


def exact_bounds(
    total: float, groups: Sequence[SumGroup], method: str, target: Target, tail: float
) -> tuple[float, float] | None:
    """Return `exact_sum_bounds` where an exact method asks for them and all reports add alike; else None.

    `total`: with the groups' factors. Every device must have sent one report.
    """
    if method not in EXACT_METHODS or len(groups) != 1:
        return None
    (group,) = groups
    return exact_sum_bounds(round(total / group.factor), group, target, tail)


def exact_sum_bounds(total: int, group: SumGroup, target: Target, tail: float) -> tuple[float, float] | None:
    """Return the ends of the share's interval, of which each misses by at most `tail`; `total`: of X, without factors.

    An end beyond [0, 1] says that no share fits. None where the sum's spread is too wide, and where X does not grow.
    """
    n, most = round(group.number), len(group.if_true) - 1
    if np.any(np.cumsum(group.if_true) > np.cumsum(group.if_other) + 1e-12):
        return None
    low = _least(total, n, group, target, tail)
    high = _least(n * most - total, n, group.mirrored(), target, tail)
    return None if low is None or high is None else (low, 1 - high)


def _least(total: int, n: int, group: SumGroup, target: Target, tail: float) -> float | None:
    """Return the share up to which all make so large a sum too rare; 0 where none does."""
    if total <= 0:
        return 0.0
    above = _tail_above(total, n, group, tail)
    if above is None:
        return None
    refuted = tail * (1 - _MARGIN)
    steps = n if target == "respondents" else 2**_N_HALVINGS
    if above(0, steps, target) > refuted:
        return 0.0
    if above(steps, steps, target) <= refuted:
        return (n + 1) / n if target == "respondents" else 1 + BEYOND
    low, high = 0, steps
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if above(middle, steps, target) <= refuted else (low, middle)
    return (high if target == "respondents" else low) / steps


def _tail_above(total: int, n: int, group: SumGroup, tail: float) -> Callable[[int, int, Target], float] | None:
    """Return P(T >= total) or slightly more, by how many of so many parts have one of the values.

    Cauchy's integral over a circle of radius r = e^tilt > 1, by the trapezoidal rule at N points. It is the sum over
    all whole q of r^(q N) P(T >= total + q N): never less (see `respondents._tail_bound`). The circle is the same for
    all shares, about where the tail is that of the interval's end; any circle gives a bound.
    """
    values = np.arange(len(group.if_true))
    spread = max(float(values**2 @ each - (values @ each) ** 2) for each in (group.if_true, group.if_other))
    contrast = float(values @ (group.if_true - group.if_other))
    deviation = np.sqrt(n * (spread + contrast**2 / 4))
    tilt = max(-float(scipy.special.ndtri(tail)), 1.0) / (1 + deviation)
    n_points = int(np.ceil(max((_NEGLIGIBLE - np.log(tail)) / tilt, 8 * deviation)))
    if n_points > _MOST_POINTS:
        return None
    at = tilt + 2j * np.pi * np.arange(n_points // 2 + 1) / n_points
    weights = np.where((at.imag == 0) | (2 * np.arange(len(at)) == n_points), 1.0, 2.0) / n_points
    z = np.exp(at)
    if_true, if_other = (np.polyval(each[::-1], z) for each in (group.if_true, group.if_other))
    log_true, log_other = np.log(if_true), np.log(if_other)
    shift = -total * at - np.log1p(-np.exp(-at))
    rounding = 1e-9 + 8 * _EPS * (total + n * len(values))

    def above(part: int, of: int, target: Target) -> float:
        if target == "respondents":
            logs = part * log_true + (of - part) * log_other
        else:
            share = part / of
            logs = n * np.log((1 - share) * if_other + share * if_true)
        terms = weights * np.exp(logs + shift)
        return float(terms.real.sum() + rounding * np.abs(terms).sum())

    return above
