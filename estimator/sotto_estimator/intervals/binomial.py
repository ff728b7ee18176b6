"""Intervals about a population: the reports are independent draws, so their count is binomial.

Notation: a count S of n reports supports a value, each with probability l, and each tail of an interval has beta / 2.
The ends are those of l, the reported share: `sotto_estimator.intervals.intervals` maps them to shares.
"""

import numpy as np
import scipy

from sotto_estimator.channel.channel import Floats

Bounds = tuple[Floats, Floats]

_MARGIN = 1e-9
"""Relative widening of a tail's logarithm, or of a tail: more than the rounding of either."""

_N_HALVINGS = 64
_N_EXACT_HALVINGS = 40


def chernoff_shares(s: Floats, n: Floats, tail: float) -> Bounds:
    """All l with n KL(S/n || l) <= ln(2/beta): P(S >= s) <= exp(-n KL(s/n || l)) for l <= s/n."""
    budget = -np.log(tail) * (1 + _MARGIN)
    yes, no = s / n, (n - s) / n
    inner = (s > 0) & (s < n)
    x, y = np.where(inner, yes, 0.5), np.where(inner, no, 0.5)
    below, above = _farthest(np.stack([-x, y]), x, y, budget / n)
    low, high = np.where(inner, x + below, 0.0), np.where(inner, x + above, 1.0)
    # A count of 0 or n has a closed form: the bound is the probability itself, (1 - l)^n or l^n.
    low = np.where(s == n, np.exp(-budget / n), low)
    high = np.where(s == 0, -np.expm1(-budget / n), high)
    return low, high


def _farthest(outside: Floats, x: Floats, y: Floats, budget: Floats) -> Floats:
    """Bisect for the step d from 0 towards `outside` where KL(x || x + d) leaves the budget.

    Return the end of the last bracket that lies outside. In terms of d, and with y = 1 - x given,
    nothing cancels: neither at n = 1e9 nor beside an edge.
    """
    inside, minus_x = np.zeros_like(outside), -x
    with np.errstate(divide="ignore"):  # an infinite divergence is right at the edge
        for _ in range(_N_HALVINGS):
            d = (inside + outside) / 2
            too_far = minus_x * np.log1p(d / x) - y * np.log1p(-d / y) > budget
            outside, inside = np.where(too_far, d, outside), np.where(too_far, inside, d)
    return outside


def hoeffding_half_width(n: Floats, tail: float) -> Floats:
    """The closed form of Hoeffding's (1963, theorem 2): P(S/n >= l + h) <= exp(-2 n h^2), whatever l is."""
    half_width: Floats = np.sqrt(-np.log(tail) / (2 * n))
    return half_width


def hoeffding_shares(s: Floats, n: Floats, tail: float) -> Bounds:
    """Hoeffding's half-width about S/n; it may reach beyond 0 and 1."""
    half_width = hoeffding_half_width(n, tail)
    return s / n - half_width, s / n + half_width


def clopper_pearson_shares(s: Floats, n: Floats, tail: float) -> Bounds:
    """All l of which neither tail is below beta/2: bisected between S/n and Chernoff's end, which is outside.

    SciPy's own inverses (`betaincinv`, `betainccinv`) lose digits for a few counts of a billion.
    """
    outer_low, outer_high = chernoff_shares(s, n, tail)
    refuted = tail * (1 - _MARGIN)
    inside_low, inside_high = s / n, s / n
    # P(S >= s) and P(S <= s); where s is 0 or n, Chernoff's end is the binomial probability itself.
    of_low, of_high = (np.maximum(s, 1), n - s + 1), (s + 1, np.maximum(n - s, 1))
    for _ in range(_N_EXACT_HALVINGS):
        low, high = (inside_low + outer_low) / 2, (inside_high + outer_high) / 2
        low_out = scipy.special.betainc(*of_low, low) <= refuted
        high_out = scipy.special.betaincc(*of_high, high) <= refuted
        outer_low, inside_low = np.where(low_out, low, outer_low), np.where(low_out, inside_low, low)
        outer_high, inside_high = np.where(high_out, high, outer_high), np.where(high_out, inside_high, high)
    return np.where(s == 0, 0.0, outer_low), np.where(s == n, 1.0, outer_high)


def wilson_shares(s: Floats, n: Floats, tail: float) -> Bounds:
    """All l with |S/n - l| <= z sqrt(l (1 - l) / n) (Wilson 1927): an approximation."""
    z = -scipy.special.ndtri(tail)
    x = s / n
    centre = (x + z**2 / (2 * n)) / (1 + z**2 / n)
    half_width = z / (1 + z**2 / n) * np.sqrt(x * (1 - x) / n + z**2 / (4 * n**2))
    return np.clip(centre - half_width, 0, 1), np.clip(centre + half_width, 0, 1)


def likelihood_shares(s: Floats, n: Floats, tail: float) -> Bounds:
    """All l with 2 n KL(S/n || l) <= z^2, the likelihood ratio's quantile (Wilks 1938): an approximation."""
    return chernoff_shares(s, n, float(np.exp(-(scipy.special.ndtri(tail) ** 2) / 2)))
