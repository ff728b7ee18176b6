"""Intervals about the n people who answered: only their devices' noise is random.

Notation: K of the n have the value, K unknown and fixed; S of the n reports support it:
S = Binomial(K, prob_support_if_true) + Binomial(n - K, prob_support_if_other). S grows with K
stochastically, so its tails are monotone in K, and bisection over the integers inverts them.
Only "the fewest K that the count s allows" is worked out; the most is the mirror image, which
counts the reports that do not support the value.
"""

import math
from collections.abc import Callable
from typing import NamedTuple, Self

import numpy as np
import scipy
from numpy.typing import NDArray

from sotto_estimator.channel.channel import Channel, Floats
from sotto_estimator.channel.devices import Devices

Flags = NDArray[np.bool_]
Indices = NDArray[np.intp]

_EPS = float(np.finfo(np.float64).eps)

_MAX_TILT = 50.0
"""A tilt of the bound: at 50 a step of one report is already e^-50, below any tail in use."""

_NEGLIGIBLE = 36.0
"""e^-36 of a tail: what a Cauchy integral may leave out or count twice. Added, never dropped."""

_N_TILTS = 32
"""So many are tried where reports are of devices that sent several."""

_LOG_TINY = -600.0
"""Logarithm of a tail below which its Chernoff bound will do."""

_BLOCK = 4096
"""How many tails are integrated at once: it bounds memory, at some 100 points each."""


class Noise(NamedTuple):
    """A channel with its complements, so that a mirrored one loses no digits."""

    true: float
    not_true: float
    other: float
    not_other: float

    @classmethod
    def of(cls, channel: Channel) -> Self:
        true, other = channel.prob_support_if_true, channel.prob_support_if_other
        return cls(true, 1 - true, other, 1 - other)

    def mirrored(self) -> Self:
        return type(self)(self.not_other, self.other, self.not_true, self.true)


Fewest = Callable[[Floats, Floats, Noise, float], Floats]


def exact_counts(s: Floats, n: Floats, channel: Channel, tail: float) -> tuple[Floats, Floats]:
    """Return the fewest and most K of which neither tail is below `tail` (Clopper & Pearson 1934).

    Exact, to 1e-8 of a tail and outward, for every n: see `_tail_bound`.
    """
    return both_ends(fewest_exact, s, n, channel, tail)


def chernoff_counts(s: Floats, n: Floats, channel: Channel, tail: float) -> tuple[Floats, Floats]:
    """Return the fewest and most K of which neither tail's Chernoff bound is below `tail`.

    The bound is inf over theta > 0 of e^(-theta s) E[e^(theta S)] (Chernoff 1952).
    """
    return both_ends(_fewest_by_chernoff, s, n, channel, tail)


def score_counts(s: Floats, n: Floats, channel: Channel, tail: float) -> tuple[Floats, Floats]:
    """Return the real K with |s - E S| <= z sd(S), a quadratic in K: Wilson's (1927) idea.

    An approximation. Where no K qualifies, both ends are the debiased count.
    """
    contrast, slope = channel.contrast, channel.variance_if_true - channel.variance_if_other
    z_squared = scipy.special.ndtri(tail) ** 2 / (n * contrast**2)
    share = (s / n - channel.prob_support_if_other) / contrast
    discriminant = z_squared * (channel.variance_if_other + share * slope + z_squared * slope**2 / 4)
    centre = np.where(discriminant >= 0, share + z_squared * slope / 2, share)
    half_width = np.sqrt(np.maximum(discriminant, 0))
    return n * (centre - half_width), n * (centre + half_width)


def tail_above(s: Floats, n_true: int, n: int, channel: Channel, devices: Devices | None = None) -> Floats:
    """Return P(S >= s) where n_true of n have the value, or slightly more; shape of s, which is one-dimensional.

    Exact, to 1e-8 of it and outward. Where `devices` can have sent several of the reports, each of which then has as
    many of the n and n_true as the others, it is Chernoff's bound for them (docs/maths-waves.md).
    """
    return _tail_of(s, float(n_true), float(n), Noise.of(channel), devices)


def tail_below(s: Floats, n_true: int, n: int, channel: Channel, devices: Devices | None = None) -> Floats:
    """Return P(S <= s), as `tail_above` P(S >= s)."""
    return _tail_of(n - s, float(n - n_true), float(n), Noise.of(channel).mirrored(), devices)


def _tail_of(s: Floats, n_true: float, n: float, noise: Noise, devices: Devices | None) -> Floats:
    k, size = np.full_like(s, n_true), np.full_like(s, n)
    if devices is None or devices.n_waves == 1:
        return upper_tail(s, k, size, noise)
    return np.asarray(np.exp(_log_chernoff_of_devices(_saddle(s, k, size, noise), s, k, size, noise, devices)))


def upper_tail(s: Floats, k: Floats, n: Floats, noise: Noise) -> Floats:
    """Return P(S >= s) or slightly more, as `tail_above`; one-dimensional arrays of one shape."""
    log_bound = np.minimum(log_chernoff_tail(s, k, n, noise), 0)
    tail: Floats = np.exp(log_bound)
    far = np.flatnonzero((log_bound < 0) & (log_bound > _LOG_TINY))
    for start in range(0, far.size, _BLOCK):
        at = far[start : start + _BLOCK]
        tail[at] = np.minimum(tail[at], _tail_bound(s[at], k[at], n[at], noise, log_bound[at]))
    return tail


def log_chernoff_tail(s: Floats, k: Floats, n: Floats, noise: Noise) -> Floats:
    """Return the logarithm of Chernoff's bound of P(S >= s), at most 0 but for rounding."""
    return _log_chernoff(_saddle(s, k, n, noise), s, k, n, noise)


def _log_chernoff_of_devices(saddle: Floats, s: Floats, k: Floats, n: Floats, noise: Noise, devices: Devices) -> Floats:
    """Return ln of Chernoff's bound where reports are of these devices, each one's all equal, which is the worst.

    A device of j reports has the generating function of one report at j times the tilt. The best tilt lies between the
    reports' saddle point and that divided by the most reports of a device; any gives a bound.
    """
    n_reports, best = devices.n_reports, np.zeros_like(s)
    for part in np.geomspace(1 / devices.n_waves, 1, _N_TILTS):
        kinds = zip(devices.n_each, devices.n_devices, strict=True)
        logs = [of / n_reports * _log_chernoff(part * j * saddle, s, k, n, noise) for j, of in kinds]
        best = np.minimum(best, sum(logs))
    return best


def both_ends(fewest: Fewest, s: Floats, n: Floats, channel: Channel, tail: float) -> tuple[Floats, Floats]:
    """Return the fewest K of each count, n + 1 where none is allowed, and the most by its mirror image; shape of s."""
    noise = Noise.of(channel)
    flat_s, flat_n = s.ravel(), n.ravel()
    low = fewest(flat_s, flat_n, noise, tail)
    high = flat_n - fewest(flat_n - flat_s, flat_n, noise.mirrored(), tail)
    return uncrossed(low.reshape(s.shape), high.reshape(s.shape))


def uncrossed(low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Return ends that do not cross. Where no K is likely enough, both are beyond 0, or beyond n."""
    high = np.where(high < 0, high, np.maximum(low, high))
    return np.minimum(low, high), high


def _fewest_by_chernoff(s: Floats, n: Floats, noise: Noise, tail: float) -> Floats:
    def is_refuted(at: Indices, k: Floats) -> Flags:
        return log_chernoff_tail(s[at], k, n[at], noise) <= math.log(tail)

    return bisect(np.full_like(n, -1), n + 1, is_refuted)


def fewest_exact(s: Floats, n: Floats, noise: Noise, tail: float) -> Floats:
    """Bisect between Chernoff's K, of which all below are refuted, and the K that expects s."""
    least = _fewest_by_chernoff(s, n, noise, tail)

    def is_refuted(at: Indices, k: Floats) -> Flags:
        return _tail_bound(s[at], k, n[at], noise, math.log(tail)) <= tail

    return bisect(least - 1, np.clip(people_expecting(s, n, noise), least, n + 1), is_refuted)


def people_expecting(s: Floats, n: Floats, noise: Noise) -> Floats:
    """Return the least K of whom s or more reports are expected; it may lie outside [0, n]."""
    return np.asarray(np.ceil((s - n * noise.other) / (noise.true - noise.other)))


def bisect(refuted: Floats, allowed: Floats, is_refuted: Callable[[Indices, Floats], Flags]) -> Floats:
    """Return the least K that isn't refuted, in (refuted, allowed]; `allowed` isn't tried."""
    refuted, allowed = refuted.copy(), allowed.copy()
    while (open_ := np.flatnonzero(allowed - refuted > 1)).size:
        for start in range(0, open_.size, _BLOCK):
            block = open_[start : start + _BLOCK]
            k = np.floor((refuted[block] + allowed[block]) / 2)
            fails = is_refuted(block, k)
            refuted[block] = np.where(fails, k, refuted[block])
            allowed[block] = np.where(fails, allowed[block], k)
    return allowed


def _saddle(s: Floats, k: Floats, n: Floats, noise: Noise) -> Floats:
    """Return the theta in [0, `_MAX_TILT`] that makes the Chernoff bound of P(S >= s) smallest.

    With x = e^theta the tilted mean K a x / (1-a + a x) + (n-K) b x / (1-b + b x) is s: a
    quadratic in x with one positive root. Any theta > 0 gives a valid bound, so rounding here
    costs nothing but width.
    """
    a, not_a, b, not_b = noise
    square = a * b * (n - s)
    linear = k * a * not_b + (n - k) * b * not_a - s * (not_a * b + a * not_b)
    constant = s * not_a * not_b
    root = np.sqrt(linear**2 + 4 * square * constant)
    above = np.where(linear > 0, 2 * constant, root - linear)  # whichever form cancels nothing
    below = np.where(linear > 0, root + linear, 2 * square)
    x = np.full_like(s, np.exp(_MAX_TILT))
    np.divide(above, below, out=x, where=above < x * below)
    tilt: Floats = np.log(np.maximum(x, 1))
    return tilt


def _log_chernoff(tilt: Floats, s: Floats, k: Floats, n: Floats, noise: Noise) -> Floats:
    """Return ln of e^(-tilt s) E[e^(tilt S)] >= P(S >= s), plus what rounding may have taken."""
    grown = np.expm1(tilt)
    of_true, of_other = k * np.log1p(noise.true * grown), (n - k) * np.log1p(noise.other * grown)
    of_count = tilt * s
    return of_true + of_other - of_count + 8 * _EPS * (of_true + of_other + of_count)


def _tail_bound(s: Floats, k: Floats, n: Floats, noise: Noise, log_tail: Floats | float) -> Floats:
    """Return P(S >= s) or slightly more: by at most 1e-8 of it where it is about the tail's size.

    Cauchy's integral over the circle |z| = r = e^theta > 1, by the trapezoidal rule at N points:
      P(S >= s) = 1/(2 pi i) integral of E[z^S] z^-s / (z - 1) dz
      the rule  = sum over all integers q of r^(qN) P(S >= s + qN)     (Poisson summation)
    Every further term is positive: the rule errs outward, by some e^(-theta N). At the saddle
    point all is of the tail's own size, so a tail keeps its digits however small (by FFT it
    wouldn't); and the integrand is a bump of width 1 / sd, so some 30 points do at any n. Those
    left out are at most exp(-V (1 - cos angle)) of the peak, V the tilted variance: added.
    """
    bump = _Bump.at(s, k, n, noise)
    sd = np.sqrt(bump.variance())
    n_pairs = np.ceil(np.maximum((_NEGLIGIBLE - log_tail) / bump.tilt, 8 * sd) / 2)
    n_points = 2 * n_pairs + 1  # odd: a point at angle 0, and conjugate pairs
    reach = np.arccos(np.maximum(1 - _NEGLIGIBLE / np.maximum(sd**2, 1), -1))
    n_used = np.minimum(np.ceil(reach * n_points / (2 * np.pi)), n_pairs)
    step = np.arange(1, int(n_used.max()) + 1)
    size, phase = bump.around(2 * np.pi * step / n_points[:, None])
    size = np.where(step <= n_used[:, None], size, 0)
    peak = -1 / np.expm1(-bump.tilt)
    whole = peak + 2 * np.sum(size * np.cos(phase), axis=1)
    rounding = (1e-9 + 8 * _EPS * s * reach) * (peak + 2 * np.sum(size, axis=1))
    fall = 2 * bump.variance() * np.sin(np.pi * n_used / n_points) ** 2
    left_out = np.where(n_used < n_pairs, peak * np.exp(-fall), 0)
    bound: Floats = np.exp(_log_chernoff(bump.tilt, s, k, n, noise)) * ((whole + rounding) / n_points + left_out)
    return bound


class _Bump(NamedTuple):
    """Cauchy's integrand on the circle of radius e^tilt, in units of the Chernoff bound."""

    tilt: Floats
    s: Floats
    k: Floats
    n: Floats
    true: Floats  # the channel's probabilities under the tilt, and their complements
    not_true: Floats
    other: Floats
    not_other: Floats

    @classmethod
    def at(cls, s: Floats, k: Floats, n: Floats, noise: Noise) -> Self:
        """Place the circle through the saddle point, but 3 / sd or more from the pole at 1."""
        a, not_a, b, not_b = noise
        sd = np.sqrt(k * a * not_a + (n - k) * b * not_b)
        tilt = np.maximum(_saddle(s, k, n, noise), 3 / (1 + sd))
        shrunk = np.exp(-tilt)
        all_true, all_other = a + not_a * shrunk, b + not_b * shrunk
        tilted = (a / all_true, not_a * shrunk / all_true)
        return cls(tilt, s, k, n, *tilted, b / all_other, not_b * shrunk / all_other)

    def variance(self) -> Floats:
        """Return the variance of S under the tilt."""
        return self.k * self.true * self.not_true + (self.n - self.k) * self.other * self.not_other

    def around(self, angle: Floats) -> tuple[Floats, Floats]:
        """Return modulus and argument at these angles; shape (entries, angles)."""
        sin, half = np.sin(angle), np.sin(angle / 2) ** 2
        shrunk = np.exp(-self.tilt)[:, None]
        log_size, phase = np.zeros_like(angle), -self.s[:, None] * angle
        bits = (
            (self.k, self.true, self.not_true),
            (self.n - self.k, self.other, self.not_other),
        )
        for count, yes, no in bits:  # yes e^(i angle) + no, to the power of the count
            lost = np.minimum(4 * (yes * no)[:, None] * half, 1 - _EPS)
            turn = np.arctan2(yes[:, None] * sin, 1 - 2 * yes[:, None] * half)
            log_size += count[:, None] / 2 * np.log1p(-lost)
            phase += count[:, None] * turn
        real, imaginary = -np.expm1(-self.tilt)[:, None] + 2 * shrunk * half, shrunk * sin
        phase -= np.arctan2(imaginary, real)  # divided by 1 - 1/z
        return np.exp(log_size) / np.hypot(real, imaginary), phase
