"""Intervals for shares that are linear in the bit counts: normal, and of Chernoff's type."""

import math

import numpy as np
from scipy import special

from sotto_estimator.channel.channel import Floats
from sotto_estimator.strings.counts import BitCounts, BitRates


def normal_quantile(miss: float) -> float:
    """Return half of the width, in standard errors, of an interval that misses with probability `miss` in two tails.

    >>> round(normal_quantile(0.05), 2)
    1.96
    """
    return -float(special.ndtri(miss / 2))


def chernoff_half_width(
    weights: Floats, counts: BitCounts, rates: BitRates, n_hashes: int, miss: float, unlisted: float = 0.0
) -> Floats:
    """Return half of the width of Chernoff intervals around sums of weights times debiased bit shares.

    `weights`: shape (n, n_cohorts, n_bits), fixed beforehand, 0 in cohorts without reports. With strings drawn
    independently for each device (worth `counts.n_devices` of them in a cohort, whatever the dependence of a device's
    reports: docs/maths-waves.md), an interval around the sum misses its expectation with probability
    at most `miss`, for every n: sqrt(2 ln(2/miss) V), V = sum of [s |w|^2 / contrast^2 + D^2 / 4] / n_devices over
    cohorts. s: Kearns & Saul (1998) for bits of known probabilities; D: the range over strings of the sum of weights
    of their bits (Hoeffding 1963). `unlisted`, a sum of squared shares of strings that are hashed at random, adds
    unlisted D^2 / 4 for each cohort.
    """
    used = counts.n_reports > 0
    proxy = max(proxy_variance(rates.if_true), proxy_variance(rates.if_other)) / rates.contrast**2
    weights = weights[:, used]
    squared_range = np.square(string_range(weights, n_hashes)) / 4
    by_cohort = proxy * np.square(weights).sum(-1) + squared_range
    total = (by_cohort / counts.n_devices[used]).sum(-1) + unlisted * squared_range.sum(-1)
    half_width: Floats = np.sqrt(2 * math.log(2 / miss) * total)
    return half_width


def string_range(weights: Floats, n_hashes: int) -> Floats:
    """Return the largest less the smallest sum of weights over 1 to n_hashes bits, over the last axis."""
    ordered = np.sort(weights, -1)
    lowest = np.cumsum(ordered[..., :n_hashes], -1).min(-1)
    highest = np.cumsum(ordered[..., ::-1][..., :n_hashes], -1).max(-1)
    return np.asarray(highest - lowest)


def proxy_variance(prob: float) -> float:
    """Return the smallest s with E exp(t (X - prob)) <= exp(s t^2 / 2) for a bit X (Kearns & Saul 1998, lemma 1).

    >>> proxy_variance(0.5)
    0.25
    """
    if prob in (0, 1):
        return 0.0
    if abs(prob - 0.5) < 1e-4:
        return 0.25  # the limit, and never below
    return (1 - 2 * prob) / (2 * math.log((1 - prob) / prob))
