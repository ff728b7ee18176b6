"""Confidence intervals for shares: those that guarantee their level err outward, never inward.

Notation: a count S of n reports supports a value; beta = (1 - level) / n_intervals, and each tail has beta / 2.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from sotto_estimator.channel import Channel, Floats, Target, check_counts, check_target
from sotto_estimator.devices import Devices, chernoff_of_devices
from sotto_estimator.errors import DomainError
from sotto_estimator.methods import METHODS, find_method
from sotto_estimator.population import Bounds

_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, slots=True)
class IntervalOptions:
    """How intervals are made. `level` in (0, 1); `simultaneous`: all of the result's hold together (Bonferroni)."""

    level: float = 0.95
    method: str = "chernoff"
    target: Target = "population"
    simultaneous: bool = False
    consistent: bool = False


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
    method: str = "chernoff",
    target: Target = "population",
    n_intervals: int = 1,
    n_waves: int = 1,
    devices: Devices | None = None,
) -> ConfidenceInterval:
    """Return intervals that cover the true shares with probability `level`, clipped to [0, 1].

    An interval that lies wholly outside [0, 1] is the nearest edge, as a point. With `n_intervals`, so many intervals
    (these and others) hold all together with probability `level` (Bonferroni).

    `method`: a name in `sotto_estimator.methods.METHODS`, which says of each whether it guarantees the level for every
    n and every share. Chernoff's, the default, does.

    Targets: `population`, of which the respondents are a random sample; `respondents`, these n
    people, of whom only the devices' noise is random.

    With `n_waves`, up to so many of the n reports are of one device, which makes them dependent: methods that allow for
    that take it as if there were n / n_waves reports, the same for both targets. `devices` says more where the number
    of reports of each wave is known: hoeffding is as if there were n / devices.effect, chernoff is of the worst that
    such devices can do.

    Raises `DomainError` unless the counts are integers in [0, n], n in [1, 10^12], level in (0, 1),
    n_intervals >= 1, n_waves >= 1, and the method allows for them.

    >>> low, high = confidence_interval(400, 1000, Channel.forced_response(1 / 2, 1 / 2))
    >>> print(f"{low:.1%} to {high:.1%}")
    21.7% to 38.5%
    """
    counts = check_counts(support_counts, n)
    devices = devices or Devices.alike(n, n_waves)
    if abs(devices.n_reports - n) > 0.5:
        raise DomainError(f"devices (of {devices.n_reports:g} reports) must be those of the n = {n} reports.")
    low, high = share_bounds(
        counts, n, channel, level=level, method=method, target=target, n_intervals=n_intervals, devices=devices
    )
    return ConfidenceInterval(np.clip(low, 0, 1)[()], np.clip(high, 0, 1)[()])


def share_bounds(
    counts: ArrayLike,
    n: ArrayLike,
    channel: Channel,
    *,
    level: float,
    method: str,
    target: Target,
    n_intervals: int = 1,
    devices: Devices | None = None,
) -> Bounds:
    """Return an interval's ends before clipping, for valid counts; counts and n broadcast. `devices`: of one n."""
    check_target(target)
    of_method = find_method(method)
    tail = check_level(level, n_intervals) / 2
    s, size = np.broadcast_arrays(np.asarray(counts, np.float64), np.asarray(n, np.float64))
    if devices is not None and devices.n_waves > 1:
        low, high = _pooled(s, size, devices, method, tail)
    elif target == "respondents" and of_method.respondents:
        low, high = of_method.respondents(s, size, channel, tail)
        return low / size, high / size
    else:
        low, high = of_method.population(s, size, tail)
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


def _pooled(s: Floats, n: Floats, devices: Devices, method: str, tail: float) -> Bounds:
    """Return the interval of a mean of reports of which several can be of one device, if the method allows for them.

    For devices that all sent equally many, and for Hoeffding's bound, it is that of fewer reports (docs/maths.md).
    """
    if not find_method(method).allows_waves:
        allowing = [name for name, known in METHODS.items() if known.allows_waves]
        raise DomainError(
            f"method ({method!r}) must be one of {', '.join(allowing)} where {devices.n_waves} waves are pooled: "
            "reports of one device are not independent."
        )
    if method == "chernoff" and len(devices.n_each) > 1:
        return chernoff_of_devices(s, devices, tail)
    return find_method(method).population(s / devices.effect, n / devices.effect, tail)
