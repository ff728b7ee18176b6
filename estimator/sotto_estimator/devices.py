"""Reports of pooled waves: how dependent they can be, and Chernoff's bound for the most dependent ones.

Devices are independent of one another; the reports of one device, at most one a wave, may depend on each other in any
way. Notation: of waves of n1 >= n2 >= .. reports at most n2 devices sent two, n3 three, and so on; N_k = n_k - n_(k+1).
Proofs are in docs/maths.md.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from sotto_estimator.channel import Floats
from sotto_estimator.errors import DomainError
from sotto_protocol.counted import Counted

_EPS = float(np.finfo(np.float64).eps)

_MOST_TILT = 60.0
"""Tilts are looked for up to so much above the least that can do: what lies beyond is e^-60 of the bound."""

_N_HALVINGS = 26
"""Of the tilts' logarithms, which span some 30. Any tilt gives a bound that holds, and the best lies in a flat top."""

_N_SOLVED = 256
"""So many counts' tilts are looked for; those of more lie between."""

_BLOCK = 2**18
"""So many numbers are worked on at once: it bounds memory."""


@dataclass(frozen=True, slots=True)
class Devices:
    """The most dependent devices that reports can be of: `n_devices[i]` of them sent `n_each[i]`, different, ascending.

    `n_devices` are no integers where it is not known how many reports are of which wave.
    """

    n_each: tuple[int, ...]
    n_devices: tuple[float, ...]

    @staticmethod
    def of(counted: Counted) -> "Devices":
        """Return those of waves' reports; those of which the wave is not known make the waves as alike as they can."""
        sizes = sorted(_fill(sorted(counted.by_wave.values()), counted.n_unsplit), reverse=True)
        n_each = {k: n - smaller for k, (n, smaller) in enumerate(pairwise([*sizes, 0.0]), 1) if n > smaller}
        return Devices(tuple(n_each), tuple(n_each.values()))

    @staticmethod
    def alike(n_reports: int, n_waves: int) -> "Devices":
        """Return devices that all sent a report in every one of so many waves: what holds whatever the waves' sizes.

        Raises `DomainError` unless n_waves >= 1.
        """
        if not n_waves >= 1:
            raise DomainError(f"n_waves ({n_waves!r}) must be >= 1.")
        return Devices((n_waves,), (n_reports / n_waves,))

    @property
    def n_reports(self) -> float:
        """How many reports there are."""
        return sum(k * n for k, n in zip(self.n_each, self.n_devices, strict=True))

    @property
    def n_waves(self) -> int:
        """The most reports of one device."""
        return max(self.n_each, default=1)

    @property
    def effect(self) -> float:
        """The design effect: the reports are worth as many independent ones, divided by it; in [1, n_waves]."""
        if len(self.n_each) < 2:
            return self.n_waves
        return sum(k * k * n for k, n in zip(self.n_each, self.n_devices, strict=True)) / self.n_reports


def _fill(sizes: Iterable[int], n_more: int) -> list[float]:
    """Return ascending sizes with so many more reports in the smallest, which these make as large as each other."""
    filled, below, least = [float(size) for size in sizes], 0.0, 0.0
    for index, size in enumerate([*filled[1:], np.inf] if filled else []):
        below += filled[index]
        least = (below + n_more) / (index + 1)
        if least <= size:
            break
    return [max(size, least) for size in filled]


def chernoff_of_devices(s: Floats, devices: Devices, tail: float) -> tuple[Floats, Floats]:
    """Return the least and the largest mean l of n reports that Chernoff's bound of a count s does not refute.

    P(S >= s) <= exp(-min of sum of N_k KL(y_k || l_k)), over y_k and l_k in [0, 1] with sum of k N_k y_k = s and
    sum of k N_k l_k = n l: devices of as many reports may have a mean of their own. The largest is the mirror image.
    """
    each, number = np.array(devices.n_each, np.float64), np.array(devices.n_devices, np.float64)
    n = float(each @ number)
    both, budget = np.concatenate([s.ravel(), n - s.ravel()])[:, None], -np.log(tail)
    tilts = _tilts(both, n, each, number, budget)
    rows = max(1, _BLOCK // each.size)
    blocks = [slice(start, start + rows) for start in range(0, len(both), rows)]
    least = np.concatenate([_least_mean(both[of], tilts[of], n, each, number, budget) for of in blocks])
    low, missing = least.reshape(2, *s.shape)
    return low, np.minimum(1 - missing + 4 * _EPS, 1)


def _least_mean(s: Floats, h: Floats, n: float, each: Floats, number: Floats, budget: float) -> Floats:
    """Return the largest l with P(S >= s) <= e^-budget, or less, as tilts are worse; s, h of shape (counts, 1).

    The exponent's dual: for every h > 0 and v,
      P(S >= s) <= exp(sum of N_k f_k + e^v n l - h s),  f_k = max over x in [0, 1] of ln(1 - x + x e^(h k)) - e^v k x.
    For a given h the best v solves sum of N_k clip(e_k - v, 0, h k) = h s - budget, with e_k = ln((e^(h k) - 1) / k).
    """
    tilt = h * each
    price, step = _price(tilt, each, number, h * s - budget)
    is_one = step <= -tilt
    rest = np.where(is_one, tilt - each * np.exp(np.minimum(price, 0)), np.expm1(step) - step)
    refuted = h * s - budget
    rounding = 16 * _EPS * (1 + np.abs(price) + tilt.max(-1, keepdims=True)) * (refuted + 2 * budget)
    mean = (refuted - rounding - (number * rest).sum(-1, keepdims=True)) * np.exp(-price) / n
    return np.where(s > 0, np.clip(mean, 0, 1), 0.0)[:, 0]


def _tilts(s: Floats, n: float, each: Floats, number: Floats, budget: float) -> Floats:
    """Return about the best h of each count, shape (counts, 1); of many counts from a few, between which it is smooth.

    With the best v, h is too small where sum of k N_k y_k < s, y_k = (1 - e^(v - e_k)) / (1 - e^(-h k)) brought into
    [0, 1].
    """
    if len(s) > _N_SOLVED:
        odds = np.log((s + 0.5) / (n - s + 0.5))[:, 0]
        at = np.linspace(odds.min(), odds.max(), _N_SOLVED)
        some = _tilts(((n + 1) / (1 + np.exp(-at)) - 0.5)[:, None], n, each, number, budget)
        return np.asarray(np.exp(np.interp(odds, at, np.log(some[:, 0])))[:, None])
    count = np.clip(s, 1, n)  # 1 at least: of a count of 0 nothing is refuted
    low, high = np.log(budget / count), np.log(budget / count + _MOST_TILT)
    for _ in range(_N_HALVINGS):
        middle = (low + high) / 2
        tilt = np.exp(middle) * each
        _, step = _price(tilt, each, number, np.exp(middle) * count - budget)
        too_small = (each * number * np.expm1(step) / np.expm1(-tilt)).sum(-1, keepdims=True) < count
        low, high = np.where(too_small, middle, low), np.where(too_small, high, middle)
    return np.asarray(np.exp(high))


def _price(tilt: Floats, each: Floats, number: Floats, wanted: Floats) -> tuple[Floats, Floats]:
    """Return v with sum of N_k clip(e_k - v, 0, h k) = wanted, and v - e_k brought into [-h k, 0].

    The sum is linear between the 2 K points where a term begins or ends to grow: it is added up from one to the next.
    """
    begin = tilt + np.log(-np.expm1(-tilt)) - np.log(each)
    ends = np.concatenate([begin, begin - tilt], -1)
    order = np.argsort(-ends, -1)
    ends = np.take_along_axis(ends, order, -1)
    slope = np.cumsum(np.concatenate([number, -number])[order], -1)[..., :-1]
    grown = np.cumsum(slope * -np.diff(ends, axis=-1), -1)
    before = np.concatenate([np.zeros_like(wanted), grown[..., :-1]], -1)
    at = np.maximum((before <= wanted).sum(-1, keepdims=True) - 1, 0)
    start, missing = np.take_along_axis(ends, at, -1), wanted - np.take_along_axis(before, at, -1)
    price = start - missing / np.maximum(np.take_along_axis(slope, at, -1), 1e-9)
    return price, np.clip(price - begin, -tilt, 0)
