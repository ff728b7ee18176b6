"""Intervals of the mean score of a one-of question, from the noise that is known: Chernoff bounds of whole reports.

Options have scores s; a report supports a set of options. With weights a of options it is worth Z = sum of a over what
it supports, less its mean if no option were any more likely than the others. M_w(h) = E e^(h Z) of a person who
answered w is known exactly. People whose mean score is at most m have shares pi with sum of pi c <= 0, c = s - m. So
the sum T of n reports is t or more with a probability of at most

    e^(-h t) max (sum of pi M)^n    over all such pi, for any tilt h > 0    (Chernoff 1952)

about the population. About the respondents, whose answers are fixed, ln M stands for M (the product of M over people),
which is never more (Jensen). With each law tilted by e^(h Z) the bound is multiplied by E e^(-h (T - t)) for T >= t.
The tilted sum is normal up to D = 0.56 times its Lyapunov ratio (Berry & Esseen; Shevtsova 2010), which is at most the
range of Z over the sum's standard deviation V. So that factor is at most R = 1 / (h V sqrt(2 pi)) + 2 D. The maximum of
a linear function of shares under one linear constraint has at most two options. All m below the end that is returned
are refuted. What no score is given to has a = c = 0, and counts for no mean. docs/scales.md has the proofs.

Notation: `weights`, `scores` have shape (k,), `tilts` (t,), logarithms of moments (t, k).
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sotto_estimator.channel.channel import Floats, Target
from sotto_estimator.intervals.wealth import TILTS, log_wealth

_TILT_STEP = 1.25
_TILTS_AROUND = 4.0
"""Tilts are tried up to so many times those that are best for normal noise, of the least and of the most spread."""
_N_HALVINGS = 40
_N_GRID = 200
"""Where options are left out, so many means are tested: all below the end must be refuted, one by one."""
_SMALL = 1e-3
_STEP, _LESS = 0.01, 0.999
_BERRY_ESSEEN = 0.56
"""Shevtsova's constant (2010), of independent sums whose parts are not alike."""
_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, slots=True)
class SetChannel:
    """What a report supports: the answer with `true`, another option with `other`.

    `n_drawn`: it is a set of so many options, uniform among those with the answer and those without; 0: each option has
    a coin of its own; None: nothing else is known of it.
    """

    true: float
    other: float
    n_drawn: int | None

    @property
    def contrast(self) -> float:
        """How much likelier an option is supported by the people who answered it."""
        return self.true - self.other

    def log_moments(self, weights: Floats, tilts: Floats) -> Floats:
        """Return ln E e^(h Z), or a bound, by tilt and answer."""
        grown = tilts[:, None] * weights
        if self.n_drawn is None:  # Hoeffding 1963, lemma 1
            return np.asarray(grown * self.contrast + (tilts[:, None] * np.abs(weights).sum()) ** 2 / 8)
        if self.n_drawn == 0:
            if_other = np.log1p(self.other * np.expm1(grown))
            found = if_other.sum(axis=1, keepdims=True) + np.log1p(self.true * np.expm1(grown)) - if_other
        else:
            found = self._of_sets(grown, self.n_drawn)
        rounding = 64 * _EPS * (1 + np.abs(grown).sum(axis=1, keepdims=True))
        return np.asarray(found - self.other * grown.sum(axis=1, keepdims=True) + rounding)

    def _of_sets(self, grown: Floats, size: int) -> Floats:
        """Return ln E e^(h sum of a over the set), by symmetric polynomials of all options but the answer."""
        k, top = grown.shape[1], grown.max(axis=1, keepdims=True)
        each = np.exp(grown - top)  # in (0, 1]
        sums = np.zeros((*grown.shape, size + 1))
        sums[:, :, 0] = 1.0
        for option in range(k):
            others = np.arange(k) != option
            sums[:, others, 1:] += each[:, option, None, None] * sums[:, others, :-1]
        n_sets = _binomials(k - 1, size)
        with_answer = each * sums[:, :, size - 1] / n_sets[size - 1]
        without = sums[:, :, size] / n_sets[size]
        logs: Floats = np.log(self.true * with_answer + (1 - self.true) * without) + size * top
        return logs

    def ends(self, weights: Floats) -> tuple[float, float]:
        """Return the least and the most that one report can be worth."""
        ascending = np.sort(weights)
        if self.n_drawn:
            ends = float(ascending[: self.n_drawn].sum()), float(ascending[-self.n_drawn :].sum())
        else:
            ends = float(ascending.clip(max=0).sum()), float(ascending.clip(min=0).sum())
        shift = self.other * float(weights.sum())
        return ends[0] - shift, ends[1] - shift


def _binomials(n: int, most: int) -> Floats:
    """Return how many sets of 0, 1, .., `most` there are of n."""
    j = np.arange(1, most + 1)
    return np.concatenate([[1.0], np.cumprod((n + 1 - j) / j)])


@dataclass(frozen=True, slots=True)
class ScoredReports:
    """n reports of people with one answer each. `scores`: NaN for an option that is left out.

    `n_waves`: how many of the reports can be of one device: then they are worth n / n_waves (Hoelder's inequality).
    """

    channel: SetChannel
    scores: Floats
    support_counts: Floats
    n: int
    target: Target
    n_waves: int = 1

    @property
    def ends(self) -> tuple[float, float]:
        """The least score and the greatest."""
        return float(np.nanmin(self.scores)), float(np.nanmax(self.scores))

    @property
    def is_once(self) -> bool:
        """Whether each report is known to be of a device of its own."""
        return self.n_waves == 1

    @property
    def leaves_out(self) -> bool:
        """Whether an option has no score."""
        return bool(np.isnan(self.scores).any())

    def around(self, mean: float) -> Floats:
        """Return how far each score is from a mean, 0 of what is left out; shape (k,)."""
        return np.nan_to_num(self.scores - mean)

    def total(self, weights: Floats) -> float:
        """Return the sum of Z over the reports."""
        return float(weights @ (self.support_counts - self.n * self.channel.other))


def mean_bounds(reports: ScoredReports, tail: float, *, is_anytime: bool = False) -> tuple[float, float]:
    """Return the ends of the mean score, each missed with at most `tail`; they cross where no mean fits.

    `is_anytime`: at every n at once (Robbins 1970), by tilts that were fixed before, mixed.
    """
    test = _test_at_all_n if is_anytime else _test
    low, high = reports.ends
    if reports.leaves_out:
        grid = np.linspace(low, high, _N_GRID + 1)
        return _first(grid, reports, tail, test, 1), _first(grid[::-1], reports, tail, test, -1)
    return _bisected(low, high, reports, tail, test, 1), _bisected(high, low, reports, tail, test, -1)


_Refutes = Callable[[Floats], bool]
"""Whether reports refute that sum of pi c <= 0, of c."""
_Test = Callable[[ScoredReports, Floats, float], _Refutes]
"""From reports, weights a and a tail."""


def _bisected(outside: float, inside: float, reports: ScoredReports, tail: float, test: _Test, sign: int) -> float:
    """Return the last mean that is refuted, from the scale's one end to the other; that end where none is.

    The weights are the same for all means, so all means before a refuted one are refuted too.
    """
    refutes = test(reports, sign * reports.around((outside + inside) / 2), tail)
    if not refutes(sign * reports.around(outside)):
        return outside
    if refutes(sign * reports.around(inside)):
        return inside + sign  # beyond the scale: no mean fits
    for _ in range(_N_HALVINGS):
        middle = (outside + inside) / 2
        is_refuted = refutes(sign * reports.around(middle))
        outside, inside = (middle, inside) if is_refuted else (outside, middle)
    return outside


def _first(grid: Floats, reports: ScoredReports, tail: float, test: _Test, sign: int) -> float:
    """Return the last mean of a grid before the first that is not refuted; the first mean where none is.

    Weights follow the mean, so refuted means need not be next to one another. If an end is beyond the true mean, the
    next of the grid behind the true mean was refuted, although it is true that people's mean is no more than it.
    """
    last = float(grid[0])
    for mean in grid.tolist():
        away = sign * reports.around(mean)
        if not test(reports, away, tail)(away):
            return last
        last = mean
    return last + sign


def _test(reports: ScoredReports, weights: Floats, tail: float) -> _Refutes:
    n, channel = reports.n / reports.n_waves, reports.channel
    total, needed = reports.total(weights) / reports.n_waves, -np.log(tail)
    tilts = _tilts(channel, weights, needed / n)
    logs = channel.log_moments(weights, tilts)
    share = needed + 1e-9 * (1 + needed) + (_log_factor(channel, weights, tilts, logs, n) if reports.is_once else 0.0)

    def refutes(constraint: Floats) -> bool:
        most = n * _most(logs, constraint, reports.target)
        return bool((tilts * total - most - share).max() >= 0)

    return refutes


def _test_at_all_n(reports: ScoredReports, weights: Floats, tail: float) -> _Refutes:
    """The wealth of a sum in units of its range, for which the mixture was made."""
    low, high = reports.channel.ends(weights)
    n, total = reports.n / reports.n_waves, reports.total(weights) / reports.n_waves / (high - low)
    logs = reports.channel.log_moments(weights, TILTS / (high - low))

    def refutes(constraint: Floats) -> bool:
        most = n * _most(logs, constraint, reports.target)
        return bool(log_wealth(np.array([total]), most[None], TILTS)[0] >= -np.log(tail))

    return refutes


def _tilts(channel: SetChannel, weights: Floats, share: float) -> Floats:
    """Return tilts about the best of normal noise, of the least and of the most spread that a report can have."""
    scale = float(np.abs(weights).max())
    step = np.array([_SMALL / scale])
    noise = ((channel.log_moments(weights, step) + channel.log_moments(weights, -step)) / step[:, None] ** 2)[0]
    most = float(noise.max()) + (channel.contrast * float(np.ptp(weights))) ** 2 / 4
    low = np.sqrt(2 * share / most) / _TILTS_AROUND
    high = np.sqrt(2 * share / max(float(noise.min()), 1e-6 * most)) * _TILTS_AROUND
    n_tilts = int(np.ceil(np.log(high / low) / np.log(_TILT_STEP))) + 1
    return np.asarray(low * _TILT_STEP ** np.arange(n_tilts))


def _log_factor(channel: SetChannel, weights: Floats, tilts: Floats, logs: Floats, n: float) -> Floats:
    """Return ln R, at most 0, by tilt, whatever n people answer: each tilted variance is at least the least answer's.

    These are second derivatives of the logarithms, by differences. They are taken to be less by more than those err.
    """
    if channel.n_drawn is None:  # the moments are bounds, of no law
        return np.zeros(len(tilts))
    low, high = channel.ends(weights)
    step = _STEP / (high - low)
    around = [channel.log_moments(weights, tilts + shift) for shift in (-step, step)]
    variance = _LESS * (around[0] + around[1] - 2 * logs).min(axis=1) / step**2
    deviation = np.sqrt(n * np.maximum(variance, 1e-300))
    factor = 1 / (np.sqrt(2 * np.pi) * tilts * deviation) + 2 * _BERRY_ESSEEN * (high - low) / deviation
    return np.asarray(np.minimum(np.log(factor), 0))


def _most(logs: Floats, constraint: Floats, target: Target) -> Floats:
    """Return the logarithm of the largest mean moment of any shares pi with sum of pi c <= 0, by tilt.

    About the respondents the largest mean of the logarithms.
    """
    inside, outside = constraint <= 0, constraint > 0
    best: Floats = logs[:, inside].max(axis=1)
    inside = constraint < 0
    if not (inside.any() and outside.any()):
        return best
    before, behind = constraint[inside][:, None], constraint[outside][None]
    part = -before / (behind - before)  # of those behind, where the constraint holds exactly
    first, last = logs[:, inside][:, :, None], logs[:, outside][:, None]
    if target == "respondents":
        mixed = (1 - part) * first + part * last
    else:
        mixed = np.logaddexp(np.log1p(-part) + first, np.log(part) + last)
    return np.asarray(np.maximum(best, mixed.max(axis=(1, 2))))
