"""An always-valid test of two groups: a confidence sequence of the difference of their shares, and its P-value.

Each group's reports are independent of the other's, and come in any order: which group's is next may depend on all that
was seen before, and so may the moment at which somebody stops. Tilts (h, k) of the two counts S and T give wealth
e^(h S - m(h)) e^(k T - m'(k)), m and m' the logarithms of E e^(h S) and E e^(k T) under two shares; a mixture of such,
fixed before, ever comes to 1 / tail with a probability of `tail` at most (Ville 1939). What is known of the difference
alone is the least wealth against all pairs of shares that have it. The proof is in docs/maths-waves.md.
"""

from dataclasses import dataclass

import numpy as np

from sotto_estimator.channel.channel import Floats, Target, check_target
from sotto_estimator.comparing.group import Group
from sotto_estimator.intervals.intervals import check_level

_EPS = float(np.finfo(np.float64).eps)

_TILTS: Floats = 2.0 ** (2 - np.arange(46) / 2)
"""Half a binary order apart, for some ten to 10^12 reports."""

_STEPS = np.arange(_TILTS.size)
_WEIGHTS: Floats = (_STEPS[:, None] + 3) ** -1.5 * (1.0 + np.abs(_STEPS[:, None] - _STEPS)) ** -2
_WEIGHTS /= _WEIGHTS.sum()
"""By the tilts of the two counts. Groups of like size are refuted best by like tilts, one of a tenth of the other's
size by one that is ten times as large. Any weights that add up to 1 are valid."""

_N_HALVINGS = 42
_N_ROUNDS = 12
_PLACES: Floats = np.linspace(0, 1, 17)
"""The least wealth is looked for so often among so many pairs of shares, each time an eighth as far apart."""

_MARGIN = 1e-9
"""Of a logarithm: more than that search misses the least by, which is flat there."""


@dataclass(frozen=True, slots=True)
class AnytimeDifference:
    """The second group's share minus the first's, by what is known now; all of it holds at every look together.

    `difference`: unbiased, it may lie outside [-1, 1]. `low`, `high`: in [-1, 1]; an interval that lies wholly outside
    is the nearest edge. `p_value`: of equal shares; the probability that it is ever at most p is at most p if they are
    equal. It is 1 - level or less where `low` is above 0 or `high` below. The least of all looks so far is valid too.
    """

    difference: float
    low: float
    high: float
    p_value: float
    level: float
    target: Target


def anytime_difference(
    first: Group, second: Group, *, level: float = 0.95, target: Target = "population"
) -> AnytimeDifference:
    """Return the difference of two groups' shares with an interval and a P-value that hold at every look together.

    About the respondents each group's share is that of the people who answered so far. Raises `DomainError` unless
    counts are integers in [0, n], n in [1, 10^12] and level in (0, 1).
    """
    check_target(target)
    wanted = -float(np.log(check_level(level) / 2))
    low, high = _most_refuted(first, second, wanted, target), -_most_refuted(second, first, wanted, target)
    p_value = anytime_p_value(first, second, target=target)
    return AnytimeDifference(second.share - first.share, low, max(low, high), p_value, level, target)


def anytime_p_value(first: Group, second: Group, *, target: Target = "population") -> float:
    """Return the P-value alone, of two groups whose counts are valid: in a fiftieth of the time."""
    wealth = max(_log_wealth(first, second, 0, target), _log_wealth(second, first, 0, target))
    return min(1.0, 2 * float(np.exp(-wealth)))


def anytime_p_above(first: Group, second: Group, *, target: Target = "population", difference: float = 0.0) -> float:
    """Return the P-value of the second's share not being above the first's by more than `difference`, at every look."""
    return min(1.0, float(np.exp(-_log_wealth(first, second, difference, target))))


def _most_refuted(first: Group, second: Group, wanted: float, target: Target) -> float:
    """Return the largest difference in [-1, 1] against which, and all below, the wealth is e^wanted; or -1."""
    refuted, allowed = -1.0, 1.0
    for _ in range(_N_HALVINGS):
        middle = (refuted + allowed) / 2
        if _log_wealth(first, second, middle, target) >= wanted:
            refuted = middle
        else:
            allowed = middle
    return refuted


def _log_wealth(first: Group, second: Group, difference: float, target: Target) -> float:
    """Return the logarithm of the least wealth against shares of which the second is more than the first by this.

    Or by less: tilts are above 0 for the second count, below 0 for the first. It is convex in the first share, so the
    least lies between the neighbours of the least of some.
    """
    low, high = max(0.0, -difference), min(1.0, 1 - difference)
    least = np.inf
    for _ in range(_N_ROUNDS):
        shares = low + (high - low) * _PLACES
        of_second = _terms(second, np.clip(shares + difference, 0, 1), _TILTS, target)
        wealths = _mixed(_terms(first, shares, -_TILTS, target), of_second)
        at = int(wealths.argmin())
        least = min(least, float(wealths[at]))
        low, high = shares[max(at - 1, 0)], shares[min(at + 1, shares.size - 1)]
    return least - _MARGIN


def _terms(group: Group, shares: Floats, tilts: Floats, target: Target) -> Floats:
    """Return h S - ln E e^(h S), shape (shares, tilts), less its rounding.

    About a population all reports are alike; about the respondents those who have the value are n times the share.
    """
    a, b, grown = group.channel.prob_support_if_true, group.channel.prob_support_if_other, np.expm1(tilts)
    share = shares[:, None]
    if target == "respondents":
        log_moments = group.n * (share * np.log1p(a * grown) + (1 - share) * np.log1p(b * grown))
    else:
        log_moments = group.n * np.log1p((b + share * (a - b)) * grown)
    of_count = group.support_count * tilts
    terms: Floats = of_count - log_moments - 8 * _EPS * (1 + np.abs(of_count) + np.abs(log_moments))
    return terms


def _mixed(of_first: Floats, of_second: Floats) -> Floats:
    """Return ln of the sum of w e^(of_first + of_second) over all pairs of tilts, shape (shares,)."""
    tops = of_first.max(axis=1), of_second.max(axis=1)
    first, second = (np.exp(of - top[:, None]) for of, top in zip((of_first, of_second), tops, strict=True))
    mixed: Floats = tops[0] + tops[1] + np.log((first @ _WEIGHTS * second).sum(axis=1))
    return mixed
