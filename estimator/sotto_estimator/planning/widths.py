"""What a survey will be able to say, before anybody is asked: widths, and respondents needed.

A half-width here is half of an interval's width before it is clipped to [0, 1], in shares. About the
population it is the least that the interval has with probability `assurance`. About the respondents it
is that at the whole support count which is nearest to the expected one, and an interval ends at 0 or n
people at the latest.
"""

import math
from collections.abc import Callable, Sequence

import numpy as np

from sotto_estimator.channel.channel import (
    MAX_N,
    Channel,
    Floats,
    Target,
    check_epsilon,
    check_n,
    check_target,
    report_variance,
)
from sotto_estimator.errors import DomainError
from sotto_estimator.intervals.intervals import check_level, share_bounds
from sotto_estimator.intervals.methods import find_method
from sotto_estimator.planning.assurance import assured_counts, check_assurance
from sotto_estimator.planning.options import PlanOptions, check_share

NO_PRIVACY = Channel(1, 0)
USUAL = PlanOptions()
"""What is planned where nobody says otherwise."""

_N_SECTIONS = 8  # a search looks at so many sizes at once
_MAX_SCAN = 2**17
_SCAN_BLOCK = 2**13


def standard_deviation(n: int, channel: Channel, *, share: float, target: Target = "population") -> float:
    """Return the standard deviation of `debias`'s share when the true share is `share`, in [0, 1].

    >>> round(standard_deviation(100, Channel.warner(0.6), share=0.5), 3)
    0.25
    """
    check_target(target)
    variance = float(report_variance(check_share(share), channel, target))
    return math.sqrt(variance / check_n(n)) / channel.contrast


def half_width(n: int, channel: Channel, options: PlanOptions = USUAL, *, n_intervals: int = 1) -> float:
    """Return half the width of the interval that n respondents will give, if `n_intervals` are to hold together.

    >>> round(half_width(1000, Channel.warner(0.75)), 4)
    0.0857
    """
    sizes = np.array([check_n(n)], np.float64)
    return float(_half_widths(sizes, channel, options, n_intervals)[0])


def respondents_needed(wanted_half_width: float, channel: Channel, options: PlanOptions = USUAL) -> int:
    """Return the smallest n from which on the half-width is at most the wanted one, with probability `assurance`.

    Whole counts make widths saw up and down as n grows; the n returned is past the last tooth.
    Domain: wanted_half_width > 0. Raises `DomainError` if that takes more than 10^12 respondents.

    >>> respondents_needed(0.05, Channel.warner(0.75))
    2947
    """

    def widths(n: Floats) -> Floats:
        return _half_widths(n, channel, options)

    period = _saw_period(wanted_half_width, channel, options)
    return smallest_n(widths, wanted_half_width, period)


def no_privacy_half_width(n: int, options: PlanOptions = USUAL) -> float:
    """Return the half-width when true answers are collected: about the respondents, 0."""
    check_n(n)
    if options.about == "respondents":
        return 0.0
    return half_width(n, NO_PRIVACY, options)


def laplace_standard_deviation(n: int, epsilon: float, *, sensitivity: float) -> float:
    """Return the standard deviation of the Laplace noise on a trusted curator's share.

    Noise of scale sensitivity / epsilon on a count (Dwork, McSherry, Nissim & Smith 2006).
    `epsilon` in nats, > 0; `sensitivity` > 0 is how far one changed answer moves the counts
    together: 1 for yes-no, 2 for one-of, where one count falls and another rises.

    >>> round(laplace_standard_deviation(100, math.log(1.5), sensitivity=1), 3)
    0.035
    """
    return math.sqrt(2) * _laplace_scale(n, epsilon, sensitivity)


def curator_half_width(n: int, epsilon: float, options: PlanOptions = USUAL, *, sensitivity: float) -> float:
    """Return the half-width of a curator who is trusted with true answers and publishes with noise.

    About the population: the no-privacy half-width at beta / 2, plus the Laplace tail at beta / 2,
    a union bound. About the respondents: the Laplace tail at beta alone, as they are all counted.
    P(|Laplace(scale)| > t) = exp(-t / scale).
    """
    beta = check_level(options.level)
    scale = _laplace_scale(n, epsilon, sensitivity)
    if options.about == "respondents":
        return scale * math.log(1 / beta)
    return half_width(n, NO_PRIVACY, options, n_intervals=2) + scale * math.log(2 / beta)


def curator_respondents_needed(
    wanted_half_width: float, epsilon: float, options: PlanOptions = USUAL, *, sensitivity: float
) -> int:
    """Return the smallest n from which on `curator_half_width` is at most the wanted one."""

    def widths(sizes: Floats) -> Floats:
        return np.array([curator_half_width(int(n), epsilon, options, sensitivity=sensitivity) for n in sizes])

    return smallest_n(widths, wanted_half_width, 0)


def _laplace_scale(n: int, epsilon: float, sensitivity: float) -> float:
    check_epsilon(epsilon)
    if not 0 < sensitivity < math.inf:
        raise DomainError(f"sensitivity ({sensitivity!r}) must be finite and > 0.")
    return sensitivity / (check_n(n) * epsilon)


def _half_widths(n: Floats, channel: Channel, options: PlanOptions, n_intervals: int = 1) -> Floats:
    """Return the half-widths of so many respondents, shape of n."""
    level, target = options.level, options.about
    method = find_method(options.method).planned_as or options.method
    closed_form = find_method(method).half_width
    reported = channel.reported_share(options.share)
    assurance = check_assurance(options.assurance, target)
    if closed_form:  # the interval itself is wider by a rounding error
        return closed_form(n, check_level(level, n_intervals) / 2) / channel.contrast
    counts = np.rint(n * reported) if target == "respondents" else assured_counts(n, reported, assurance)
    low, high = share_bounds(counts, n, channel, level=level, method=method, target=target, n_intervals=n_intervals)
    return (high - low) / 2


def _saw_period(wanted_half_width: float, channel: Channel, options: PlanOptions) -> float:
    """Return how many respondents a tooth of the half-width lasts, at most."""
    if find_method(options.method).half_width:
        return 0
    reported = channel.reported_share(options.share)
    rarer = min(reported, 1 - reported)
    of_counts = 1 / rarer if rarer > 0 else 0  # the expected count moves on by 1
    # Both ends are whole numbers of people: 1 / n of the width 2 h, which falls as n^(-1/2).
    of_people = 1 / wanted_half_width if options.about == "respondents" and wanted_half_width > 0 else 0
    return of_counts + of_people


def smallest_n(widths: Callable[[Floats], Floats], wanted: float, saw_period: float) -> int:
    """Return the size from which on the widths are at most the wanted one, looking on until four teeth are."""
    if not wanted > 0:
        raise DomainError(f"wanted_half_width ({wanted!r}) must be > 0.")

    def is_wide(*n: int) -> list[bool]:
        return [not width <= wanted for width in widths(np.array(n, np.float64))]

    found = smallest_size(is_wide, lambda _: min(4 * saw_period, _MAX_SCAN), MAX_N)
    if found is None:
        raise DomainError(f"wanted_half_width ({wanted!r}) must be reachable with 10^12 respondents.")
    return found


def smallest_size(
    fails: Callable[..., list[bool]], n_ahead: Callable[[int], float], most: int, n_sections: int = _N_SECTIONS
) -> int | None:
    """Return the size from which on none fails, as far as `n_ahead` sizes behind a crossing tell.

    Gallop, narrow down to a crossing by so many sizes at once, and look on behind it, since whole counts make saws.
    None where `most` respondents are too few.
    """
    bracket = _bracket(fails, most, n_sections)
    if bracket is None:
        return None
    low, high = bracket
    while high - low > 1:
        step = max(1, (high - low) // n_sections)
        low, high = _narrowed(fails, [low, *range(low + step, high, step), high])
    return _past_last_tooth(fails, high, math.ceil(n_ahead(high)))


def _bracket(fails: Callable[..., list[bool]], most: int, n_sections: int) -> tuple[int, int] | None:
    """Return a size that fails, or 0, and one at most twice as large that does not; None where `most` fails."""
    low = 0
    while low < most:
        sizes = [min(max(1, 2 * low) * 2**power, most) for power in range(n_sections)]
        if not fails(sizes[-1])[0]:
            return _narrowed(fails, [low, *sizes])
        low = sizes[-1]
    return None


def _narrowed(fails: Callable[..., list[bool]], sizes: Sequence[int]) -> tuple[int, int]:
    """Return the neighbours between which failing ends: of the first of ascending sizes that does not fail."""
    between = fails(*sizes[1:-1]) if len(sizes) > 2 else []
    first = next((place for place, failed in enumerate(between, 1) if not failed), len(sizes) - 1)
    return sizes[first - 1], sizes[first]


def _past_last_tooth(fails: Callable[..., list[bool]], n: int, n_ahead: int) -> int:
    """Return the first size from which on n_ahead sizes do not fail."""
    answer = start = n
    while start < answer + n_ahead:
        block = range(start, min(start + _SCAN_BLOCK, answer + n_ahead))
        answer = max([answer, *(size + 1 for size, failed in zip(block, fails(*block), strict=True) if failed)])
        start = block.stop
    return answer
