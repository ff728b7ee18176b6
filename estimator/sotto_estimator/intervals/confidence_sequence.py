"""Intervals of shares that hold at every n at once: confidence sequences about the population and the respondents.

Notation: a count S of n reports supports a value; each end of the interval ever misses with `tail` at most.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sotto_estimator.channel.channel import Channel, Floats
from sotto_estimator.channel.devices import Devices
from sotto_estimator.intervals.binomial import Bounds
from sotto_estimator.intervals.wealth import TILTS, log_wealth

_N_HALVINGS = 50

_BLOCK = 2**13
"""How many counts are worked on at once: it bounds memory, at some 30 tilts each."""

_Moments = Callable[[Floats, Floats, Floats], Floats]
"""From a mean or a number of people, n and tilts, shapes (rows, 1), (rows, 1) and (tilts,), ln E e^(h S) at most."""


def anytime_shares(s: Floats, n: Floats, tail: float) -> Bounds:
    """All l with sum of w e^(h s) / (1 - l + l e^h)^n < 1 / tail, over tilts h > 0, and the same over h < 0.

    l is the mean of the n reports' probabilities to support the value, whatever each of them is. They need be no bits:
    s may be a sum of independent outputs in [0, 1], and l their mean.
    """
    low = _refuted(_of_mean, s, n, TILTS, tail, np.zeros_like(s), s / n)
    high = _refuted(_of_mean, s, n, -TILTS, tail, np.ones_like(s), s / n)
    return low, high


def anytime_counts(s: Floats, n: Floats, channel: Channel, tail: float) -> Bounds:
    """All K of n people, devices' noise alone being random, that their count's exact moments do not refute."""
    true, other = channel.prob_support_if_true, channel.prob_support_if_other

    def of_people(k: Floats, n: Floats, tilts: Floats) -> Floats:
        grown = np.expm1(tilts)
        moments: Floats = k * np.log1p(true * grown) + (n - k) * np.log1p(other * grown)
        return moments

    too_few = _refuted(of_people, s, n, TILTS, tail, np.full_like(s, -1), n)
    too_many = _refuted(of_people, s, n, -TILTS, tail, n + 1, np.zeros_like(s))
    low, high = np.minimum(np.floor(too_few) + 1, n), np.maximum(np.ceil(too_many) - 1, 0)
    return low, np.maximum(low, high)  # if no K is likely enough, the ends cross at an edge: both are that edge


def anytime_means(
    counts: Floats, outputs: Floats, deviations: tuple[float, float], tail: float, devices: Devices
) -> Bounds:
    """Return the ends of the mean output, of histograms of shape (rows, n_outputs): as of shares, which have two."""
    return anytime_shares(counts @ outputs, counts.sum(axis=1), tail)


def _of_mean(mean: Floats, n: Floats, tilts: Floats) -> Floats:
    moments: Floats = n * np.log1p(mean * np.expm1(tilts))
    return moments


def _refuted(
    moments: _Moments, s: Floats, n: Floats, tilts: Floats, tail: float, outside: Floats, inside: Floats
) -> Floats:
    """Bisect from `outside`, which is out of reach or refuted, to `inside`: return the nearest that was refuted."""
    found = np.empty(s.size)
    flat = [np.broadcast_to(part, s.shape).ravel() for part in (s, n, outside, inside)]
    for start in range(0, s.size, _BLOCK):
        count, size, out, within = (part[start : start + _BLOCK] for part in flat)
        for _ in range(_N_HALVINGS):
            middle = (out + within) / 2
            log_moments = moments(middle[:, None], size[:, None], tilts)
            is_refuted: NDArray[np.bool_] = log_wealth(count, log_moments, tilts) >= -np.log(tail)
            out, within = np.where(is_refuted, middle, out), np.where(is_refuted, within, middle)
        found[start : start + _BLOCK] = out
    return found.reshape(s.shape)
