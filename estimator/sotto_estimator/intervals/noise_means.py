"""Intervals of the mean of the n people who answered, at any numbers: only their devices' noise is random.

A person at place x has an output y of a known law, with M_x(h) = E e^(h y). By Markov's inequality, for any h > 0, the
outputs' sum is s or more with at most e^(-h s) product of M_x, over people. The logarithm of that product is n times
the mean of ln M_x, which is at most n C(mean x): C is the least concave function of x above ln M_x (Jensen). So means m
with h s - n C(m) >= ln(R / tail) are refuted, with C made to rise all below them: by R = 1 (Chernoff 1952), or less.
For with each law tilted by e^(h y) the bound is multiplied by E e^(-h (S - s)) for S >= s. The sum S of the tilted
outputs is normal up to D = 0.56 times its Lyapunov ratio (Berry & Esseen; Shevtsova 2010). So that factor is at most
R = 1 / (h sd(S) sqrt(2 pi)) + 2 D.

Bits, whose M_x is linear in x, need no bound: by theorem 4 of Hoeffding (1956) their sum is s or more at most as often
as if people were alike, if s is 1 or more above its mean.
"""

import numpy as np

from sotto_estimator.channel.channel import Floats
from sotto_estimator.channel.devices import Devices
from sotto_estimator.intervals.binomial import Bounds, clopper_pearson_shares
from sotto_estimator.intervals.respondents import uncrossed

_N_PIECES = 256
"""At least so many, on each of which ln M_x is taken as linear, and a little more: 1 % of the noise at the most."""

_TILT_STEP = 1.1
_TILTS_AROUND = 4.0
"""Tilts are tried up to so many times those that are best for normal noise, of the least and of the most spread."""

_BERRY_ESSEEN = 0.56
"""Shevtsova's constant (2010), of independent sums whose parts are not alike."""

_LEAST_VARIANCE = 1e-6
"""Of tilted outputs: of less, rounding would be a part of their moments, and R is 1."""

_EPS = float(np.finfo(np.float64).eps)


def noise_means(counts: Floats, outputs: Floats, matrix: Floats, tail: float, devices: Devices) -> Bounds:
    """Return the ends of the mean place, shape (rows,), each missed with at most `tail`; beyond 1, or 0, of none.

    `counts`: shape (rows, n_outputs); `outputs`: what each is worth, in [0, 1]; `matrix`: P(output | level), shape
    (n_outputs, n_levels), of levels evenly spaced from 0 to 1, of which numbers are rounded to the two nearest. Where
    devices send several reports they are worth n / devices.n_waves (Hoelder's inequality, docs/maths-numbers.md).
    """
    low = _least_place(counts, outputs, matrix, tail, devices.n_waves)
    high = 1 - _least_place(counts, 1 - outputs, matrix[:, ::-1], tail, devices.n_waves)
    return uncrossed(low, high)


def unlike_bits(s: Floats, n: Floats, tail: float) -> Bounds:
    """Return the ends of the mean probability of independent bits that add up to s, each missed with at most `tail`."""
    low, high = clopper_pearson_shares(s, n, tail)
    return np.clip(np.minimum(low, (s - 1) / n), 0, 1), np.clip(np.maximum(high, (s + 1) / n), 0, 1)


def _least_place(counts: Floats, outputs: Floats, matrix: Floats, tail: float, n_waves: int) -> Floats:
    """Return the largest place that is refuted, all below it too: 0 where none is, 2 where all are."""
    n = counts.sum(axis=1)
    share, mean = -np.log(tail) * n_waves / n, counts @ outputs / n
    least = np.zeros(len(counts))
    for tilt in _tilts(share, outputs, matrix):
        places, logs = _log_moments(tilt, outputs, matrix)
        factor = _log_factor(tilt, n, outputs, matrix) / n if n_waves == 1 else 0.0
        refuted = np.interp(tilt * mean - share - factor, logs, places, left=0, right=2)
        least = np.maximum(least, refuted)
    return least


def _tilts(share: Floats, outputs: Floats, matrix: Floats) -> Floats:
    """Return powers of _TILT_STEP: whatever rows go together, each has those about its best."""
    deviations = np.sqrt(outputs**2 @ matrix - (outputs @ matrix) ** 2)
    low = np.sqrt(2 * share.min()) / deviations.max() / _TILTS_AROUND
    high = np.sqrt(2 * share.max()) / deviations.min() * _TILTS_AROUND
    ends = np.floor(np.log([low, high]) / np.log(_TILT_STEP))
    return np.asarray(_TILT_STEP ** np.arange(ends[0], ends[1] + 2))


def _log_moments(tilt: float, outputs: Floats, matrix: Floats) -> tuple[Floats, Floats]:
    """Return corners of a function that is concave, rises up to its last corner, and is nowhere below ln M_x.

    M_x is linear between levels, so between places a and b ln M_x is at most d^2 / 8 above the line, with d the
    difference of its logarithms at these (Hoeffding 1963, lemma 1).
    """
    places, (moments,) = _moments(tilt, outputs, matrix, 1)
    logs = np.log(moments)
    above = np.diff(logs) ** 2 / 8
    logs += tilt + np.maximum(np.append(above, 0), np.insert(above, 0, 0)) + 16 * _EPS * (1 + 2 * tilt)
    corners = concave_corners(places.tolist(), logs.tolist())
    top = int(np.argmax(logs[corners])) + 1
    return places[corners][:top], logs[corners][:top]


def _log_factor(tilt: float, n: Floats, outputs: Floats, matrix: Floats) -> Floats:
    """Return ln R, at most 0, whatever places n people have; shape of n.

    Between places a and b a law is a mixture of theirs: no less variance than one of them has, and a fourth root of its
    fourth central moment that is at most theirs, and their means' distance, more (Minkowski). A third moment is at most
    the root of the second times the fourth.
    """
    _, raw = _moments(tilt, outputs, matrix, 5)
    mean, second, third, fourth = raw[1:] / raw[0]
    variance = second - mean**2
    if variance.min() < _LEAST_VARIANCE:
        return np.zeros(len(n))
    fourth = fourth - 4 * mean * third + 6 * mean**2 * second - 3 * mean**4 + 64 * _EPS  # what rounding may take
    root = np.maximum(fourth[1:], fourth[:-1]) ** 0.25 + np.abs(np.diff(mean))
    ratio = np.sqrt((root**4 / np.minimum(variance[1:], variance[:-1])).max())
    deviation = np.sqrt(n * variance.min())
    factor = 1 / (np.sqrt(2 * np.pi) * tilt) + 2 * _BERRY_ESSEEN * ratio
    return np.asarray(np.minimum(0, np.log(factor / deviation) + 1e-9))


def _moments(tilt: float, outputs: Floats, matrix: Floats, n_powers: int) -> tuple[Floats, Floats]:
    """Return places, and there E y^k e^(tilt (y - 1)) of an output y, for k of 0, 1, ..; shape (n_powers, places)."""
    n_steps = matrix.shape[1] - 1
    places = np.linspace(0, 1, n_steps * -(-_N_PIECES // n_steps) + 1)
    of_levels = outputs ** np.arange(n_powers)[:, None] * np.exp(tilt * (outputs - 1)) @ matrix
    levels = np.linspace(0, 1, n_steps + 1)
    return places, np.array([np.interp(places, levels, row) for row in of_levels])


def concave_corners(x: list[float], y: list[float]) -> list[int]:
    """Return which points are corners of the least concave function above all; x ascends."""
    corners: list[int] = []
    for new in range(len(x)):
        while len(corners) > 1:
            first, last = corners[-2:]
            if (y[last] - y[first]) * (x[new] - x[first]) > (y[new] - y[first]) * (x[last] - x[first]):
                break
            corners.pop()
        corners.append(new)
    return corners
