"""Intervals for a share from a sum over reports each of which adds 0, 1, 2 .. to it: of values taken together.

Notation: groups of N devices add f X to a sum T; X has the probabilities A if the device's answer is one of the values,
else B; a(t), b(t) are the logarithms of their generating functions at f t. Chernoff 1952: for every t > 0, and a share
p of people whose answer is one, P(T >= s) <= exp(g(p, t) - t s), with

    g = sum of N ln((1 - p) e^b + p e^a)   about the population,
    g = sum of N ((1 - q) b + q a)         about the respondents, where the q of the groups are the worst that give p,

both growing with p. So all p with t s - g(p, t) > ln(1 / tail) are refuted, whatever t is: the best t is looked for.
Of a device that sent m reports the sum has m X in place of all of them: E exp(t (X1 + .. + Xm)) is at most the mean of
the E exp(t m Xi) (Hoeffding 1963, section 5), whatever ties the reports to one another.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sotto_estimator.channel.channel import Floats, Target
from sotto_estimator.channel.sums import SumGroup

_MOST_TILT = 60.0
"""Tilts are looked for up to so much above the least that can do: what lies beyond is e^-60 of the bound."""
_N_ROUNDS, _N_TILTS = 4, 33
"""So often so many tilts are tried, each time between the neighbours of the best one."""
_N_HALVINGS = 40
_MARGIN = 1e-9
"""Relative widening of a tail's logarithm: more than the rounding of the sums."""
_ROUNDING = 1e-12
"""Relative: more than that of a closed form."""
BEYOND = 1e-9
"""So far beyond 1 an end stands where every share is refuted."""


def sum_bounds(total: float, groups: Sequence[SumGroup], target: Target, tail: float) -> tuple[float, float]:
    """Return the ends of the share's interval, which misses by at most `tail` on either side.

    An end beyond [0, 1] says that no share fits, as far as that can be told.
    """
    budget = -float(np.log(tail)) * (1 + _MARGIN)
    top = sum(group.number * group.most for group in groups)
    low = _least(total, groups, target, budget)
    return low, 1 - _least(top - total, [group.mirrored() for group in groups], target, budget)


def _least(total: float, groups: Sequence[SumGroup], target: Target, budget: float) -> float:
    """Return the share up to which all are refuted by so large a sum: the best over all tilts; 0 where none is."""
    top = sum(group.number * group.most for group in groups)
    scale = max(group.most for group in groups)
    if total <= 0:
        return 0.0

    def refuted(tilts: Floats) -> Floats:
        return _refuted(total, groups, target, budget, tilts / scale)

    low, high = np.log(budget * scale / top), np.log(budget * scale / top + _MOST_TILT)
    best = 0.0
    for _ in range(_N_ROUNDS):
        logs = np.linspace(low, high, _N_TILTS)
        found = refuted(np.exp(logs))
        at = int(np.argmax(found))
        best = max(best, float(found[at]))
        low, high = logs[max(at - 1, 0)], logs[min(at + 1, _N_TILTS - 1)]
    return best


def _refuted(total: float, groups: Sequence[SumGroup], target: Target, budget: float, tilts: Floats) -> Floats:
    """Return for each tilt the share below which it refutes all, shape of tilts: of several groups by halving."""
    if len(groups) == 1:
        return _refuted_of_one(total, groups[0], target, budget, tilts)
    number = np.array([group.number for group in groups])[:, None]
    if_true, if_other = (np.stack([_log_moments(of, tilts, is_true=flag) for of in groups]) for flag in (True, False))

    def fits(shares: Floats) -> NDArray[np.bool_]:
        if target == "respondents":
            grown = _most_grown(shares, number, if_true - if_other)
        else:
            grown = (number * np.log1p(shares * np.expm1(if_true - if_other))).sum(axis=0)
        return np.asarray(tilts * total - (number * if_other).sum(axis=0) - grown <= budget)

    low, high = np.zeros_like(tilts), np.ones_like(tilts)
    is_all, is_none = ~fits(high), fits(low)
    for _ in range(_N_HALVINGS):
        middle = (low + high) / 2
        fit = fits(middle)
        low, high = np.where(fit, low, middle), np.where(fit, middle, high)
    return np.where(is_none, 0.0, np.where(is_all, 1 + BEYOND, low))


def _refuted_of_one(total: float, group: SumGroup, target: Target, budget: float, tilts: Floats) -> Floats:
    """Return the same of one group, for which g is solved for p."""
    if_true, if_other = (_log_moments(group, tilts, is_true=flag) for flag in (True, False))
    excess = (tilts * total - budget) / group.number - if_other
    if target == "respondents":
        shares = excess / (if_true - if_other)
    else:
        shares = np.expm1(excess) / np.expm1(if_true - if_other)
    return np.where(shares > 1, 1 + BEYOND, np.maximum(shares * (1 - _ROUNDING), 0.0))


def _most_grown(shares: Floats, number: Floats, each: Floats) -> Floats:
    """Return the most that people who have a value add to g: as many of them as can be in the groups that add most.

    `each`: of one of them, shape (n_groups, n_tilts); `shares`: of all, shape (n_tilts,).
    """
    left, grown = shares * number.sum(), np.zeros_like(shares)
    order = np.argsort(-each, axis=0, kind="stable")
    for place in order:
        taken = np.minimum(left, number[place, 0])
        grown += taken * np.take_along_axis(each, place[None, :], 0)[0]
        left = left - taken
    return grown


def _log_moments(group: SumGroup, tilts: Floats, *, is_true: bool) -> Floats:
    """Return ln E exp(tilt f X), shape of tilts."""
    chances = group.if_true if is_true else group.if_other
    values = np.arange(len(chances)) * group.factor
    exponents = tilts[:, None] * values
    most = exponents.max(axis=1)
    return np.asarray(most + np.log(np.exp(exponents - most[:, None]) @ chances))
