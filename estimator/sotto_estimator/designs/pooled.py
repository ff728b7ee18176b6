"""Intervals of a share from arms of different channels, by a Chernoff bound of a weighted sum of reports.

Notation: S = the sum over arms j and reports r of w_jr (count of r in j), an unbiased share f. With
E_jc(h) = sum over r of P_j(r | c) e^(h w_jr), of independent reports

  P(S >= s) <= e^(-h s) product over j of (sum over columns c of f_c E_jc(h))^n_j     (Chernoff 1952)

for every h > 0. Its logarithm is concave in the shares f_c, so it lies below its tangent plane at any of them: and the
plane, at the worst columns of the label and of the others, is linear in the label's share. Where it is e^-budget, all
smaller shares are refuted too, as it rises. So each h and each tangent point give an end that holds, and search takes
the best: docs/maths-designs.md. About the respondents of K people the worst split over the arms takes the place of f.
"""

import math
from dataclasses import dataclass

import numpy as np

from sotto_estimator.channel.channel import Floats, Target, check_target
from sotto_estimator.designs.arms import Arms
from sotto_estimator.likelihood.em import fit
from sotto_estimator.likelihood.latent_classes import Mixture

_EPS = float(np.finfo(np.float64).eps)
_TINY = 1e-300
"""At least: a larger moment is on the safe side."""
_N_TANGENTS = 6
_MAX_TILT = 50.0
"""Of the smallest difference that a report makes: at 50 a step of one report is already e^-50."""
_LEAST_TILT = 1e-3
"""Of the normal approximation's best."""
_GAP = 1e-3
"""How much of the budget, in nats, the worst shares may be missed by, if so many steps do it."""
_N_STEPS = 40
_NOWHERE = -10.0
"""Far below every share: what a tilt shows that shows nothing."""
_CLOSE = 1e-6
"""A tangent that moves the end by less is the last: the next would move it by some 1e-12, as Newton's."""


def pooled_interval(arms: Arms, label: str, *, tail: float, target: Target = "population") -> tuple[float, float]:
    """Return the ends of a label's share, each wrong with probability `tail` at most.

    Where no share is possible one end lies beyond 0 or 1, or they cross. Population: all arms are samples of it.
    Respondents: the arms' people, whose shares may differ by arm. It holds for every n and all shares, of counts that
    are whole numbers. Raises `DomainError` as `Arms.weights`.
    """
    check_target(target)
    weights, is_label = arms.weights(label, target), arms.is_of(label)
    below = _Tail.of(arms, weights, is_label)
    above = _Tail.of(arms, 1 / arms.n_each.sum() - weights, ~is_label)
    budget = -np.log(tail) * (1 + 1e-9)
    low, high = _lowest(below, budget, target), 1 - _lowest(above, budget, target)
    return (low, high) if target == "population" else _of_whole_people(low, high, float(arms.n_each.sum()))


def _of_whole_people(low: float, high: float, n: float) -> tuple[float, float]:
    """Return the fewest and the most people between two shares, as shares; where no number is, they cross."""
    fewest, most = math.ceil(n * low * (1 - 4 * _EPS)), math.floor(n * high * (1 + 4 * _EPS))
    return fewest / n, most / n


@dataclass(frozen=True, slots=True, eq=False)
class _Tail:
    """One tail. `steps[j, r]`: w_jr less the largest of arm j, so never above 0; `total`: S less the same."""

    matrix: Floats
    steps: Floats
    n_each: Floats
    total: float
    share: float
    is_label: np.ndarray

    @classmethod
    def of(cls, arms: Arms, weights: Floats, is_label: np.ndarray) -> "_Tail":
        is_possible = arms.matrix.any(axis=2)
        steps = weights - np.where(is_possible, weights, -np.inf).max(axis=1, keepdims=True)
        steps = np.where(is_possible, steps, 0)
        share, total = float((weights * arms.counts).sum()), float((steps * arms.counts).sum())
        return cls(arms.matrix, steps, arms.n_each, total, share, is_label)

    def grown(self, tilt: float) -> Floats:
        """Return E_jc(tilt) - 1 of the steps, shape (n_arms, n_columns): in (-1, 0]."""
        grown: Floats = np.einsum("jrc,jr->jc", self.matrix, np.expm1(tilt * self.steps))
        return grown

    def moments(self, tilt: float) -> Floats:
        """Return E_jc(tilt) of the steps: a sum of positive terms keeps its digits near 0, where 1 + grown has none."""
        moments: Floats = np.einsum("jrc,jr->jc", self.matrix, np.exp(tilt * self.steps))
        return moments

    def tilts(self, budget: float) -> tuple[float, float]:
        """Return the least and the largest tilt that is worth trying."""
        spread = -self.steps.min(axis=1)
        largest = _MAX_TILT / spread[spread > 0].min()
        usual = np.sqrt(2 * budget / (self.n_each @ spread**2 / 4))
        return _LEAST_TILT * usual, max(largest, 2 * _LEAST_TILT * usual)


def _lowest(side: _Tail, budget: float, target: Target) -> float:
    """Return the largest share of which it is shown that it, and all smaller ones, are refuted; 0 where none is."""
    from scipy.optimize import minimize_scalar  # it takes a fifth of a second to load

    end_at = _end_of_population if target == "population" else _end_of_respondents
    best = 0.0

    def missed(log_tilt: float) -> float:
        nonlocal best
        end = max(end_at(side, float(np.exp(log_tilt)), budget, best), _NOWHERE)
        best = max(best, end)
        return -end

    least, largest = np.log(side.tilts(budget))
    minimize_scalar(missed, bounds=(least, largest), method="bounded", options={"xatol": 1e-3})
    missed(largest)  # where every report speaks for the label
    return best


def _end_of_population(side: _Tail, tilt: float, budget: float, start: float) -> float:
    """Return the end that a tilt shows, by tangents: the first may be far off, and each following one is closer."""
    grown, moments, end = side.grown(tilt), side.moments(tilt), start
    for _ in range(_N_TANGENTS):
        shares = _worst_shares(side, grown, float(np.clip(end, 1e-9, 1 - 1e-9)))
        mixed = np.maximum(moments @ shares, _TINY)
        logs = side.n_each * _log(mixed, grown @ shares)
        gradient = (side.n_each / mixed) @ moments
        label, other = gradient[side.is_label].max(), gradient[~side.is_label].max()
        if label <= other:
            return -np.inf
        value = logs.sum() - tilt * side.total + 8 * _EPS * (abs(logs.sum()) + abs(tilt * side.total))
        before, end = end, float((gradient @ shares - budget - value - other) / (label - other))
        if abs(end - before) < _CLOSE:
            break
    return end


def _log(moments: Floats, grown: Floats) -> Floats:
    """Return ln of moments, which are 1 + grown, by whichever of the two has the digits."""
    logs: Floats = np.where(moments < 1 / 2, np.log(moments), np.log1p(np.maximum(grown, -1 / 2 - _CLOSE)))
    return logs


def _worst_shares(side: _Tail, grown: Floats, share: float) -> Floats:
    """Return the columns' shares, of the label's share, that make S largest, or nearly: any are a point of a tangent.

    They are a mixture of pairs of a column of the label with another, as all shares with this sum are.
    """
    labels, others = np.flatnonzero(side.is_label), np.flatnonzero(~side.is_label)
    mixed = np.ones(1)
    if len(labels) * len(others) > 1:
        pairs = share * grown[:, labels, None] + (1 - share) * grown[:, None, others]
        likelihoods = 1 + pairs.reshape(len(grown), -1)
        if len(grown) == 1:
            mixed = (np.arange(likelihoods.shape[1]) == likelihoods[0].argmax()).astype(np.float64)
        else:
            reports = Mixture((np.maximum(likelihoods, _EPS),), side.n_each)
            mixed = fit(reports, max_iterations=_N_STEPS, tolerance=_GAP).shares
    table = mixed.reshape(len(labels), len(others))
    shares = np.zeros(len(side.is_label))
    shares[labels], shares[others] = share * table.sum(axis=1), (1 - share) * table.sum(axis=0)
    return shares


def _end_of_respondents(side: _Tail, tilt: float, budget: float, start: float) -> float:
    """Return the end that a tilt shows: the split of K people over the arms is bounded by a price of one of them.

    Of n_j people K_j have the label: sum of K_j l_j + (n_j - K_j) o_j <= sum of n_j max(l_j - price, o_j) + K price.
    """
    logs = _log(np.maximum(side.moments(tilt), _TINY), side.grown(tilt))
    label, other = logs[:, side.is_label].max(axis=1), logs[:, ~side.is_label].max(axis=1)
    order, n = np.argsort(other - label), side.n_each.sum()
    filled, end = np.cumsum(side.n_each[order]), start
    for _ in range(_N_TANGENTS):
        at = order[min(int(np.searchsorted(filled, np.clip(end, 0, 1) * n)), len(order) - 1)]
        price = label[at] - other[at]
        if price <= 0:
            return -np.inf
        value = side.n_each @ np.maximum(label - price, other)
        rounding = 8 * _EPS * (abs(value) + abs(tilt * side.total))
        before, end = end, float((tilt * side.total - budget - value - rounding) / price / n)
        if abs(end - before) < _CLOSE:
            break
    return end
