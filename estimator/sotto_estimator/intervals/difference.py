"""The difference and the ratio of two groups' shares, with intervals that hold whatever the shares are.

Notation: of group i, x_i = (S_i/n_i - b_i)/(a_i - b_i) is the unbiased share f_i, a sum of n_i independent reports. For
any weight r > 0, any h > 0 and all shares

  P(x_2 - r x_1 >= t) <= exp(g_2(h, f_2) + g_1(-r h, f_1) - h t),     (Chernoff 1952)

g_i(h, f) the logarithm of E exp(h x_i). It is concave in f_1 and f_2, so the worst shares on the line f_2 = r f_1 + d
have a closed form for each h; the best h is looked for, and whichever is found holds (docs/maths-planning.md).
"""

from typing import Protocol

import numpy as np

from sotto_estimator.channel.channel import Channel, Floats, Target, check_target
from sotto_estimator.intervals.intervals import check_level

_MARGIN = 1e-9
"""Relative widening of a budget: more than the rounding of what it is held against."""
_TILTS = np.geomspace(1e-3, 1e2, 41)
"""Looked at, in units of the normal approximation's best."""
_MAX_EXPONENT = 16.0
"""Of what one report adds: beyond it, 1 - l of a reported share l loses the digits that matter."""
_N_NARROWINGS = 3
_N_HALVINGS = 50
_RATIOS = 1.01 ** np.arange(-926.0, 927.0)
"""From 1/10,000 to 10,000. An end is one of them, such that it and all on its far side are refuted: then it misses only
where the last one beyond the truth is, which is a single event. Between them nothing is known."""
_N_AT_ONCE = 128


class CountedGroup(Protocol):
    """How many reports a group has, through which channel, and its unbiased share.

    For several pairs of groups at once, numbers are of shape (rows, 1).
    """

    @property
    def n(self) -> int | Floats: ...
    @property
    def channel(self) -> Channel: ...
    @property
    def share(self) -> float | Floats: ...


def difference_interval(
    first: CountedGroup,
    second: CountedGroup,
    *,
    level: float = 0.95,
    target: Target = "population",
    n_intervals: int = 1,
) -> tuple[float, float]:
    """Return an interval of the second's share minus the first's, in [-1, 1], that holds with probability `level`.

    One that lies wholly outside is the nearest edge. `n_intervals`: so many hold together. Raises `DomainError`.
    """
    check_target(target)
    budget = _budget(level, n_intervals)
    return _least_difference(first, second, budget, target), -_least_difference(second, first, budget, target)


def ratio_interval(
    first: CountedGroup,
    second: CountedGroup,
    *,
    level: float = 0.95,
    target: Target = "population",
    n_intervals: int = 1,
) -> tuple[float, float]:
    """Return an interval of the second's share over the first's, in [0, infinity], as `difference_interval`.

    Its ends are rounded outwards to 1 %.
    """
    check_target(target)
    budget = _budget(level, n_intervals)
    most = _least_ratio(second, first, budget, target)
    return _least_ratio(first, second, budget, target), np.inf if most == 0 else 1 / most


def p_above(
    first: CountedGroup, second: CountedGroup, *, target: Target = "population", difference: float = 0.0
) -> float:
    """Return at most how likely counts at least as far apart are, where the second's share is not above the first's.

    Or above it by `difference` at most, in (-1, 1). It is at most alpha just where the low end of `difference_interval`
    at the level 1 - 2 alpha is at least that.
    """
    check_target(target)
    return float(p_of_rows(first, second, np.ones(1), difference, target)[0])


def p_of_rows(
    first: CountedGroup, second: CountedGroup, ones: Floats, difference: float, target: Target = "population"
) -> Floats:
    """Return what `p_above` does, for each row of pairs of groups; shape (rows,), as `ones`."""
    refuted = _refuted(first, second, ones, difference, target)
    return np.asarray(np.minimum(1.0, np.exp(-refuted * (1 - _MARGIN))))


def _budget(level: float, n_intervals: int) -> float:
    return float(-np.log(check_level(level, n_intervals) / 2)) * (1 + _MARGIN)


def _least_difference(first: CountedGroup, second: CountedGroup, budget: float, target: Target) -> float:
    """Return d in [-1, 1] of which it is refuted that f_2 - f_1 is d or less; -1 where no such is."""

    def is_refuted(d: float) -> bool:
        return bool(_refuted(first, second, np.ones(1), d, target)[0] >= budget)

    refuted, allowed = -1.0, 1.0
    if not is_refuted(refuted) or is_refuted(allowed):
        return -1.0 if not is_refuted(refuted) else 1.0
    for _ in range(_N_HALVINGS):
        middle = (refuted + allowed) / 2
        refuted, allowed = (middle, allowed) if is_refuted(middle) else (refuted, middle)
    return refuted


def _least_ratio(first: CountedGroup, second: CountedGroup, budget: float, target: Target) -> float:
    """Return r of which it, and all that are tried below it, are refuted to be f_2/f_1 or more; 0 where none is."""
    last = 0.0
    for start in range(0, _RATIOS.size, _N_AT_ONCE):
        ratios = _RATIOS[start : start + _N_AT_ONCE]
        is_refuted = _refuted(first, second, ratios, 0.0, target) >= budget
        if not is_refuted.all():
            n_refuted = int(is_refuted.argmin())
            return float(ratios[n_refuted - 1]) if n_refuted else last
        last = float(ratios[-1])
    return last


def _refuted(first: CountedGroup, second: CountedGroup, ratios: Floats, d: float, target: Target) -> Floats:
    """Return how surely f_2 <= r f_1 + d is refuted, -ln of a bound on P(x_2 - r x_1 as large); 0 where it is not.

    Shape of ratios, r > 0. Either r is 1 and d in [-1, 1], or d is 0.
    """
    r = ratios[:, None]
    seen = second.share - r * first.share
    spread = sum(weight**2 / (4 * of.n * of.channel.contrast**2) for of, weight in ((first, r), (second, 1.0)))
    largest = _MAX_EXPONENT * np.minimum(second.n * second.channel.contrast, first.n * first.channel.contrast / r)
    tilts = np.minimum(np.maximum(seen - d, 1e-9) / spread * _TILTS, largest)
    rows = np.arange(len(ratios))
    for _ in range(_N_NARROWINGS - 1):
        best = (tilts * seen - _worst(first, second, r, d, tilts, target)).argmax(axis=1)
        ends = tilts[rows, np.maximum(best - 1, 0)], tilts[rows, np.minimum(best + 1, _TILTS.size - 1)]
        tilts = np.geomspace(*ends, _TILTS.size, axis=1)
    found = tilts * seen - _worst(first, second, r, d, tilts, target)
    return np.asarray(np.maximum(0.0, found.max(axis=1)))


def _worst(first: CountedGroup, second: CountedGroup, r: Floats, d: float, tilts: Floats, target: Target) -> Floats:
    """Return the largest logarithm of E exp(h (x_2 - r x_1)) over shares with f_2 = r f_1 + d, for every tilt h.

    About the respondents it is linear in the shares, so largest at an end of the line.
    """
    least, most = np.maximum(0.0, -d / r), np.minimum(1.0, (1 - d) / r)
    if target == "respondents":
        places = [np.broadcast_to(end, tilts.shape) for end in (least, most)]
    else:
        places = [np.clip(_stationary(first, second, r, d, tilts), least, most)]
    logs = [
        _log_mgf(second, tilts, np.clip(r * place + d, 0, 1), target) + _log_mgf(first, -r * tilts, place, target)
        for place in places
    ]
    return np.asarray(np.maximum.reduce(logs))


def _stationary(first: CountedGroup, second: CountedGroup, r: Floats, d: float, tilts: Floats) -> Floats:
    """Return f_1 where the concave logarithm has the derivative 0 along the line: the root of a linear equation."""
    b1, c1 = first.channel.prob_support_if_other, first.channel.contrast
    b2, c2 = second.channel.prob_support_if_other, second.channel.contrast
    grown1, grown2 = np.expm1(-r * tilts / (first.n * c1)), np.expm1(tilts / (second.n * c2))
    constant = second.n * r * c2 * grown2 * (1 + grown1 * b1) + first.n * c1 * grown1 * (1 + grown2 * (b2 + d * c2))
    return np.asarray(-constant / (r * c1 * c2 * grown1 * grown2 * (first.n + second.n)))


def _log_mgf(group: CountedGroup, tilts: Floats, share: Floats, target: Target) -> Floats:
    """Return the logarithm of E exp(h x) of a group with this share, for every tilt."""
    true, other, contrast = (
        group.channel.prob_support_if_true,
        group.channel.prob_support_if_other,
        group.channel.contrast,
    )
    steps = tilts / (group.n * contrast)
    if target == "population":
        log = _log_mean(np.minimum(other + share * contrast, true), steps)
    else:
        log = share * _log_mean(np.asarray(true), steps) + (1 - share) * _log_mean(np.asarray(other), steps)
    return np.asarray(group.n * log - tilts * other / contrast)


def _log_mean(prob: Floats, steps: Floats) -> Floats:
    """Return ln(1 - prob + prob e^step), to full precision where a step is small, and where prob is 1."""
    near = np.log1p(prob * np.expm1(np.maximum(steps, -1)))
    return np.where(steps < -1, np.log(1 - prob + prob * np.exp(steps)), near)
