"""Confidence sequences of Waudby-Smith, Wu & Ramdas (2023, "Nonparametric extensions of randomized response"), of bits.

By Warner's channel; written from their formulas, with the settings of their package nprr.

All are of the reported mean at a count S of n reports, as (low, high); a contrast divides them into shares.
"""

from collections.abc import Callable

import numpy as np
from scipy.optimize import brentq
from scipy.special import betaln, logsumexp

Ends = tuple[float, float]


def hoeffding(s: int, n: int, alpha: float) -> Ends:
    """NPRR-H: tilts sqrt(8 ln(2/alpha) / (t ln(t + 1))), at most 1, about a mean that is weighted by them.

    Of the expected count each report is S / n.
    """
    t = np.arange(1, n + 1)
    tilts = np.minimum(1, np.sqrt(8 * np.log(2 / alpha) / (t * np.log(t + 1))))
    half_width = (np.log(2 / alpha) + np.sum(tilts**2) / 8) / np.sum(tilts)
    return s / n - half_width, s / n + half_width


def likelihood_ratio(s: int, n: int, alpha: float) -> Ends:
    """Predictions (S + 1/2) / (n + 1) against each mean: a mixture by the density of Beta(1/2, 1/2)."""
    mixed = betaln(s + 0.5, n - s + 0.5) - betaln(0.5, 0.5)
    return _ends(lambda mean: mixed - s * np.log(mean) - (n - s) * np.log1p(-mean), s, n, alpha)


def grid_kelly(s: int, n: int, alpha: float, n_bets: int = 30) -> Ends:
    """NPRR-GK: bets d / ((D + 1) m) on a report and d / ((D + 1)(1 - m)) against it, d = 1 .. D; the mean wealth."""
    part = np.arange(1, n_bets + 1) / (n_bets + 1)

    def log_wealth(mean: float) -> float:
        for_it = s * np.log1p(part * (1 - mean) / mean) + (n - s) * np.log1p(-part)
        against = s * np.log1p(-part) + (n - s) * np.log1p(part * mean / (1 - mean))
        return float(logsumexp(np.concatenate([for_it, against])) - np.log(2 * n_bets))

    return _ends(log_wealth, s, n, alpha)


def running_mean(s: int, n: int, alpha: float, n_tuned: int) -> Ends:
    """The two-sided sequence of running means: a normal mixture over tilts, tuned to be narrow at one n."""
    scale = _best_scale(alpha) / n_tuned
    half_width = np.sqrt((n * scale + 1) / (2 * n**2 * scale) * np.log(np.sqrt(n * scale + 1) / alpha))
    return s / n - half_width, s / n + half_width


def conjugate(s: int, n: int, alpha: float, v_tuned: float) -> Ends:
    """The two-sided beta-binomial mixture, of a weight that makes it narrow where n l (1 - l) is v_tuned."""

    def log_wealth(mean: float) -> float:
        weight = max(v_tuned / _best_scale(alpha) / (mean * (1 - mean)) - 1, 1e-3)
        yes, no = weight * mean, weight * (1 - mean)
        likelihood = s * np.log(mean) + (n - s) * np.log1p(-mean)
        return float(betaln(s + yes, n - s + no) - betaln(yes, no) - likelihood)

    return _ends(log_wealth, s, n, alpha)


UNTUNED: dict[str, Callable[[int, int, float], Ends]] = {
    "NPRR-H": hoeffding,
    "likelihood ratio": likelihood_ratio,
    "NPRR-GK": grid_kelly,
}
"""Those that are told nothing but the level; of NPRR-GK the number of bets is the paper's."""


def _best_scale(alpha: float) -> float:
    """Return x > 0 where (1 + 1/x) ln((1 + x) / alpha^2) is least: x = ln((1 + x) / alpha^2)."""
    scale: float = brentq(lambda x: x - np.log((1 + x) / alpha**2), 1e-9, 1e3)
    return scale


def _ends(log_wealth: Callable[[float], float], s: int, n: int, alpha: float) -> Ends:
    """Return the means nearest to S / n against which the wealth is 1 / alpha."""

    def excess(mean: float) -> float:
        return log_wealth(mean) + np.log(alpha)

    low = brentq(excess, 1e-12, s / n) if s > 0 and excess(1e-12) > 0 else 0.0
    high = brentq(excess, s / n, 1 - 1e-12) if s < n and excess(1 - 1e-12) > 0 else 1.0
    return low, high
