"""How well a report tells two answers apart: what it can be, its probability under either, and the best test.

Neyman & Pearson 1933: no test of "this was the answer" against "that was" catches more of the true ones, at the same
share of false accusations, than one that accuses by the outcomes of the largest ratio. How much it catches at which
level is the trade-off curve (Wasserman & Zhou 2010; Dong, Roth & Su 2022).
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from math import ceil, comb, expm1, floor, log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sotto_protocol.bounds import exp_below

MAX_OUTCOMES = 64
"""Of bits that go through coins of their own, more sets of outcomes than this are bounded by epsilon instead."""
_STEPS = 10_000
"""The largest logarithm of several reports' ratios together is cut into so many."""
_ROUNDING = 1e-9
"""More than what floats lose in the sums below, added to what they give."""


class Outcome(NamedTuple):
    """Something that a report can be: its probability if one answer is true, and if another one is instead."""

    if_one: Fraction
    if_other: Fraction

    def swapped(self) -> "Outcome":
        """Return it with the two answers in the place of each other."""
        return Outcome(self.if_other, self.if_one)


Outcomes = Sequence[Outcome]
"""All that a report can be: either's probabilities add up to 1. Of the two answers that it tells apart best."""


def of_epsilon(epsilon: Decimal) -> list[Outcome]:
    """Return the coin that tells two answers apart no less well than any report that takes so much does.

    The truth with probability e^epsilon / (1 + e^epsilon), rounded up: all such reports can be made of it (Kairouz, Oh
    & Viswanath 2015).
    """
    lie = 1 / (1 + 1 / exp_below(epsilon.copy_negate()))  # a minus sign would round
    return [Outcome(1 - lie, lie), Outcome(lie, 1 - lie)]


def of_bits(if_true: Fraction, if_other: Fraction, n_lost: int, n_gained: int) -> list[Outcome] | None:
    """Return what bits say of two answers: `n_lost` are true of the one alone, `n_gained` of the other alone.

    By how many of either are ones; `if_true` and `if_other` are P(one) of a bit. None where they are too many.
    """
    if if_true + if_other == 1:  # a one of the first kind says what a zero of the second kind does
        n_lost, n_gained = n_lost + n_gained, 0
    if (n_lost + 1) * (n_gained + 1) > MAX_OUTCOMES:
        return None
    lost, gained = _count_ones(if_true, if_other, n_lost), _count_ones(if_other, if_true, n_gained)
    return [Outcome(a.if_one * b.if_one, a.if_other * b.if_other) for a in lost for b in gained]


def _count_ones(if_one: Fraction, if_other: Fraction, n_bits: int) -> list[Outcome]:
    """Return how many of so many bits are ones: two binomials."""
    return [
        Outcome(*(comb(n_bits, ones) * prob**ones * (1 - prob) ** (n_bits - ones) for prob in (if_one, if_other)))
        for ones in range(n_bits + 1)
    ]


def in_favour(outcomes: Outcomes) -> tuple[float, float]:
    """Return the probabilities, under either answer, that a report is likelier of the one than of the other."""
    telling = [outcome for outcome in outcomes if outcome.if_one > outcome.if_other]
    return float(sum(each.if_one for each in telling)), float(sum(each.if_other for each in telling))


def powers(outcomes: Outcomes, levels: Iterable[Fraction]) -> list[Fraction]:
    """Return how many of the true ones a test catches at most that accuses falsely in at most `level` of the cases.

    At each of the levels, in [0, 1]; whichever of the two answers it is that is suspected.

    >>> powers([Outcome(Fraction(3, 4), Fraction(1, 4)), Outcome(Fraction(1, 4), Fraction(3, 4))], [Fraction(1, 20)])
    [Fraction(3, 20)]
    """
    either = [_corners(outcomes), _corners([outcome.swapped() for outcome in outcomes])]
    return [max(_power(corners, level) for corners in either) for level in levels]


def _corners(outcomes: Outcomes) -> list[Outcome]:
    """Return how many a test accuses, rightly and falsely, by no outcome, by the most telling one, by two of them .."""
    caught = false = Fraction(0)
    corners = [Outcome(caught, false)]
    for if_one, if_other in sorted(outcomes, key=_telling, reverse=True):
        caught, false = caught + if_one, false + if_other
        corners.append(Outcome(caught, false))
    return corners


def _power(corners: Sequence[Outcome], level: Fraction) -> Fraction:
    """Return what is caught at a level: between two corners by a coin."""
    place = bisect_right(corners, level, key=lambda corner: corner.if_other)
    if place == len(corners):
        return corners[-1].if_one
    (caught, false), (more, further) = corners[place - 1], corners[place]
    return caught + (more - caught) * (level - false) / (further - false)


def _telling(outcome: Outcome) -> Fraction:
    """Return how much an outcome speaks for the one answer: grows with the ratio, also where that is infinite."""
    return outcome.if_one / (outcome.if_one + outcome.if_other)


def alike_either_way(outcomes: Outcomes, epsilon: Decimal) -> Outcomes:
    """Return outcomes that tell as much of the one answer as of the other: those, or the coin of their epsilon."""
    is_alike = Counter(outcomes) == Counter(outcome.swapped() for outcome in outcomes)
    return outcomes if is_alike else of_epsilon(epsilon)


def powers_together(reports: Iterable[Outcomes], levels: Sequence[float]) -> NDArray[np.float64]:
    """Return what `powers` are at most of several reports together, shape (n_levels,), each `alike_either_way`.

    Reports are independent given the answers, so logarithms of ratios add up. Each is put on the next steps below and
    above, with both its probabilities kept, which tells the answers apart no less well (Doroshenko, Ghazi, Kamath,
    Kumar & Manurangsi 2022).
    """
    logs = [[(float(each.if_other), _log_ratio(each)) for each in outcomes] for outcomes in reports]
    step = sum(max(ratio for _, ratio in of_report) for of_report in logs) / _STEPS
    if_other = np.ones(1)  # by the logarithm of the ratio, in steps, from the least to the greatest
    for of_report in logs:
        if_other = _join(if_other, of_report, step)
    false, true = (np.append(0.0, np.cumsum(probs)) for probs in (if_other[::-1], if_other))
    caught: NDArray[np.float64] = np.interp(levels, false, true) + _ROUNDING
    return caught.clip(max=1.0)


def _log_ratio(outcome: Outcome) -> float:
    one, other = (outcome.if_one / outcome.if_other).as_integer_ratio()
    return log(one) - log(other)  # of integers that no float holds, too


def _join(before: NDArray[np.float64], outcomes: Iterable[tuple[float, float]], step: float) -> NDArray[np.float64]:
    """Return the probabilities of all steps with one report more, of which each outcome's is given, and its ratio's."""
    listed = [*outcomes]
    n_steps = ceil(max(ratio for _, ratio in listed) / step)
    joined = np.zeros(len(before) + 2 * n_steps)
    for prob, ratio in listed:
        below = min(floor(ratio / step), n_steps - 1)
        above = prob * expm1(ratio - below * step) / expm1(step)
        for place, share in ((below, prob - above), (below + 1, above)):
            joined[n_steps + place :][: len(before)] += share * before
    return joined
