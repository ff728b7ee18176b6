"""Exact intervals of a share that two samples give together: another unknown share is bounded, not estimated.

Of two samples of two reports, such as two of an unrelated question of unknown prevalence, the reported shares l_1, l_2
say all. The share is f = c_0 + c_1 l_1 + c_2 l_2, with c_1, c_2 >= 0 where one counts the right report of each, and its
estimate T is that of the counts. P(T >= t) grows with l_1 and with l_2. So over a rectangle it is largest at the upper
corner, and f is least at the lower one.

All (l_1, l_2) with P(T >= t) <= tail - b are refuted, and so are those outside of a rectangle that misses the truth
with b at most (Berger & Boos 1994). The low end of f is the least of any pair that is left. It is searched for in
strips of l_1, each bounded by such a rectangle: nothing that is left is below the bound. docs/maths-designs.md
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import special

from sotto_estimator.channel.channel import Floats
from sotto_estimator.designs.arms import Arms
from sotto_estimator.intervals.binomial import clopper_pearson_shares

_PART = 1 / 50
"""Of a tail: what goes to the rectangle."""
_ROUNDING = 1e-9
"""More than that of a tail, up to 50,000 people."""
_SAME = 1e-9
_REACH = 6.5
"""Counts further out, in standard deviations, are all taken to be in the tail."""
_N_STRIPS, _N_ROUNDS = 32, 8
_CLOSE = 0.01
"""Of an estimate's standard error: by that, about, an end lies too far outside."""
_N_STEPS, _SHRUNK = 30, 0.02
_LEAST, _MOST = 1e-300, 1 - 1e-16


@dataclass(frozen=True, slots=True, eq=False)
class TwoSamples:
    """Two samples of `n` people, of whom `counts` gave the first report, shapes (2,).

    `corners`: the reported shares if all people are of one column, shape (n_columns, 2); `is_label`: of these columns.
    """

    corners: Floats
    is_label: NDArray[np.bool_]
    counts: Floats
    n: Floats

    @classmethod
    def of(cls, arms: Arms, label: str) -> "TwoSamples | None":
        """Return samples of two designs of two reports with another unknown share; None of any others."""
        if arms.matrix.shape[1] != 2:
            return None
        channels, which = np.unique(arms.matrix[:, 0], axis=0, return_inverse=True)
        if len(channels) != 2 or np.linalg.matrix_rank((channels.T - channels.T[0]), tol=_SAME) < 2:
            return None
        given = arms.counts[:, 0], arms.n_each
        counts, n = (np.bincount(which.ravel(), of).astype(np.float64) for of in given)
        order = np.argsort(n)  # counts of the smaller sample are added up
        return cls(channels[order].T, arms.is_of(label), counts[order], n[order])

    def ends(self, tail: float) -> tuple[float, float]:
        """Return the ends of the label's share, each wrong with probability `tail` at most.

        Where no share is possible one lies beyond 0 or 1.
        """
        others = replace(self, is_label=~self.is_label)
        return _least(self, tail), 1 - _least(others, tail)


def _least(samples: TwoSamples, tail: float) -> float:
    """Return a share of which all smaller ones are refuted; infinite where all shares are."""
    with_one = np.column_stack([np.ones(len(samples.corners)), samples.corners])
    constant, *found = np.linalg.lstsq(with_one, samples.is_label.astype(np.float64), rcond=None)[0].tolist()
    slopes = np.where(np.abs(found) < _SAME * np.abs(found).max(), 0.0, found)
    is_other = slopes < 0  # the other report speaks for the label
    counts = np.where(is_other, samples.n - samples.counts, samples.counts)
    low, high = clopper_pearson_shares(counts, samples.n, tail * _PART / 4)
    region = _Region(
        np.where(is_other, 1 - samples.corners, samples.corners),
        counts,
        samples.n,
        float(constant + slopes[is_other].sum()),
        np.abs(slopes),
        np.stack([low, high], axis=1),
        tail * (1 - _PART) - _ROUNDING,
    )
    return max(0.0, region.least())


@dataclass(frozen=True, eq=False)
class _Region:
    """The pairs (l_1, l_2) that are left. `counts`: of the reports that speak for the label, whose share has `slopes`.

    `box`: the rectangle, a row for each l; `level`: at most the P(T >= t) of what is refuted in it.
    """

    corners: Floats
    counts: Floats
    n: Floats
    constant: float
    slopes: Floats
    box: Floats
    level: float

    def least(self) -> float:
        """Return at most the least share of any pair, infinite of none: strips are divided where it may lie."""
        start, stop = max(self.box[0, 0], self.corners[:, 0].min()), min(self.box[0, 1], self.corners[:, 0].max())
        if start > stop:
            return np.inf
        edges = np.linspace(start, stop, _N_STRIPS + 1)
        low, high = edges[:-1], edges[1:]
        shares = self._of_strips(low, high)
        for _ in range(_N_ROUNDS):
            is_wide = self.slopes[0] * (high - low) > self._close
            divided = is_wide & (shares < shares.min() + self._close)
            if not divided.any():
                break
            middle = (low[divided] + high[divided]) / 2
            halves = np.append(low[divided], middle), np.append(middle, high[divided])
            low, high = (np.append(old[~divided], new) for old, new in zip((low, high), halves, strict=True))
            shares = np.append(shares[~divided], self._of_strips(*halves))
        return float(shares.min())

    @cached_property
    def _close(self) -> float:
        likely = (self.counts + 1) / (self.n + 2)
        return _CLOSE * float(np.sqrt((self.slopes**2 * likely * (1 - likely) / self.n).sum()))

    def _of_strips(self, low: Floats, high: Floats) -> Floats:
        """Return at most the least share of any pair in each strip of l_1, infinite of none; shape of low."""
        least, most = self._possible(low, high)
        probs, found = self._first.probs(high), np.full(low.shape, np.inf)
        is_left = (least <= most) & (self._tails(probs, most) > self.level)
        left = [of[is_left] for of in (low, high, least, most)]
        found[is_left] = (
            self.constant + self.slopes[0] * left[0] + self.slopes[1] * self._crossing(probs[is_left], *left)
        )
        return found

    def _possible(self, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        """Return the least and the most l_2 in each strip, in the box and the columns' hull, whose edges are chords."""
        pairs = [(one, other) for one in self.corners for other in self.corners if one[0] < other[0]]
        (x, y), (x_end, y_end) = np.array(pairs).transpose(1, 2, 0)[..., None]
        at = np.stack([np.clip(low, x, x_end), np.clip(high, x, x_end)])
        second = y + (at - x) / (x_end - x) * (y_end - y)
        is_in = (low <= x_end) & (high >= x)
        least = np.where(is_in, second, np.inf).min(axis=(0, 1)) - _SAME
        most = np.where(is_in, second, -np.inf).max(axis=(0, 1)) + _SAME
        return np.maximum(least, self.box[1, 0]), np.minimum(most, self.box[1, 1])

    def _crossing(self, probs: Floats, start: Floats, stop: Floats, least: Floats, most: Floats) -> Floats:
        """Return l_2 up to which all are refuted beside the upper l_1 of strips, or `least`; close to the largest.

        `probs`: of the first sample's counts there. Nothing is refuted at `most`. Probits of tails are nearly lines, so
        a narrow bracket is put around the crossing.
        """
        low, high, aim = least, most, special.ndtri(self.level)
        at_low, at_high = self._probits(probs, low), self._probits(probs, high)
        high = np.where(at_low > aim, low, high)
        close = (self._close + self.slopes[0] * (stop - start)) / 10
        for step in range(_N_STEPS):
            width = high - low
            if (self.slopes[1] * width <= close).all():
                break
            part = (aim - at_low) / np.maximum(at_high - at_low, _LEAST)
            at = low + width * np.clip(part + (_SHRUNK if step % 2 else -_SHRUNK), _SHRUNK, 1 - _SHRUNK)
            found = self._probits(probs, at)
            is_refuted = found <= aim
            low, at_low = np.where(is_refuted, at, low), np.where(is_refuted, found, at_low)
            high, at_high = np.where(is_refuted, high, at), np.where(is_refuted, at_high, found)
        return low

    def _probits(self, probs: Floats, second: Floats) -> Floats:
        return np.asarray(special.ndtri(self._tails(probs, second).clip(_LEAST, _MOST)))

    def _tails(self, probs: Floats, second: Floats) -> Floats:
        """Return P(T >= t), or slightly more, by the probabilities of the first sample's counts, and l_2."""
        of_counts = self._second.probs(second)
        lost = 1 - of_counts.sum(axis=1, keepdims=True)
        above = np.cumsum(of_counts[:, ::-1], axis=1)[:, ::-1]
        above = np.append(above, np.zeros_like(lost), axis=1) + np.maximum(lost, 0.0)
        tails = np.einsum("ij,ij->i", probs, above[:, self._needed])
        return np.asarray(tails + np.maximum(0.0, 1 - probs.sum(axis=1)))

    @cached_property
    def _first(self) -> "_LikelyCounts":
        return _LikelyCounts.of(self.n[0], self.box[0])

    @cached_property
    def _second(self) -> "_LikelyCounts":
        return _LikelyCounts.of(self.n[1], self.box[1])

    @cached_property
    def _needed(self) -> NDArray[np.int64]:
        """The place of the second sample's least count with which T is at least t, for each count of the first."""
        weights, counts = self.slopes / self.n, self._second.counts
        lacking = weights @ self.counts - weights[0] * self._first.counts
        if weights[1] == 0:
            return np.where(lacking <= _SAME * weights[0], 0, len(counts))
        needed = np.ceil(lacking / weights[1] - _SAME) - counts[0]
        return np.asarray(needed.clip(0, len(counts)).astype(np.int64))


@dataclass(frozen=True, slots=True, eq=False)
class _LikelyCounts:
    """The counts of n people that are likely for some reported share of a range."""

    n: float
    counts: Floats
    log_choose: Floats

    @classmethod
    def of(cls, n: float, ends: Floats) -> "_LikelyCounts":
        reach = _REACH * np.sqrt(n * ends * (1 - ends)) + 3 * _REACH
        counts = np.arange(max(0, np.floor(n * ends[0] - reach[0])), min(n, np.ceil(n * ends[1] + reach[1])) + 1)
        logs = special.gammaln(n + 1) - special.gammaln(counts + 1) - special.gammaln(n - counts + 1)
        return cls(n, counts, np.asarray(logs))

    def probs(self, reported: Floats) -> Floats:
        """Return the counts' probabilities, shape (n_reported, n_counts)."""
        share = reported.clip(_LEAST, _MOST)[:, None]
        return np.asarray(
            np.exp(self.log_choose + self.counts * np.log(share) + (self.n - self.counts) * np.log1p(-share))
        )
