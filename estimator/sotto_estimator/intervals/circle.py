"""The tail of the reports of pooled waves, bounded on a circle: nearly as sharp as the worst devices' own tail.

Chernoff's bound takes E e^(hS) alone. For every h > 0 and N >= 1, with w_j = h + 2 pi i j / N,

  P(S >= s) <= e^(-hs) / N * sum over j = 0 .. N-1 of |E e^(w_j S)| / |1 - e^(-w_j)|

For without the moduli the sum is, over all r >= 0 with r = x - s modulo N, that of P(S = x) e^(h (x - s - r)): no term
is negative, and r = x - s gives P(S = x). It is Cauchy's integral of a tail (Daniels 1954), by a rule that errs upward.
Notation: t, u, o, z as in `repeated_waves`; A, B = 1 - o + o e^w, 1 - z + z e^w. Proofs: docs/maths-waves.md.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sotto_estimator.channel.channel import Floats, Target

_EPS = float(np.finfo(np.float64).eps)

_N_POINTS = 64
"""Pairs of points that are looked at by themselves; the others count as much as the first of them may."""

_SPARE = 6.0
"""N is so large that the rule adds e^-6 of the tail."""

_N_HALVINGS = 32
_N_ROUNDS = 2
"""The bound is linear in the share, and touches the best one at a share: first at Chernoff's, then at what it found."""

_BLOCK = 2**18
"""So many numbers are worked on at once: it bounds memory."""


class TermLines(NamedTuple):
    """ln of the terms of the sum, but for e^(-hs): `start + rise * share`, shape (counts, points)."""

    start: Floats
    rise: Floats

    def log_sum(self, share: Floats) -> Floats:
        """Return ln of the sum at a share, shape (counts, 1)."""
        logs = self.start + self.rise * share
        most = logs.max(-1, keepdims=True)
        return np.asarray(most + np.log(np.exp(logs - most).sum(-1, keepdims=True)))


@dataclass(frozen=True)
class Circle:
    """Circles of radius e^tilt. `number[i]` devices sent `each[i]` of the n reports; t, u, o, z: `stages`."""

    each: Floats
    number: Floats
    stages: tuple[float, float, float, float]
    target: Target
    budget: float

    @property
    def n(self) -> float:
        """How many reports there are."""
        return float(self.each @ self.number)

    @property
    def most(self) -> int:
        """The most reports of a device."""
        return int(self.each.max())

    def lines(self, tilt: Floats, share: Floats) -> TermLines:
        """Return lines above all that devices can add whose true reports are a share; lowest at about this one."""
        return self._lines(*self._logs(tilt), share)

    def refuted(self, s: Floats, tilt: Floats, known: Floats, hoped: Floats) -> Floats:
        """Return the largest share in [known, hoped] that a tilt refutes, as it does all down to `known`; else `known`.

        Shapes (counts, 1). The bound's logarithm is convex in the share: what is refuted at two shares is between them.
        """
        rows = max(1, _BLOCK // (self.most * (_N_POINTS + 2)))
        blocks = [slice(start, start + rows) for start in range(0, len(s), rows)]
        return np.concatenate([self._refuted(s[of], tilt[of], known[of], hoped[of]) for of in blocks])

    def _refuted(self, s: Floats, tilt: Floats, known: Floats, hoped: Floats) -> Floats:
        weight, of_true, of_other = self._logs(tilt)
        found = known
        for _ in range(_N_ROUNDS):
            lines = self._lines(weight, of_true, of_other, found)
            rounding = 64 * _EPS * (1 + self.most * tilt) * (tilt * s + np.abs(lines.start[:, :1]) + self.budget)
            room = tilt * s - self.budget - rounding
            refuted, allowed = known, np.maximum(hoped, known)
            holds = lines.log_sum(known) <= room
            for _ in range(_N_HALVINGS):
                middle = (refuted + allowed) / 2
                is_refuted = lines.log_sum(middle) <= room
                refuted, allowed = np.where(is_refuted, middle, refuted), np.where(is_refuted, allowed, middle)
            found = np.maximum(found, np.where(holds, refuted, known))
        return found

    def _logs(self, tilt: Floats) -> tuple[Floats, Floats, Floats]:
        """Return ln of the weights, shape (counts, points), and the most that a report's ln |E e^(w S)| can be.

        That is of a true report and of another, of devices of 1, 2 .. reports, shape (counts, points, most). The last
        point stands for those beyond: there |A|, |B| take the place of A, B, and fall with the angle.
        """
        t, u, one, zero = self.stages
        n_pairs = np.ceil((self.budget + _SPARE) / (2 * tilt))
        n_points = 2 * n_pairs + 1  # odd: a point at angle 0, and conjugate pairs
        step = np.arange(_N_POINTS + 2)
        n_beyond = np.maximum(n_pairs - _N_POINTS, 0)
        number = np.where(step == 0, 1, np.where(step <= n_pairs, 2.0, 0)) * np.where(step > _N_POINTS, n_beyond, 1)
        angle = 2 * np.pi * np.minimum(step, n_pairs) / n_points
        gap = np.expm1(-tilt) ** 2 + 4 * np.exp(-tilt) * np.sin(angle / 2) ** 2
        with np.errstate(divide="ignore"):  # ln 0 of a point that is not there
            weight = np.log(number / n_points) - np.log(gap) / 2
        (of_one, turn_one), (of_zero, turn_zero) = (_polar(prob, tilt, angle) for prob in (one, zero))
        turn = np.where(step > _N_POINTS, 0, turn_one - turn_zero)
        size = np.arange(1.0, self.most + 1)
        more, turned = size * (of_one - of_zero)[..., None], size * turn[..., None]
        of_true, of_other = (
            of_zero[..., None] + np.maximum.accumulate(_log_size(prob, more, turned) / size, -1) for prob in (t, u)
        )
        return weight, of_true, of_other

    def _lines(self, weight: Floats, of_true: Floats, of_other: Floats, share: Floats) -> TermLines:
        """Return lines that no crowd exceeds, as low as can be at about a share of shape (counts, 1)."""
        slopes = np.stack(self._slopes(of_true, of_other, share))
        starts = np.stack([self._total(of_true, of_other, slope) for slope in slopes])
        best = (starts + self.n * slopes * share).argmin(0)[None]
        start, slope = (np.take_along_axis(of, best, 0)[0] for of in (starts, slopes))
        return TermLines(start + weight, self.n * slope)

    def _slopes(self, of_true: Floats, of_other: Floats, share: Floats) -> list[Floats]:
        """Return what a true report may cost, shape (counts, points) each: any holds, and one of these is about best.

        About respondents of one kind of devices what it adds, about a population the derivative of what it adds.
        """
        sizes = self.each.astype(int)
        rates = [(of_true - of_other)[..., size - 1] for size in sizes]
        if len(sizes) == 1 and self.target == "respondents":
            return rates
        odds = [np.expm1(np.minimum(size * rate, 600)) for size, rate in zip(sizes, rates, strict=True)]
        mean = np.clip(share, 0, 1)
        derivatives = [odd / (size * (1 + mean * odd)) for size, odd in zip(sizes, odds, strict=True)]
        return derivatives if len(sizes) == 1 else rates + derivatives

    def _total(self, of_true: Floats, of_other: Floats, price: Floats) -> Floats:
        """Return the most that all devices add, less the price of what is true; shape of the price.

        With f(m) the most that a device of m reports adds, f(m) / m grows in m. So m f(most) / most is one convex
        function above f. The other is built up from below: its slopes never fall.
        """
        size = np.arange(1.0, self.most + 1)
        most_added = self._most_added(size, of_true, of_other, price[..., None])
        total: Floats = self.n * most_added[..., -1] / self.most
        if len(self.each) == 1:
            return total
        number: Floats = np.zeros(self.most)
        number[self.each.astype(int) - 1] = self.number
        slope = above = most_added[..., 0]
        built = number[0] * above
        for m in range(1, self.most):
            slope = np.maximum(slope, most_added[..., m] - above)
            above = above + slope
            built = built + number[m] * above
        return np.asarray(np.minimum(total, built))

    def _most_added(self, size: Floats, of_true: Floats, of_other: Floats, price: Floats) -> Floats:
        """Return f(m): the most over people of m reports, or about a population over the mean y of their answers."""
        if self.target == "respondents":
            return np.asarray(size * np.maximum(of_other, of_true - price))
        more = size * (of_true - of_other)
        odds = np.expm1(np.minimum(more, 600))
        with np.errstate(divide="ignore", invalid="ignore"):
            best = 1 / (size * price) - 1 / odds  # where ln(1 + y odds) - y size price is flat
        falls, grows = odds <= size * price, odds >= size * price * (1 + odds)
        y = np.where(falls, 0, np.where(grows, 1, np.clip(best, 0, 1)))
        return np.asarray(size * of_other + _log_size(y, more, 0.0) - size * price * y)


def _log_size(prob: Floats | float, x: Floats, turn: Floats | float) -> Floats:
    """Return ln |1 - prob + prob e^(x + i turn)|, with the digits of small ones, and however large x is."""
    is_large = x > 1
    share, y = np.where(is_large, 1 - np.asarray(prob), prob), np.where(is_large, -x, x)
    grown, half = np.expm1(y), np.sin(np.asarray(turn) / 2) ** 2
    real = grown - 2 * half * (1 + grown)
    square = grown**2 + 4 * (1 + grown) * half
    size = np.log1p(np.maximum(share * (2 * real + share * square), _EPS - 1)) / 2
    return np.asarray(np.where(is_large, x + size, size))


def _polar(prob: float, x: Floats, turn: Floats) -> tuple[Floats, Floats]:
    """Return ln of the modulus of 1 - prob + prob e^(x + i turn), and its argument."""
    shrunk = np.exp(-x)
    return _log_size(prob, x, turn), np.arctan2(prob * np.sin(turn), (1 - prob) * shrunk + prob * np.cos(turn))
