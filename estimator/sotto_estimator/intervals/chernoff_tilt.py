"""The search for the tilt of a Chernoff bound: any tilt gives a bound that holds, so only width hangs on it."""

from collections.abc import Callable

import numpy as np

from sotto_estimator.channel.channel import Floats

_MOST_TILT = 60.0
"""Tilts are looked for up to so much above the least that can do: what lies beyond is e^-60 of the bound."""

_GOLDEN = (5**0.5 - 1) / 2
_N_STEPS = 24
"""Of a search for the tilt's logarithm: to 1e-4. The best lies in a flat top."""


def best_tilt(refuted: Callable[[Floats], Floats], least: Floats) -> Floats:
    """Return about the tilt, above `least`, that refutes most, shape of `least`, by golden section.

    `refuted`: the share that tilts refute; it grows up to the best one, and falls behind it.
    """
    low, high = np.log(least), np.log(least + _MOST_TILT)
    left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    of_left, of_right = refuted(np.exp(left)), refuted(np.exp(right))
    for _ in range(_N_STEPS):
        is_right = of_left < of_right
        low, high = np.where(is_right, left, low), np.where(is_right, high, right)
        new = np.where(is_right, low + _GOLDEN * (high - low), high - _GOLDEN * (high - low))
        of_new = refuted(np.exp(new))
        left, right = np.where(is_right, right, new), np.where(is_right, new, left)
        of_left, of_right = np.where(is_right, of_right, of_new), np.where(is_right, of_new, of_left)
    return np.asarray(np.exp((low + high) / 2))


def log_mixture(prob: float, x: Floats) -> Floats:
    """Return ln(1 - prob + prob e^x), for x >= 0, with the digits of small ones, and however large x is."""
    small = np.log1p(prob * np.expm1(np.minimum(x, 1)))
    if (x < 1).all():
        return small
    with np.errstate(divide="ignore"):  # ln 0 of a probability of 0 or 1 is right
        large = np.logaddexp(np.log1p(-prob), np.log(prob) + x)
    return np.where(x < 1, small, large)
