"""Blaker's (2000) intervals: exact, nested, and never wider than Clopper and Pearson's.

What a count s says for a share is P(S at least as extreme as s): the smaller tail of s, and as much of the other tail
as is no larger (his acceptability). An interval holds all shares of which that is above beta, and what lies between
them: towards S/n it is not monotone. While the other tail has as many counts c, it falls and then rises, as the ratio
of the two tails' derivatives grows (a monotone likelihood ratio); where c grows it jumps to twice the smaller tail,
which is above beta within Clopper and Pearson's interval. So the first share that is not refuted is found by one
bisection: the first where c grows, or the sum is above beta.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np
import scipy

from sotto_estimator.channel.channel import Channel, Floats
from sotto_estimator.intervals.binomial import Bounds, clopper_pearson_shares
from sotto_estimator.intervals.respondents import (
    Flags,
    Indices,
    Noise,
    bisect,
    both_ends,
    fewest_exact,
    people_expecting,
    upper_tail,
)

_MARGIN = 1e-9
_TIE = 1e-7
"""Two tails this close may be equal: the other one counts then, which widens."""

_N_HALVINGS = 44

Tail = Callable[[Floats, Floats], Floats]
"""The tail of a count, or of so many counts from the other end, at a share; arrays of one shape."""


def blaker_shares(s: Floats, n: Floats, tail: float) -> Bounds:
    """Return the ends of the reported share; `tail` is half of what an interval may miss by."""
    outer_low, outer_high = clopper_pearson_shares(s, n, tail)
    low = _end(s, s / n, outer_low, *lower_tails(s, n), tail)
    high = _end(n - s, s / n, outer_high, *upper_tails(s, n), tail)
    return np.where(s == 0, 0.0, low), np.where(s == n, 1.0, high)


def lower_tails(s: Floats, n: Floats) -> tuple[Callable[[Floats], Floats], Tail]:
    """Return, of shares below S/n, P(S >= s), and P(S <= c) of any c from -1 on."""
    return (
        lambda share: scipy.special.betainc(np.maximum(s, 1), n - s + 1, share),
        lambda c, share: np.where(
            c < 0, 0.0, scipy.special.betaincc(np.maximum(c, 0) + 1, np.maximum(n - c, 1), share)
        ),
    )


def upper_tails(s: Floats, n: Floats) -> tuple[Callable[[Floats], Floats], Tail]:
    """Return, of shares above S/n, P(S <= s), and P(S >= n - c) of any c from -1 on."""
    return (
        lambda share: scipy.special.betaincc(s + 1, np.maximum(n - s, 1), share),
        lambda c, share: np.where(c < 0, 0.0, scipy.special.betainc(np.maximum(n - c, 1), np.maximum(c, 0) + 1, share)),
    )


def far_count(most: Floats, near: Floats, far: Callable[[Floats], Floats]) -> Floats:
    """Return the largest c in [-1, most - 1] with far(c) <= near, by bisection; shape of `most`."""
    low, high = np.full_like(most, -1), np.maximum(most, 0)
    while (high - low > 1).any():
        middle = np.floor((low + high) / 2)
        fits = far(middle) <= near * (1 + _TIE)
        open_ = high - low > 1
        low, high = np.where(open_ & fits, middle, low), np.where(open_ & ~fits, middle, high)
    return low


def _end(
    most: Floats, inside: Floats, outer: Floats, near: Callable[[Floats], Floats], far: Tail, tail: float
) -> Floats:
    """Bisect for the first share, from `outer` towards `inside`, of which the acceptability is above 2 `tail`."""
    c = far_count(most, near(outer), lambda c: far(c, outer))
    for _ in range(_N_HALVINGS):
        middle = (outer + inside) / 2
        tail_near = near(middle)
        is_same = far(c + 1, middle) > tail_near * (1 + _TIE)
        is_refuted = is_same & (tail_near + far(c, middle) <= 2 * tail * (1 - _MARGIN))
        outer, inside = np.where(is_refuted, middle, outer), np.where(is_refuted, inside, middle)
    return outer


def blaker_counts(s: Floats, n: Floats, channel: Channel, tail: float) -> tuple[Floats, Floats]:
    """Return the fewest and the most of n people of whom the acceptability of s is above 2 `tail`, as of shares."""
    return both_ends(_fewest, s, n, channel, tail)


def _fewest(s: Floats, n: Floats, noise: Noise, tail: float) -> Floats:
    """Go on from Clopper and Pearson's K while it is refuted, over all K of the same c at once."""
    k = fewest_exact(s, n, noise, tail)
    most = np.clip(people_expecting(s, n, noise), k, n)
    open_ = np.flatnonzero(k < most)
    while open_.size:
        refuted = _Refuted.of(s[open_], n[open_], k[open_], noise, 2 * tail)
        found = bisect(k[open_] - 1, most[open_], refuted)
        is_past = (found > k[open_]) & (found < most[open_])  # of the next c; else it was not refuted
        k[open_] = found
        open_ = open_[is_past]
    return k


@dataclass(frozen=True)
class _Refuted:
    """Whether K people are refuted, and the other tail has still the c of the first K."""

    s: Floats
    n: Floats
    c: Floats
    noise: Noise
    miss: float

    @classmethod
    def of(cls, s: Floats, n: Floats, k: Floats, noise: Noise, miss: float) -> Self:
        c = far_count(s, upper_tail(s, k, n, noise), lambda c: _far(c, k, n, noise))
        return cls(s, n, c, noise, miss)

    def __call__(self, at: Indices, k: Floats) -> Flags:
        c, n = self.c[at], self.n[at]
        near = upper_tail(self.s[at], k, n, self.noise)
        is_same = _far(c + 1, k, n, self.noise) > near * (1 + _TIE)
        refuted: Flags = is_same & (near + _far(c, k, n, self.noise) <= self.miss)
        return refuted


def _far(c: Floats, k: Floats, n: Floats, noise: Noise) -> Floats:
    """Return P(S <= c) of K people."""
    return np.where(c < 0, 0.0, upper_tail(n - np.maximum(c, 0), n - k, n, noise.mirrored()))
