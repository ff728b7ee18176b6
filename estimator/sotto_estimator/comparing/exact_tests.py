"""Exact tests of a share: is it s? By the tails of the reported count, of which the intervals are the inversion.

A P-value is at most 1 - level where the interval of the same method and level leaves the share out, and nowhere else.
Of Clopper and Pearson's that is twice the smaller tail. Of Blaker's it is the largest acceptability of any share as far
from S/n as the tested one or further, as an interval holds what lies between accepted ones: that of the tested one
itself, or of where the other tail last grew, twice the smaller tail there.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from sotto_estimator.channel.channel import Channel, Floats, check_counts
from sotto_estimator.errors import DomainError, one_of
from sotto_estimator.intervals.blaker import Tail, far_count, lower_tails, upper_tails

Alternative = Literal["two-sided", "greater", "less"]
Method = Literal["clopper-pearson", "blaker"]
_MARGIN = 1e-9
"""Relative widening of a P-value: more than the rounding of its tails, and what intervals are widened by."""
_N_HALVINGS = 60


@dataclass(frozen=True, slots=True)
class ShareTestResult:
    """The test of the hypothesis that a population's share is `null`; `p_value` is exact, and never too small.

    `alternative`: the share is another one, or greater, or less.
    """

    null: float
    p_value: float
    alternative: Alternative
    method: Method
    n: int
    support_count: int

    def __str__(self) -> str:
        """Return one line: the hypothesis, its P-value, the method and n."""
        other = {"two-sided": "another", "greater": "a greater", "less": "a smaller"}[self.alternative]
        return (
            f"share = {100 * self.null:g} % against {other}: P = {self.p_value:.4g} "
            f"(exact, {self.method}, n = {self.n:,})"
        )


def share_test(
    support_count: int,
    n: int,
    channel: Channel,
    null: float,
    *,
    alternative: Alternative = "two-sided",
    method: Method = "clopper-pearson",
) -> ShareTestResult:
    """Test whether the share of a population, of which the n reports are independent draws, is `null`, in [0, 1].

    `method`: which two-sided P-value; one-sided ones are the same for both. Raises `DomainError` outside the domains.

    >>> print(share_test(400, 1000, Channel.warner(0.75), 0.4))
    share = 40 % against another: P = 0.001587 (exact, clopper-pearson, n = 1,000)
    """
    (count,) = check_counts([support_count], n).tolist()
    if not 0 <= null <= 1:
        raise DomainError(f"null ({null!r}) must be in [0, 1].")
    for name, given, known in (("alternative", alternative, Alternative), ("method", method, Method)):
        if given not in get_args(known):
            raise DomainError(f"{name} ({given!r}) {one_of(get_args(known), given)}")
    p_value = _p_value(float(count), float(n), channel.reported_share(null), alternative, method)
    return ShareTestResult(null, min(1.0, p_value * (1 + _MARGIN)), alternative, method, n, count)


def _p_value(s: float, n: float, reported: float, alternative: Alternative, method: Method) -> float:
    count, size, share = (np.array([number]) for number in (s, n, reported))
    near_above, far_above = lower_tails(count, size)
    near_below, far_below = upper_tails(count, size)
    above = 1.0 if s == 0 else float(near_above(share)[0])
    below = 1.0 if s == n else float(near_below(share)[0])
    if alternative != "two-sided":
        return above if alternative == "greater" else below
    if method == "clopper-pearson":
        return 2 * min(above, below)
    if above <= below:
        return _accepted(count, share, above, near_above, far_above, 0.0)
    return _accepted(size - count, share, below, near_below, far_below, 1.0)


def _accepted(
    most: Floats, share: Floats, tail: float, near: Callable[[Floats], Floats], far: Tail, edge: float
) -> float:
    """Return the largest acceptability from the edge to the share, of which `tail` is the smaller tail."""
    c = far_count(most, np.array([tail]), lambda c: far(c, share))
    here = tail + float(far(c, share)[0])
    if c[0] < 0:
        return here
    outside, inside = np.array([edge]), share
    for _ in range(_N_HALVINGS):  # for where c became what it is
        middle = (outside + inside) / 2
        is_less = bool(far(c, middle)[0] > near(middle)[0])
        outside, inside = (middle, inside) if is_less else (outside, middle)
    return max(here, 2 * float(near(inside)[0]))
