"""The share of yes where every report has a channel of its own, and who has which may go together with the answer.

`sotto_estimator.designs.pooled` takes all channels to be samples of one population, as those of a study are, or the
people to be these; here each channel's people may be a population of their own, as those of a browser's version are.

Notation: n_j reports of channel j, which say yes with probability a_j if the answer is yes, and b_j if it is no; S_j of
them do. c_j = a_j - b_j. Sum of S_j / c_j, less n_j b_j / c_j, is unbiased for the number of yes, whatever their share
f_j among the reports of each channel is.
"""

import math
from dataclasses import dataclass

import numpy as np

from sotto_estimator.channel.channel import Floats

_N_TILTS = 25
_N_ZOOMS = 4
_N_HALVINGS = 50
_MOST_EXPONENT = 60.0
_MARGIN = 1e-10


@dataclass(frozen=True, slots=True, eq=False)
class PooledReports:
    """Reports by channel, all of shape (n_channels,): how many there are, how many say yes, and a and b of each."""

    n_each: Floats
    n_yes: Floats
    true: Floats
    other: Floats

    @property
    def n(self) -> float:
        """How many reports there are."""
        return float(self.n_each.sum())

    @property
    def contrast(self) -> Floats:
        """By how much more often a report says yes if the answer is yes."""
        return self.true - self.other

    @property
    def share(self) -> float:
        """The unbiased share; it may lie outside [0, 1]."""
        return float(((self.n_yes - self.n_each * self.other) / self.contrast).sum() / self.n)

    @property
    def mirrored(self) -> "PooledReports":
        """The same reports, of no."""
        return PooledReports(self.n_each, self.n_each - self.n_yes, 1 - self.other, 1 - self.true)


def pooled_share_bounds(reports: PooledReports, tail: float) -> tuple[float, float]:
    """Return both ends of an interval of the share of yes among these answers; either misses with `tail` at most.

    They may lie outside [0, 1]: then no share at all fits the reports. Where all channels are one it is Chernoff's
    interval (1952). It holds for every n, for any share of yes among the reports of each channel, and for a population
    of people as for these respondents.
    """
    return _least_share(reports, tail), 1 - _least_share(reports.mirrored, tail)


def log_tail_if_all_yes(reports: PooledReports) -> float:
    """Return Chernoff's bound of ln P(as many yes as there are, or more) where every answer is yes."""
    total = float((reports.n_yes / reports.contrast).sum())
    tilts = _tilts(reports, 1.0)
    logs = (reports.n_each * _log_moments(tilts, reports, np.ones((1, 1)))).sum(axis=1) - tilts * total
    return min(0.0, float(logs.min()) + _MARGIN * (1 + abs(float(logs.min()))))


def _least_share(reports: PooledReports, tail: float) -> float:
    """Return the largest share that Chernoff's bound refutes: P(sum as large as it is) <= tail, for all below it.

    With g = e^(h / c) - 1, for every h > 0 and mu > 0 the share f (mean of f_j) is refuted where
      sum n_j max over x in [0, 1] of (ln(1 + (b_j + c_j x) g_j) - mu x) + mu n f <= h sum S_j / c_j + ln tail:
    the left is at least ln E e^(h sum) for every way in which f can be made of the f_j (weak duality). The best mu has
    x_j = clip(1/mu - t_j), t_j = (1/g_j + b_j) / c_j; of h the best of a grid is taken. Any others would hold as well.
    """
    middle, reach = 0.0, 3.0  # of the tilt, in powers of ten about the scale that is best for many reports
    best = -math.inf
    for _ in range(_N_ZOOMS):
        exponents = np.linspace(middle - reach, middle + reach, _N_TILTS)
        found = _refuted(_tilts(reports, tail, exponents), reports, tail)
        middle, best = float(exponents[int(found.argmax())]), max(best, float(found.max()))
        reach /= _N_TILTS / 4
    return best - _MARGIN * (1 + abs(best))


def _tilts(reports: PooledReports, tail: float, exponents: Floats | None = None) -> Floats:
    """Return tilts h, shape (n_tilts,): powers of ten times what is about best for many reports."""
    sd = math.sqrt(float((reports.n_each / (4 * reports.contrast**2)).sum()))
    scale = math.sqrt(2 * max(1.0, -math.log(tail))) / sd
    powers = np.linspace(-3, 3, 40 * _N_TILTS) if exponents is None else exponents
    return np.minimum(scale * 10.0**powers, _MOST_EXPONENT * float(reports.contrast.min()))


def _log_moments(tilts: Floats, reports: PooledReports, yes: Floats) -> Floats:
    """Return ln(1 + (b + c x) g), shape (n_tilts, n_channels), where a share x of answers is yes: broadcast."""
    prob = np.clip(reports.other + reports.contrast * yes, 0, 1)
    with np.errstate(divide="ignore"):  # a certain report has a logarithm of -inf, which is right
        found: Floats = np.logaddexp(np.log1p(-prob), np.log(prob) + tilts[:, None] / reports.contrast)
    return found


def _refuted(tilts: Floats, reports: PooledReports, tail: float) -> Floats:
    """Return for every tilt the largest share that it refutes, shape (n_tilts,)."""
    n, contrast = reports.n_each, reports.contrast
    allowed = math.log(tail) + tilts * float((reports.n_yes / contrast).sum())
    corner = (1 / np.expm1(tilts[:, None] / contrast) + reports.other) / contrast
    low, high = corner.min(axis=1), corner.max(axis=1) + 1  # of 1 / mu
    for _ in range(_N_HALVINGS):
        middle = (low + high) / 2
        yes = np.clip(middle[:, None] - corner, 0, 1)
        is_refuted = (n * _log_moments(tilts, reports, yes)).sum(axis=1) <= allowed
        low, high = np.where(is_refuted, middle, low), np.where(is_refuted, high, middle)
    yes = np.clip(low[:, None] - corner, 0, 1)
    dual = (n * (_log_moments(tilts, reports, yes) - yes / low[:, None])).sum(axis=1)
    found: Floats = (allowed - dual) * low / n.sum()
    return found
