"""Intervals of the mean of a population's outputs by random weights: Clopper and Pearson's, of any outputs in [0, 1].

Give each of n outputs, and a 0, a weight: Dirichlet's (1, .., 1). Where outputs are independent and have one mean, the
`tail` quantile of the weighted mean is above it in at most `tail` of all samples (conjectured by Gaffke 2005, proven by
Vlassis & Thomas 2026, theorem 1). The weighted mean of s ones and n - s zeros is Beta(s, n - s + 1). No mixture of bets
that were fixed before refutes more (Ming et al. 2026).

The weighted mean is at most m where Q = sum of G_y (y - m) <= 0, with a gamma variable G_y for each output y: its shape
is the output's count, one more for 0. By Laplace's inversion, along any path from u - i oo to u + i oo that crosses the
real line at u in (0, 1 / m) alone,

  P(Q <= 0) = 1 / (2 pi i) * integral of E e^(-wQ) dw / w,    E e^(-wQ) = product of (1 + (y - m) w)^-shape.

Notation: counts of shape (rows, n_outputs); `outputs`, in [0, 1]: what each is worth.
"""

from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from sotto_estimator.channel.channel import Floats
from sotto_estimator.channel.devices import Devices
from sotto_estimator.intervals.binomial import Bounds

_EPS = float(np.finfo(np.float64).eps)

_STEP = 0.125
"""Of t, where the imaginary part of w is scale * sinh(t)."""
_N_TRIES = 12
"""So many paths are tried, until every other point gives the same sum; each second time the step is halved."""
_ALIKE = 1e-4
"""But for such a part: with all points the sum errs by about its square."""
_N_POINTS = 24
"""So many are added at first, and then as many again while the last still counts."""
_N_MORE = 40
"""At most so many times."""
_LEAST = 1e-13
"""Such a part of the sum no longer counts."""
_LEAST_BEND = 0.35
"""A path bends at least so much where that helps."""
_SLACK = 1e-6
"""A tail is taken to be larger by such a part. The sum was within a tenth of it wherever the tail is known."""

_N_HALVINGS = 10
_N_SECANTS = 30
_NEAR = 1e-11
_OUTWARD = (1e-10, 1e-8, 1e-5, 1e-2)
"""An end is the first that is refuted of those that lie by such a part below what was found; else it is 0."""

_BLOCK = 2**19
"""So many numbers are worked on at once: it bounds memory."""


def dirichlet_means(
    counts: Floats, outputs: Floats, deviations: tuple[float, float], tail: float, devices: Devices
) -> Bounds:
    """Return the ends of the mean output, shape (rows,), in [0, 1], each missed with at most `tail`.

    Domain: one report a device, of people who are drawn from one population.
    """
    counted = counts.any(axis=0)
    low, high = (_least_mean(counts[:, counted], worth[counted], tail) for worth in (outputs, 1 - outputs))
    return low, 1 - high


def _least_mean(counts: Floats, outputs: Floats, tail: float) -> Floats:
    """Return the largest mean that is refuted, and with it all below; 0 if no output was above 0."""
    rows = max(1, _BLOCK // (_N_POINTS * (len(outputs) + 1)))
    found = np.zeros(len(counts))
    above = np.flatnonzero(counts @ outputs > 0)
    shapes, worths = np.column_stack([counts, np.ones(len(counts))]), np.append(outputs, 0.0)
    for start in range(0, len(above), rows):
        block = above[start : start + rows]
        found[block] = _quantile(shapes[block], worths, np.log(tail))
    return found


def _quantile(shapes: Floats, worths: Floats, log_tail: float) -> Floats:
    """Return where the logarithm of the weighted mean's distribution is `log_tail`, or a hair below.

    By secants of it, and of the mean's own: it is close to a straight line.
    """
    total = shapes.sum(axis=1)
    centre = shapes @ worths / total
    spread = np.sqrt((shapes * (worths - centre[:, None]) ** 2).sum(axis=1) / total / (total + 1))
    most = np.log(np.where(shapes > 0, worths, 0).max(axis=1))
    at = np.log(centre) + NormalDist().inv_cdf(float(np.exp(log_tail))) * spread / centre
    found, slope = log_tails(shapes, worths, np.exp(at))
    for _ in range(_N_SECANTS):
        following = np.clip(at + (log_tail - found) / slope, at - 1, (at + most) / 2)
        step = following - at
        if (np.abs(step) <= _NEAR).all():
            break
        before, at = found, following
        found, flat = log_tails(shapes, worths, np.exp(at))
        risen = (found - before) / np.where(step == 0, 1, step)
        slope = np.where((np.abs(step) > _NEAR) & (risen > 0), risen, flat)
    return _refuted(shapes, worths, np.exp(at), log_tail)


def _refuted(shapes: Floats, worths: Floats, mean: Floats, log_tail: float) -> Floats:
    """Return the nearest below each mean that is refuted, of those that are looked at; else 0."""
    least, open_rows = np.zeros(len(mean)), np.arange(len(mean))
    for part in _OUTWARD:
        below = mean[open_rows] * (1 - part)
        is_refuted = log_tails(shapes[open_rows], worths, below)[0] <= log_tail
        least[open_rows[is_refuted]] = below[is_refuted]
        open_rows = open_rows[~is_refuted]
        if not open_rows.size:
            break
    return least


def log_tails(shapes: Floats, worths: Floats, mean: Floats) -> tuple[Floats, Floats]:
    """Return ln P(weighted mean <= mean), or a hair more, and about how fast it rises with ln mean; shape (rows,).

    `shapes`: Dirichlet's, shape (rows, k), of what is worth `worths`, shape (k,), in [0, 1], the last 0.
    """
    at = worths - mean[:, None]
    u = _saddle(shapes, at, mean)[:, None]
    part = at / (1 + u * at)
    log_tail, unknown = np.zeros(len(mean)), np.arange(len(mean))
    for tried in range(_N_TRIES):
        step, is_straightened = _STEP / 2 ** (tried // 2), tried % 2 == 1
        total, is_known = _integral(shapes[unknown], part[unknown], u[unknown], step, is_straightened)
        log_tail[unknown[is_known]] = np.log(total[is_known] / np.pi)
        unknown = unknown[~is_known]
        if not unknown.size:
            break
    logs = shapes * np.log1p(u * at)
    log_tail += _SLACK + 16 * _EPS * (1 + np.abs(logs).sum(axis=1)) - logs.sum(axis=1)
    log_tail[unknown] = 0
    return log_tail, mean * (shapes * u / (1 + u * at)).sum(axis=1)


def _integral(
    shapes: Floats, part: Floats, u: Floats, step: float, is_straightened: bool
) -> tuple[Floats, NDArray[np.bool_]]:
    """Return the integral over half the path, relative to E e^(-uQ), and whether half as many points say so too.

    The path is the hyperbola of steepest descent, bent a little more. Straightened, it turns to a vertical line: about
    where E e^(-wQ) is least but for the weight of 0.
    """
    scale = 1 / np.sqrt((shapes * part**2).sum(axis=1, keepdims=True) + u**-2)
    steepest = -2 / 3 * scale**3 * ((shapes * part**3).sum(axis=1, keepdims=True) + u**-3)
    bend, line = np.maximum(np.abs(steepest), _LEAST_BEND), np.where(steepest < 0, -np.inf, np.inf)
    if is_straightened:
        slope, curve = ((shapes * part**k)[:, :-1].sum(axis=1, keepdims=True) for k in (1, 2))
        line = slope / curve
    total, of_even, is_known = np.zeros(len(u)), np.zeros(len(u)), np.zeros(len(u), bool)
    for block in range(_N_MORE):
        t = step * (block * _N_POINTS + np.arange(_N_POINTS))
        bent = bend * scale * (np.cosh(t) - 1)
        slowed = 1 + bent / np.abs(line)
        x, v = np.sign(line) * bent / slowed, scale * np.sinh(t)
        right, up = x[:, :, None] * part[:, None], v[:, :, None] * part[:, None]
        size = np.einsum("rk,rvk->rv", shapes, np.log1p(2 * right + right**2 + up**2)) / 2
        angle = np.einsum("rk,rvk->rv", shapes, np.arctan2(up, 1 + right))
        across = np.sign(line) * bend * scale * np.sinh(t) / slowed**2
        turn = (across + 1j * scale * np.cosh(t)) / (u + x + 1j * v)
        with np.errstate(over="ignore", invalid="ignore"):  # far beyond what is needed, of rows that are known
            each = step * np.exp(-size - 1j * angle) * turn * np.where(t > 0, 1, 0.5)
        total = np.where(is_known, total, total + each.imag.sum(axis=1))
        of_even = np.where(is_known, of_even, of_even + 2 * each[:, ::2].imag.sum(axis=1))
        is_known |= np.abs(each[:, -1]) <= _LEAST * total
        if is_known.all():
            break
    return total, is_known & (np.abs(total - of_even) <= _ALIKE * total)


def _saddle(shapes: Floats, at: Floats, mean: Floats) -> Floats:
    """Return about where E e^(-uQ) / u is least over u in (0, 1 / mean), by bisection of ln u."""
    high = -np.log(mean)
    low = high - np.log(shapes.sum(axis=1) + 1) - 3
    for _ in range(_N_HALVINGS):
        middle = (low + high) / 2
        u = np.exp(middle)[:, None]
        falls = (shapes * at / (1 + u * at)).sum(axis=1) + 1 / u[:, 0] > 0
        low, high = np.where(falls, middle, low), np.where(falls, high, middle)
    saddle: Floats = np.exp(low)
    return saddle
