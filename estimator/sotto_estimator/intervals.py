"""Confidence intervals for shares: those that guarantee their level err outward, never inward.

Notation: a count S of n reports supports a value; beta = (1 - level) / n_intervals, and each tail has beta / 2.
"""

from collections.abc import Callable
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from sotto_estimator.channel import Channel, Floats, Target, check_counts, check_target
from sotto_estimator.errors import DomainError
from sotto_estimator.respondents import chernoff_counts, exact_counts, score_counts

Method = Literal["chernoff", "hoeffding", "clopper-pearson", "wilson"]
METHODS: tuple[Method, ...] = get_args(Method)
GUARANTEED: tuple[Method, ...] = ("chernoff", "hoeffding", "clopper-pearson")
"""The methods whose coverage is at least their level for every n and every share."""
_FOR_WAVES: tuple[Method, ...] = ("chernoff", "hoeffding")

Bounds = tuple[Floats, Floats]

_EPS = float(np.finfo(np.float64).eps)

_MARGIN = 1e-9
"""Relative widening of a tail's logarithm, or of a tail: more than the rounding of either."""

_N_HALVINGS = 64
_N_EXACT_HALVINGS = 40


class ConfidenceInterval(NamedTuple):
    """The two ends of an interval of shares, or arrays of them in the shape of the counts."""

    low: Floats
    high: Floats


def confidence_interval(
    support_counts: ArrayLike,
    n: int,
    channel: Channel,
    *,
    level: float = 0.95,
    method: Method = "chernoff",
    target: Target = "population",
    n_intervals: int = 1,
    n_waves: int = 1,
) -> ConfidenceInterval:
    """Return intervals that cover the true shares with probability `level`, clipped to [0, 1].

    An interval that lies wholly outside [0, 1] is the nearest edge, as a point. With `n_intervals`, so many intervals
    (these and others) hold all together with probability `level` (Bonferroni).

    Methods, of which all but the last guarantee the level for every n and every share:
      chernoff         relative-entropy form (Chernoff 1952, Hoeffding 1963 eq. 2.1)
      hoeffding        additive form, closed (Hoeffding 1963, theorem 2)
      clopper-pearson  exact inversion of both tails (Clopper & Pearson 1934): the narrowest
      wilson           normal approximation by the score (Wilson 1927): may cover less

    Targets: `population`, of which the respondents are a random sample; `respondents`, these n
    people, of whom only the devices' noise is random. Hoeffding's is the same for both, as it asks
    of the reports only that they are independent.

    With `n_waves`, up to so many of the n reports are of one device, which makes them dependent: chernoff and hoeffding
    alone allow for that, as if there were n / n_waves reports (Hölder's inequality), the same for both targets.

    Raises `DomainError` unless the counts are integers in [0, n], n in [1, 10^12], level in (0, 1),
    n_intervals >= 1, n_waves >= 1, and the method allows for them.

    >>> low, high = confidence_interval(400, 1000, Channel.forced_response(1 / 2, 1 / 2))
    >>> print(f"{low:.1%} to {high:.1%}")
    21.7% to 38.5%
    """
    counts = check_counts(support_counts, n)
    low, high = share_bounds(
        counts, n, channel, level=level, method=method, target=target, n_intervals=n_intervals, n_waves=n_waves
    )
    return ConfidenceInterval(np.clip(low, 0, 1)[()], np.clip(high, 0, 1)[()])


def share_bounds(
    counts: ArrayLike,
    n: ArrayLike,
    channel: Channel,
    *,
    level: float,
    method: Method,
    target: Target,
    n_intervals: int = 1,
    n_waves: int = 1,
) -> Bounds:
    """Return an interval's ends before clipping, for valid counts; counts and n broadcast."""
    check_target(target)
    check_method(method)
    tail = check_level(level, n_intervals) / 2
    s, size = np.broadcast_arrays(np.asarray(counts, np.float64), np.asarray(n, np.float64))
    if n_waves > 1:
        s, size = s / _check_waves(n_waves, method), size / n_waves
    elif target == "respondents" and method in _RESPONDENTS:
        low, high = _RESPONDENTS[method](s, size, channel, tail)
        return low / size, high / size
    low, high = _POPULATION[method](s, size, tail)
    outward = 4 * _EPS * high  # more than the rounding of the ends, and of the map to shares
    offset, contrast = channel.prob_support_if_other, channel.contrast
    return (low - outward - offset) / contrast, (high + outward - offset) / contrast


def check_level(level: float, n_intervals: int = 1) -> float:
    """Return what each of n intervals may miss by, for all to hold at `level` (Bonferroni): (1 - level) / n.

    Never as a level, 1 - (1 - level) / n: near 1 that has no digits left. Raises `DomainError` unless level lies in
    (0, 1) and n_intervals is >= 1.
    """
    if not 0 < level < 1:
        raise DomainError(f"level ({level!r}) must be in (0, 1).")
    if not n_intervals >= 1:
        raise DomainError(f"n_intervals ({n_intervals!r}) must be >= 1.")
    return (1 - level) / n_intervals


def check_method(method: str) -> None:
    """Raise `DomainError` unless the method is one of `METHODS`."""
    if method not in METHODS:
        raise DomainError(f"method ({method!r}) must be one of {', '.join(METHODS)}.")


def _check_waves(n_waves: int, method: str) -> int:
    """Return n_waves if the method allows for several reports of a device.

    Let S be the sum of W sums of independent terms, a wave's each. By Hölder's inequality E e^(hS) is at most the
    product of the (E e^(hW S_w))^(1/W), so Chernoff's bound on S has the exponent of n independent reports, divided
    by W.
    """
    if method not in _FOR_WAVES:
        raise DomainError(
            f"method ({method!r}) must be one of {', '.join(_FOR_WAVES)} where {n_waves} waves are pooled: "
            "reports of one device are not independent."
        )
    return n_waves


def _chernoff(s: Floats, n: Floats, tail: float) -> Bounds:
    """All l with n KL(S/n || l) <= ln(2/beta): P(S >= s) <= exp(-n KL(s/n || l)) for l <= s/n."""
    budget = -np.log(tail) * (1 + _MARGIN)
    yes, no = s / n, (n - s) / n
    inner = (s > 0) & (s < n)
    x, y = np.where(inner, yes, 0.5), np.where(inner, no, 0.5)
    low = np.where(inner, x + _farthest(-x, x, y, budget / n), 0.0)
    high = np.where(inner, x + _farthest(y, x, y, budget / n), 1.0)
    # A count of 0 or n has a closed form: the bound is the probability itself, (1 - l)^n or l^n.
    low = np.where(s == n, np.exp(-budget / n), low)
    high = np.where(s == 0, -np.expm1(-budget / n), high)
    return low, high


def _farthest(outside: Floats, x: Floats, y: Floats, budget: Floats) -> Floats:
    """Bisect for the step d from 0 towards `outside` where KL(x || x + d) leaves the budget.

    Return the end of the last bracket that lies outside. In terms of d, and with y = 1 - x given,
    nothing cancels: neither at n = 1e9 nor beside an edge.
    """
    inside = np.zeros_like(outside)
    for _ in range(_N_HALVINGS):
        d = (inside + outside) / 2
        with np.errstate(divide="ignore"):  # an infinite divergence is right at the edge
            too_far = -x * np.log1p(d / x) - y * np.log1p(-d / y) > budget
        outside, inside = np.where(too_far, d, outside), np.where(too_far, inside, d)
    return outside


def _hoeffding(s: Floats, n: Floats, tail: float) -> Bounds:
    half_width = np.sqrt(-np.log(tail) / (2 * n))
    return s / n - half_width, s / n + half_width


def _clopper_pearson(s: Floats, n: Floats, tail: float) -> Bounds:
    """All l of which neither tail is below beta/2: bisected between S/n and Chernoff's end, which is outside.

    SciPy's own inverses (`betaincinv`, `betainccinv`) lose digits for a few counts of a billion.
    """
    outer_low, outer_high = _chernoff(s, n, tail)
    refuted = tail * (1 - _MARGIN)
    inside_low, inside_high = s / n, s / n
    for _ in range(_N_EXACT_HALVINGS):
        low, high = (inside_low + outer_low) / 2, (inside_high + outer_high) / 2
        # P(S >= s) and P(S <= s); where s is 0 or n, Chernoff's end is the binomial probability itself.
        low_out = special.betainc(np.maximum(s, 1), n - s + 1, low) <= refuted
        high_out = special.betaincc(s + 1, np.maximum(n - s, 1), high) <= refuted
        outer_low, inside_low = np.where(low_out, low, outer_low), np.where(low_out, inside_low, low)
        outer_high, inside_high = np.where(high_out, high, outer_high), np.where(high_out, inside_high, high)
    return np.where(s == 0, 0.0, outer_low), np.where(s == n, 1.0, outer_high)


def _wilson(s: Floats, n: Floats, tail: float) -> Bounds:
    z = -special.ndtri(tail)
    x = s / n
    centre = (x + z**2 / (2 * n)) / (1 + z**2 / n)
    half_width = z / (1 + z**2 / n) * np.sqrt(x * (1 - x) / n + z**2 / (4 * n**2))
    return np.clip(centre - half_width, 0, 1), np.clip(centre + half_width, 0, 1)


_POPULATION: dict[str, Callable[[Floats, Floats, float], Bounds]] = {
    "chernoff": _chernoff,
    "hoeffding": _hoeffding,
    "clopper-pearson": _clopper_pearson,
    "wilson": _wilson,
}

_RESPONDENTS: dict[str, Callable[[Floats, Floats, Channel, float], Bounds]] = {
    "chernoff": chernoff_counts,
    "clopper-pearson": exact_counts,
    "wilson": score_counts,
}
