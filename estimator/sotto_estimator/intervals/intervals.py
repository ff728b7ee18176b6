"""Confidence intervals for shares: those that guarantee their level err outward, never inward.

Notation: a count S of n reports supports a value; beta = (1 - level) / n_intervals, and each tail has beta / 2.
"""

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from sotto_estimator.channel.channel import Channel, Floats, Target, check_counts, check_target
from sotto_estimator.channel.devices import Devices
from sotto_estimator.errors import DomainError
from sotto_estimator.intervals.binomial import Bounds
from sotto_estimator.intervals.methods import LINEARISED, METHODS, REPLICATED, find_method

if TYPE_CHECKING:
    from sotto_protocol import Survey

_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, slots=True)
class IntervalOptions:
    """How intervals are made. The values are checked.

    `level` is the confidence level, in (0, 1). `method` is a name in METHODS. With `simultaneous`, all intervals of a
    result hold together (Bonferroni). `consistent` adds shares in [0, 1] that sum to 1.

    `target` says whom shares are about. By default it is what the survey says, else the population. `population_size`
    is the size of the population from which respondents are drawn without replacement, or None for a large one.
    Raises `DomainError`, which names the option.
    """

    level: float = 0.95
    method: str = "chernoff"
    target: Target | None = None
    simultaneous: bool = False
    consistent: bool = False
    population_size: int | None = None

    def __post_init__(self) -> None:
        check_level(self.level)
        if self.method not in (LINEARISED, REPLICATED):
            find_method(self.method)
        if self.target is not None:
            check_target(self.target)
        size = self.population_size
        if size is not None and not (size >= 1 and size == int(size)):
            raise DomainError(f"population_size ({size!r}) must be a whole number >= 1.")

    def only(self, what: str, *taken: str) -> Self:
        """Return these options. Raises DomainError if one is not its default, and not among those `taken`.

        `what` names in the error whose options they are.
        """
        for field in fields(self):
            if field.name not in taken and getattr(self, field.name) != field.default:
                raise DomainError(
                    f"{field.name} ({getattr(self, field.name)!r}) is not an option of {what}, which takes "
                    f"{', '.join(taken)}."
                )
        return self

    @property
    def about(self) -> Target:
        """Whom shares and means are about."""
        return self.target or "population"

    def of(self, survey: "Survey") -> Self:
        """Return these options for a survey's results: with the survey's target, unless they have one.

        With a population's size, they stay about the population.
        """
        if self.target or self.population_size:
            return self
        return replace(self, target=target_of(survey))


def target_of(*surveys: "Survey") -> Target:
    """Return whom the results of surveys are about where nobody asks otherwise: the respondents if all say so."""
    return "respondents" if {survey.about for survey in surveys} == {"respondents"} else "population"


class ConfidenceInterval(NamedTuple):
    """The two ends of an interval of shares, or arrays of them in the shape of the counts."""

    low: Floats
    high: Floats


def is_interval(low: float, high: float, *, may_be_point: bool = False) -> bool:
    """Return whether anything possible is in an interval that was clipped to what is: a point is the nearest edge.

    `may_be_point`: one of shares of the respondents may be, nobody or all.
    """
    return low < high or may_be_point


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
    population_size: int | None = None,
) -> ConfidenceInterval:
    """Return intervals that cover the true shares with probability `level`, clipped to [0, 1].

    An interval that lies wholly outside [0, 1] is the nearest edge, as a point. With `n_intervals`, that many intervals
    (these and others) hold together with probability `level` (Bonferroni).

    `method` is a name in `sotto_estimator.intervals.methods.METHODS`. There, each method says whether it guarantees the
    level for every n and every share. Chernoff's, the default, does.

    `target` is `population`, of which the respondents are a random sample, or `respondents`. For these n people only
    the devices' noise is random.

    With `n_waves`, up to that many of the n reports are of one device, which makes them dependent. `devices` says more,
    where the number of reports in each wave is known. Two methods allow for that. `hoeffding` computes as if there were
    n / devices.effect reports. `chernoff` takes the worst that such devices can do, with the channel's second stage.

    `population_size` N says that the respondents are a simple random sample, without replacement, of N people. For N =
    n the interval is the respondents', for large N the population's.

    Raises `DomainError` unless the counts are integers in [0, n], n in [1, 10^12] and level in (0, 1). The numbers
    n_intervals and n_waves must be 1 or more, and N at least n. Raises it also where the method cannot take them.

    >>> low, high = confidence_interval(400, 1000, Channel.forced_response(1 / 2, 1 / 2))
    >>> print(f"{low:.1%} to {high:.1%}")
    21.7% to 38.5%
    """
    counts = check_counts(support_counts, n)
    devices = devices or Devices.alike(n, n_waves)
    if abs(devices.n_reports - n) > 0.5:
        raise DomainError(f"devices (of {devices.n_reports:g} reports) must be those of the n = {n} reports.")
    low, high = share_bounds(
        counts,
        n,
        channel,
        level=level,
        method=method,
        target=target,
        n_intervals=n_intervals,
        devices=devices,
        population_size=population_size,
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
    population_size: int | None = None,
) -> Bounds:
    """Return an interval's ends before clipping, for valid counts; counts and n broadcast.

    `devices`, `population_size`: of one n.
    """
    check_target(target)
    of_method = find_method(method)
    tail = check_level(level, n_intervals) / 2
    s, size = np.broadcast_arrays(np.asarray(counts, np.float64), np.asarray(n, np.float64))
    if population_size is not None:
        low, high = _finite(s, np.asarray(n), population_size, devices, channel, target, method, tail)
        return low / population_size, high / population_size
    if devices is not None and devices.n_waves > 1:
        low, high = _pooled(s, devices, channel, target, method, tail)
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


def _pooled(s: Floats, devices: Devices, channel: Channel, target: Target, method: str, tail: float) -> Bounds:
    """Return the interval of a mean of reports of which several can be of one device, if the method allows for them."""
    pooled = find_method(method).pooled
    if pooled is None:
        raise no_waves(method, devices)
    return pooled(s, devices, channel, target, tail)


def no_waves(method: str, devices: Devices) -> DomainError:
    """Return the error of a method that does not allow for several reports of one device."""
    allowing = [name for name, known in METHODS.items() if known.allows_waves]
    return DomainError(
        f"method ({method!r}) must be one of {', '.join(allowing)} where {devices.n_waves} waves are pooled: "
        "reports of one device are not independent."
    )


def _finite(
    s: Floats,
    n: Floats,
    population_size: int,
    devices: Devices | None,
    channel: Channel,
    target: Target,
    method: str,
    tail: float,
) -> Bounds:
    """Return the fewest and the most of N people, if the method knows finite populations, and all is of one wave."""
    finite = find_method(method).finite
    if finite is None:
        knowing = [name for name, known in METHODS.items() if known.finite]
        raise DomainError(f"method ({method!r}) must be one of {', '.join(knowing)} for a population_size.")
    if target != "population":
        raise DomainError(f"target ({target!r}) must be 'population' for a population_size.")
    if devices is not None and devices.n_waves > 1:
        raise DomainError(f"population_size ({population_size}) must not be given where several waves are pooled.")
    if n.ndim or population_size < n:
        raise DomainError(f"population_size ({population_size}) must be at least the number of respondents, n ({n}).")
    return finite(s, int(n), population_size, channel, tail)
