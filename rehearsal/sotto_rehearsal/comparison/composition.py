"""What several reports take together, by the rules of a course: each a way to add epsilons up, at a delta.

Every report is taken to be of fresh noise. A report's own delta is 0.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from sotto_estimator.channel.channel import Floats, check_epsilon
from sotto_rehearsal.comparison.domains import check_delta, least_epsilon

_STEPS_OF_ONE = 200
"""Of `optimal`: epsilons that differ are rounded up to a grid on which their mean has so many steps."""
MAX_UNEQUAL = 1000
"""Of `optimal`: so many epsilons that differ are composed at the most."""


@dataclass(frozen=True, slots=True)
class Composition:
    """Epsilons, in nats, of so many reports together, at one delta; `optimal` None where it takes too long.

    `basic` holds without delta.
    """

    n_reports: int
    basic: float
    advanced: float
    zcdp: float
    optimal: float | None


def compose(epsilons: Sequence[float], delta: float) -> Composition:
    """Return all four. Domain: one epsilon or more, each > 0; delta in [1e-15, 1)."""
    for epsilon in epsilons:
        check_epsilon(epsilon)
    check_delta(delta)
    sums = math.fsum(epsilons), advanced(epsilons, delta), by_zcdp(epsilons, delta), optimal(epsilons, delta)
    return Composition(len(epsilons), *sums)


def advanced(epsilons: Sequence[float], delta: float) -> float:
    """Return the sum by advanced composition (Dwork, Rothblum & Vadhan 2010, theorem III.3), of unequal epsilons too.

    sqrt(2 ln(1/delta) sum e^2) + sum e (exp(e) - 1). It can be above the plain sum.

    >>> round(advanced([0.1] * 100, 1e-6), 3)
    6.308
    """
    squares = math.fsum(epsilon**2 for epsilon in epsilons)
    drift = math.fsum(epsilon * math.expm1(min(epsilon, 700)) for epsilon in epsilons)
    return math.sqrt(2 * math.log(1 / delta) * squares) + drift


def by_zcdp(epsilons: Sequence[float], delta: float) -> float:
    """Return rho + 2 sqrt(rho ln(1/delta)), rho = sum e^2 / 2 (Bun & Steinke 2016, propositions 1.3 and 1.4).

    >>> round(by_zcdp([0.1] * 100, 1e-6), 3)
    5.757
    """
    rho = math.fsum(epsilon**2 for epsilon in epsilons) / 2
    return rho + 2 * math.sqrt(rho * math.log(1 / delta))


def optimal(epsilons: Sequence[float], delta: float) -> float | None:
    """Return the least epsilon that holds whatever the mechanisms (Kairouz, Oh & Viswanath 2015, theorem 3.3).

    No mechanism of an epsilon tells more than randomized response of it, so that those composed are the worst. Exact
    where all are equal; else each is rounded up, to 1/200 of their mean. None for more than `MAX_UNEQUAL` that differ.

    >>> round(optimal([0.1] * 100, 1e-6), 3)
    4.775
    """
    if len(set(epsilons)) == 1:
        losses, probs = _of_equal(len(epsilons), epsilons[0])
    elif len(epsilons) <= MAX_UNEQUAL:
        losses, probs = _of_unequal(epsilons)
    else:
        return None

    def delta_of(epsilon: float) -> float:
        return float(probs @ np.maximum(-np.expm1(np.minimum(epsilon - losses, 0)), 0))

    return least_epsilon(delta_of, delta, math.fsum(epsilons))


def _of_equal(n: int, epsilon: float) -> tuple[Floats, Floats]:
    """Return the privacy losses of n randomized responses, of which 0 to n lie, and their probabilities."""
    n_lies = np.arange(n + 1)
    probs: Floats = stats.binom(n, 1 / (1 + math.exp(epsilon))).pmf(n_lies)
    return np.asarray(epsilon * (n - 2.0 * n_lies), np.float64), probs


def _of_unequal(epsilons: Sequence[float]) -> tuple[Floats, Floats]:
    """Return the same of unequal ones, each rounded up to a whole number of steps."""
    step = math.fsum(epsilons) / len(epsilons) / _STEPS_OF_ONE
    probs = np.ones(1)
    for epsilon in epsilons:
        probs = _add(probs, math.ceil(epsilon / step), step)
    n_steps = len(probs) - 1
    return np.asarray(step * (n_steps - 2.0 * np.arange(n_steps + 1)), np.float64), probs


def _add(probs: Floats, units: int, step: float) -> Floats:
    """Return the probabilities, by the steps that are lied away, with one more response of so many steps."""
    lie = 1 / (1 + math.exp(units * step))
    longer = np.zeros(len(probs) + units)
    longer[: len(probs)] = (1 - lie) * probs
    longer[units:] += lie * probs
    return longer
