"""Chernoff's bound of the reports of pooled waves, for the worst that devices of two stages can have sent.

Notation: t, u are P(a device's permanent response supports the value), if it is true and if not; o, z are P(a report
does), by whether that response does. A, B = 1 - o + o e^h, 1 - z + z e^h. Of m reports of one answer the generating
function is M1(m) = t A^m + (1-t) B^m if it is true, else M0(m) = u A^m + (1-u) B^m. A channel of one stage has o = 1
and z = 0, and then the reports of one device may depend on each other in any way. Proofs are in docs/maths-waves.md.
"""

from dataclasses import dataclass, replace

import numpy as np

from sotto_estimator.channel.channel import Channel, Floats, Target
from sotto_estimator.channel.devices import Devices
from sotto_estimator.intervals.binomial import hoeffding_shares
from sotto_estimator.intervals.chernoff_tilt import best_tilt, log_mixture
from sotto_estimator.intervals.circle import Circle

_EPS = float(np.finfo(np.float64).eps)
_TINY = float(np.finfo(np.float64).tiny)

_N_SOLVED = 64
"""So many counts' tilts are looked for; those of more lie between."""

_NEARER = (0.76, 0.84, 0.92, 1.0)
"""On circles the best tilt is such a part of Chernoff's: what it refutes is nearer to the count."""

_BLOCK = 2**17
"""So many numbers are worked on at once: it bounds memory."""


def chernoff_of_devices(
    s: Floats, devices: Devices, channel: Channel, target: Target, tail: float
) -> tuple[Floats, Floats]:
    """Return the ends of the reported share, of the shares that Chernoff's bound of a count s refutes; shape of s.

    Of the population the share is the mean of the reports' probabilities to be of people who have the value, of the
    respondents the part of the reports that are. The upper end is the mirror image.
    """
    side = _End.of(devices, channel, target, -float(np.log(tail)))
    least = side.least_share(s.ravel())
    most = 1 - side.mirrored().least_share(side.n - s.ravel()) + 4 * _EPS
    offset, contrast = channel.prob_support_if_other, channel.contrast
    low, high = np.where(most < 0, most, least), np.where(least > 1, least, most)  # every share may be refuted
    return (offset + low * contrast).reshape(s.shape), (offset + high * contrast).reshape(s.shape)


def hoeffding_of_devices(
    s: Floats, devices: Devices, channel: Channel, target: Target, tail: float
) -> tuple[Floats, Floats]:
    """Return the ends of the reported share as if there were n / `devices.effect` reports: any channel, any target."""
    return hoeffding_shares(s / devices.effect, np.full_like(s, devices.n_reports / devices.effect), tail)


@dataclass(frozen=True)
class _End:
    """What one end is worked out of. `number[i]` devices sent `each[i]` of the n reports; t, u, o, z: `stages`."""

    each: Floats
    number: Floats
    n: float
    stages: tuple[float, float, float, float]
    target: Target
    budget: float

    @classmethod
    def of(cls, devices: Devices, channel: Channel, target: Target, budget: float) -> "_End":
        each, number = np.array(devices.n_each, np.float64), np.array(devices.n_devices, np.float64)
        kept = channel.permanent
        stages = (kept.prob_support_if_true, kept.prob_support_if_other, channel.report_if_one, channel.report_if_zero)
        return cls(each, number, float(each @ number), stages, target, budget)

    def mirrored(self) -> "_End":
        """Return that of the reports that do not support the value, of who does not have it."""
        t, u, o, z = self.stages
        return replace(self, stages=(1 - u, 1 - t, 1 - z, 1 - o))

    def least_share(self, s: Floats) -> Floats:
        """Return the largest share that each count refutes, and with it all smaller ones; above 1 where it does all."""
        count, rows = s[:, None], max(1, _BLOCK // self.each.size)
        tilts = self._tilts(count)
        blocks = [slice(start, start + rows) for start in range(0, len(count), rows)]
        found = np.clip(np.concatenate([self._refuted(count[of], tilts[of]) for of in blocks]), 0, 2)
        if self.has_second_stage:
            circle = Circle(self.each, self.number, self.stages, self.target, self.budget)
            for nearer in _NEARER:
                found = circle.refuted(count, nearer * tilts, found, self._estimate(count))
        return np.where(s > 0, found[:, 0], 0.0)

    @property
    def has_second_stage(self) -> bool:
        """Whether reports have noise of their own. Without, those of one device may depend in any way."""
        return self.stages[2:] != (1, 0)

    def _estimate(self, s: Floats) -> Floats:
        """Return the unbiased share moved into [0, 2]: no interval ends beyond it."""
        t, u, o, z = self.stages
        true, other = t * o + (1 - t) * z, u * o + (1 - u) * z
        return np.clip((s / self.n - other) / (true - other), 0, 2)

    def _tilts(self, s: Floats) -> Floats:
        """Return about the best tilt of each count, shape (counts, 1); of many counts from a few: it is smooth."""
        if len(s) > _N_SOLVED:
            odds = np.log((s + 0.5) / (self.n - s + 0.5))[:, 0]
            at = np.linspace(odds.min(), odds.max(), _N_SOLVED)
            some = self._tilts(((self.n + 1) / (1 + np.exp(-at)) - 0.5)[:, None])
            return np.asarray(np.exp(np.interp(odds, at, np.log(some[:, 0])))[:, None])
        least = self.budget / np.clip(s, 1, self.n)  # 1 at least: a count of 0 refutes nothing
        return best_tilt(lambda h: self._refuted(s, h), least)

    def _refuted(self, s: Floats, h: Floats) -> Floats:
        """Return the share that a tilt h refutes, below 0 where it refutes none; s, h of shape (counts, 1)."""
        t, u, o, z = self.stages
        of_one, of_zero = log_mixture(o, h), log_mixture(z, h)
        more = self.each * (of_one - of_zero)
        if_true, if_other = log_mixture(t, more), log_mixture(u, more)
        tilt = np.maximum(if_true - if_other, _TINY)
        base = (self.number * (self.each * of_zero + if_other)).sum(-1, keepdims=True)
        rounding = 32 * _EPS * (1 + tilt.max(-1, keepdims=True)) * (h * s + base + 2 * self.budget)
        spare = h * s - self.budget - base - rounding
        worst = self._worst_people if self.target == "respondents" else self._worst_mean
        share = worst(tilt, np.maximum(spare, 0))
        return np.asarray(np.where(spare > 0, share, spare))

    def _worst_people(self, tilt: Floats, spare: Floats) -> Floats:
        """Return the least part of true reports with which the exponents are `spare`: of who adds most for each."""
        rate = tilt / self.each
        order = np.argsort(-rate, -1)
        rate = np.take_along_axis(rate, order, -1)
        counts = (self.number * self.each)[order]
        gained = np.cumsum(counts * rate, -1) - counts * rate
        at = (gained <= spare).sum(-1, keepdims=True) - 1
        before = np.take_along_axis(np.cumsum(counts, -1) - counts, at, -1)
        more = (spare - np.take_along_axis(gained, at, -1)) / np.take_along_axis(rate, at, -1)
        return np.asarray((before + more) * ((1 - 8 * _EPS) / self.n))

    def _worst_mean(self, tilt: Floats, spare: Floats) -> Floats:
        """Return the largest mean of shares x_d with which, at most, the sum of ln(1 - x_d + x_d e^tilt) is `spare`.

        By the dual: for every v that sum is at most sum of N_k f_k + e^v n f, f_k = max over x in [0, 1] of
        ln(1 - x + x e^tilt_k) - e^v k x. The best v solves sum of N_k clip(e_k - v, 0, tilt_k) = spare, with
        e_k = ln((e^tilt_k - 1) / k).
        """
        price, step = self._price(tilt, spare)
        rest = np.where(step <= -tilt, tilt - self.each * np.exp(np.minimum(price, 0)), np.expm1(step) - step)
        rounding = 16 * _EPS * (1 + np.abs(price) + tilt.max(-1, keepdims=True)) * spare
        mean: Floats = (spare - rounding - (self.number * rest).sum(-1, keepdims=True)) * np.exp(-price) / self.n
        return mean

    def _price(self, tilt: Floats, wanted: Floats) -> tuple[Floats, Floats]:
        """Return v with sum of N_k clip(e_k - v, 0, tilt_k) = wanted, and v - e_k brought into [-tilt_k, 0].

        The sum is linear between the 2 K points where a term begins or ends to grow: it is added up from one to the
        next.
        """
        begin = tilt + np.log(-np.expm1(-tilt)) - np.log(self.each)
        ends = np.concatenate([begin, begin - tilt], -1)
        order = np.argsort(-ends, -1)
        ends = np.take_along_axis(ends, order, -1)
        slope = np.cumsum(np.concatenate([self.number, -self.number])[order], -1)[..., :-1]
        grown = np.cumsum(slope * -np.diff(ends, axis=-1), -1)
        before = np.concatenate([np.zeros_like(wanted), grown[..., :-1]], -1)
        at = np.maximum((before <= wanted).sum(-1, keepdims=True) - 1, 0)
        start, missing = np.take_along_axis(ends, at, -1), wanted - np.take_along_axis(before, at, -1)
        price = start - missing / np.maximum(np.take_along_axis(slope, at, -1), 1e-9)
        return price, np.clip(price - begin, -tilt, 0)
