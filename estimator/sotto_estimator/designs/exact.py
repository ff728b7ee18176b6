"""Exact intervals of a share from arms of different channels: both tails of the weighted sum of reports, inverted.

Notation: S = the sum over arms j and reports r of w_jr (count of r in j), an unbiased share. In place of w_jr stand
whole numbers k_jr, w_jr less the least of arm j, rounded to a grid: T = the sum of k_jr (count of r in j). If people
with the answer give larger k, stochastically, P(T >= t) grows with the share f. So the f of which that is the tail is
found by bisection, and all smaller ones are refuted (Clopper & Pearson 1934, of a sum). Rounding keeps the order of the
reports, so it costs width and no coverage. The distribution of T is enumerated by a Fourier transform of length above
its largest value: docs/maths-designs.md.
"""

import math
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from sotto_estimator.channel.channel import Floats
from sotto_estimator.designs.arms import Arms
from sotto_estimator.designs.two_samples import TwoSamples
from sotto_estimator.errors import DomainError

MOST_PEOPLE = 50_000
MOST_ARMS = 20
"""Of more a transform takes too long."""
_LEAST_LENGTH, _PER_PERSON = 2**12, 4
"""T has about so many values, at least, and so many for each person."""
_LEAST_TAIL = 1e-6
_ROUNDING = 1e-9
"""More than that of a tail, measured against exact binomial ones at `MOST_PEOPLE`."""
_TIED = 1e-12
"""More than the rounding of a column's sums."""
_CLOSE = 1e-9
_TURN = 2 * np.pi


def exact_interval(arms: Arms, label: str, *, tail: float) -> tuple[float, float]:
    """Return the ends of a label's share in the population, each wrong with probability `tail` at most.

    It holds for every n and all shares, of counts that are whole numbers. Where no share is possible one end lies
    beyond 0 or 1. Raises `DomainError` as `Arms.weights`, for more than `MOST_PEOPLE` people or `MOST_ARMS` arms, for
    a tail below 1e-6, and where the reports depend on other unknown shares, but for one of two samples.
    """
    n = float(arms.n_each.sum())
    if n > MOST_PEOPLE or len(arms.counts) > MOST_ARMS:
        raise DomainError(
            f"n ({n:,.0f}, in {len(arms.counts):,} samples) must be at most {MOST_PEOPLE:,}, in at most {MOST_ARMS} "
            "samples, for exact tails of a sum of reports. Use chernoff, which is as safe, for more."
        )
    if tail < _LEAST_TAIL:
        raise DomainError(f"each tail ({tail:.3g}) must be at least {_LEAST_TAIL:g} for exact tails. Use chernoff.")
    weights, is_label = arms.weights(label), arms.is_of(label)
    if (samples := TwoSamples.of(arms, label)) is not None:
        low, high = samples.ends(tail)
        if low > min(high, 1) or high < 0:
            return low, high
        estimate = float(np.clip((weights * arms.counts).sum(), 0, 1))  # where little else fits, that is no precision
        return min(low, estimate), max(high, estimate)
    below = _Sum.of(arms, weights, is_label, label)
    above = _Sum.of(arms, 1 / n - weights, ~is_label, label)
    return below.least(tail), 1 - above.least(tail)


@dataclass(frozen=True, slots=True, eq=False)
class _Sum:
    """T and its count. `label`, `other`: P(r | the label's largest column), shape (n_arms, n_reports), and of others.

    `numbers`: k_jr; `total`: the T that came.
    """

    label: Floats
    other: Floats
    numbers: NDArray[np.int64]
    n_each: Floats
    total: int

    @classmethod
    def of(cls, arms: Arms, weights: Floats, is_label: np.ndarray, name: str) -> "_Sum":
        is_possible = arms.matrix.any(axis=2)
        steps = weights - np.where(is_possible, weights, np.inf).min(axis=1, keepdims=True)
        steps = np.where(is_possible, steps, 0)
        length = _LEAST_LENGTH + _PER_PERSON * arms.n_each.sum()
        unit = float(arms.n_each @ steps.max(axis=1)) / length
        numbers = np.rint(steps / unit).astype(np.int64)
        numbers //= max(1, int(np.gcd.reduce(numbers, axis=None)))
        own, other = (_largest(arms.matrix[..., part], numbers, name) for part in (is_label, ~is_label))
        if not _is_above(_tails(own, numbers), _tails(other, numbers)):
            raise _unclear(name)
        return cls(own, other, numbers, arms.n_each, round(float((numbers * arms.counts).sum())))

    def least(self, tail: float) -> float:
        """Return the largest share of which it is shown that it, and all smaller ones, are refuted; 0 where none is."""
        most = int(self.n_each @ self.numbers.max(axis=1))
        if self.total <= 0:
            return 0.0
        length = scipy.fft.next_fast_len(most + 1, real=True)
        turns = [
            np.exp(-1j * _TURN / length * (np.outer(np.arange(length // 2 + 1), np.unique(numbers)) % length))
            for numbers in self.numbers
        ]
        each = [
            tuple(np.array([row[numbers == at].sum() for at in np.unique(numbers)]) for row in (label, other))
            for numbers, label, other in zip(self.numbers, self.label, self.other, strict=True)
        ]

        def at_least(share: float) -> float:
            product = np.ones(length // 2 + 1, complex)
            for turn, (label, other), n in zip(turns, each, self.n_each, strict=True):
                product *= (turn @ (share * label + (1 - share) * other)) ** n
            chances = scipy.fft.irfft(product, length)
            upper = chances[self.total : most + 1].sum()
            return float(upper) + _ROUNDING - tail

        if at_least(0.0) > 0:
            return 0.0
        if at_least(1.0) <= 0:
            return math.nextafter(1.0, 2.0)
        from scipy.optimize import brentq  # it takes a fifth of a second to load

        return max(0.0, float(brentq(at_least, 0.0, 1.0, xtol=_CLOSE)) - 2 * _CLOSE)


def _tails(probs: Floats, numbers: NDArray[np.int64]) -> Floats:
    """Return P(k or more) at each report's k, by arm; shape (n_arms, n_reports)."""
    is_as_large = numbers[:, None, :] >= numbers[:, :, None]
    return np.asarray(np.einsum("jrs,js->jr", is_as_large, probs))


def _is_above(first: Floats, second: Floats) -> bool:
    """Whether one column's k are stochastically at least another's, in every arm."""
    return bool((first >= second - _TIED).all())


def _largest(columns: Floats, numbers: NDArray[np.int64], name: str) -> Floats:
    """Return the column that gives the largest k, in all arms; shape (n_arms, n_reports). Raises `DomainError`."""
    tails = [_tails(column, numbers) for column in np.moveaxis(columns, 2, 0)]
    for column, own in zip(np.moveaxis(columns, 2, 0), tails, strict=True):
        if all(_is_above(own, other) for other in tails):
            return np.asarray(column)
    raise _unclear(name)


def _unclear(name: str) -> DomainError:
    return DomainError(
        f"the share of {name} has no exact tails with these designs: their reports depend on other unknown shares "
        "too, or their weights are not in order. Use chernoff, which is as safe."
    )
