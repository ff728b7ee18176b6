"""Counts at which something begins to hold, by bisection of many at once."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import special

from sotto_estimator.channel.channel import Floats


def least_counts(failing: Floats, holding: Floats, holds: Callable[[Floats], NDArray[np.bool_]]) -> Floats:
    """Return the least whole numbers of which `holds` is true, in (failing, holding]; both ends are known.

    Once true it stays so. `holds` gets an array in the shape of both, and is asked of no number outside.
    """
    while np.any(holding - failing > 1):
        middle = np.where(holding - failing > 1, np.floor((failing + holding) / 2), holding)
        is_true = holds(middle)
        failing, holding = np.where(is_true, failing, middle), np.where(is_true, middle, holding)
    return holding


def prob_at_least(count: Floats, n: Floats, reported_share: float) -> Floats:
    """Return P(S >= count), S ~ Binomial(n, reported_share), for whole counts; arrays broadcast."""
    inside = np.clip(count, 1, n)
    tail = special.betainc(inside, n - inside + 1, reported_share)
    return np.where(count <= 0, 1.0, np.where(count > n, 0.0, tail))


def prob_at_most(count: Floats, n: Floats, reported_share: float) -> Floats:
    """Return P(S <= count), as `prob_at_least`."""
    inside = np.clip(count, 0, n - 1)
    tail = special.betaincc(inside + 1, n - inside, reported_share)
    return np.where(count < 0, 0.0, np.where(count >= n, 1.0, tail))
