"""Intervals of the mean of bounded outputs: by Hoeffding's bound (1963, theorem 2), whose width is known before, and by
betting (Waudby-Smith & Ramdas 2024, "Estimating means of bounded ..").

For outputs y in [0, 1] of independent people whose means have the mean m, and a bet b in [0, 1 / m), the capital
product of (1 + b (y - m)) has a mean of at most 1: each factor has a mean of 1 + b (m_i - m), and their product is
largest where all m_i are m (arithmetic and geometric means). So has a mixture of capitals of several bets that were
fixed before. By Markov's inequality it is 1 / tail or more with `tail` at most. It needs the histogram alone, no order.
The proof is in docs/maths-numbers.md. Notation: counts of shape (rows, n_outputs), of reports that are worth
n / n_waves independent ones; `outputs`, in [0, 1]: what each is worth.
"""

import numpy as np

from sotto_estimator.channel.channel import Floats
from sotto_estimator.channel.devices import Devices
from sotto_estimator.intervals.binomial import Bounds, hoeffding_half_width

N_BETS = 5
"""Bets for as many standard deviations, from the least to the most that the design can have."""
_MOST_LOST = 0.9
"""The share of its capital that a bet loses at most by one report."""
_N_HALVINGS = 60
_EPS = float(np.finfo(np.float64).eps)


def hoeffding_means(
    counts: Floats, outputs: Floats, deviations: tuple[float, float], tail: float, devices: Devices
) -> Bounds:
    """Return the ends of the mean output, shape (rows,); they may lie outside [0, 1]."""
    n = counts.sum(axis=1)
    mean = counts @ outputs / n
    half_width = hoeffding_half_width(n / devices.effect, tail)
    return mean - half_width, mean + half_width


def betting_means(
    counts: Floats, outputs: Floats, deviations: tuple[float, float], tail: float, devices: Devices
) -> Bounds:
    """Return the ends of the mean output, shape (rows,), in [0, 1], each missed with at most `tail`.

    `deviations`: about the least and the most standard deviation that outputs can have. They decide how wide
    intervals are, and nothing else. Of pooled waves, `devices.n_waves` of the reports can be of one device.
    """
    scales = np.geomspace(*deviations, N_BETS)
    low = _least_mean(counts, outputs, scales, tail, devices.n_waves)
    high = 1 - _least_mean(counts, 1 - outputs, scales, tail, devices.n_waves)
    return low, high


def _least_mean(counts: Floats, outputs: Floats, scales: Floats, tail: float, n_waves: int) -> Floats:
    """Return the largest mean in [0, 1] that is refuted, all below it too; of no report 0.

    The bet for a standard deviation s is the best one where the capital's logarithm, b d - b^2 s^2 / 2 a report, is to
    come to ln(1 / tail): sqrt(2 ln(1 / tail) / n) / s; a little more, as a part of the capital alone has it. The
    capital falls as the mean grows.
    """
    n = counts.sum(axis=1, keepdims=True) / n_waves
    bets = np.sqrt(2 * (-np.log(tail) + np.log(N_BETS) / 2) / np.maximum(n, 1)) / scales
    refuted, allowed = np.zeros(len(counts)), np.ones(len(counts))
    for _ in range(_N_HALVINGS):
        middle = (refuted + allowed) / 2
        is_refuted = log_capital(counts, outputs, middle, bets, n_waves) >= -np.log(tail)
        refuted, allowed = np.where(is_refuted, middle, refuted), np.where(is_refuted, allowed, middle)
    return refuted


def log_capital(counts: Floats, outputs: Floats, mean: Floats, bets: Floats, n_waves: int = 1) -> Floats:
    """Return the logarithm of what betting against a mean in (0, 1) makes of a capital of 1, shape (rows,).

    `bets`: shape (rows, n_bets), among which the capital is divided; they are cut so that no report takes more than
    _MOST_LOST of it. The result is less by what rounding may have added.
    """
    cut = np.minimum(bets, _MOST_LOST / mean[:, None])
    terms = counts[:, None] * np.log1p(cut[:, :, None] * (outputs - mean[:, None])[:, None])
    logs = terms.sum(axis=2) - 4 * len(outputs) * _EPS * np.abs(terms).sum(axis=2)
    capital: Floats = _log_sums(logs / n_waves) - np.log(bets.shape[1])
    return capital


def _log_sums(logs: Floats) -> Floats:
    """Return the logarithm of each row's sum, shape (rows,), from logarithms of its parts: as scipy's, but at once."""
    most = logs.max(axis=1, keepdims=True)
    is_most = logs == most
    n_most = is_most.sum(axis=1)
    others = np.exp(np.where(is_most, -np.inf, logs) - most).sum(axis=1)
    total: Floats = np.log1p(others / n_most) + np.log(n_most) + most[:, 0]
    return total
