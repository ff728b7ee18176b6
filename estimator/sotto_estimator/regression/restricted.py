"""Fits of a yes-no answer without some of the columns, all at once, each from where the fit with all of them ends."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from sotto_estimator.channel.channel import Floats
from sotto_estimator.regression.basis import Basis
from sotto_estimator.regression.fitting import Fitted
from sotto_estimator.regression.hidden_answer import MAX_LOG_ODDS
from sotto_estimator.regression.sample import Sample

_LEFT = 1e-8
"""The square of what may be left to go, in standard errors; half of it is added to the log-likelihood."""
_MAX_STEPS = 20
_LONGEST = 4.0
"""The longest step, as of Newton's."""
_ENOUGH = 1e-4
MANY_ROWS = 5_000
_BLOCK = 2048
"""Rows whose numbers stay in a processor's cache."""


@dataclass(slots=True, eq=False)
class _Climb:
    """A climb in the space of some columns: `turn @ place` are the coefficients of the basis."""

    turn: Floats
    place: Floats
    inverse: Floats
    value: float = -np.inf
    score: Floats = field(default_factory=lambda: np.zeros(0))
    step: Floats = field(default_factory=lambda: np.zeros(0))
    left: float = np.inf

    def move(self, value: float, score: Floats) -> bool:
        """Take a value and a score at place + step; return whether the climb goes on from there."""
        gradient = self.turn.T @ score
        if len(self.step):
            if not value >= self.value + _ENOUGH * float(self.score @ self.step):
                return False
            self.place = self.place + self.step
            self._learn(self.step, self.score - gradient)
        self.value, self.score = value, gradient
        step = self.inverse @ gradient
        self.left = float(gradient @ step)
        self.step = step * min(1.0, _LONGEST / max(float(np.linalg.norm(step)), _LONGEST))
        return self.left >= 0

    def _learn(self, step: Floats, change: Floats) -> None:
        """Take what a step changed of the score into the inverse of the information (Broyden, .., Shanno 1970)."""
        along = float(step @ change)
        if along <= 0:
            return
        self.inverse = self.inverse * (along / float(change @ self.inverse @ change))  # it changes most as a whole
        off = np.eye(len(step)) - np.outer(step, change) / along
        self.inverse = off @ self.inverse @ off.T + np.outer(step, step) / along


def fit_restricted(
    sample: Sample, basis: Basis, fitted: Fitted, kept: Sequence[Sequence[int]]
) -> list[tuple[float, Floats] | None]:
    """Return the maximum of the log-likelihood and the coefficients of each selection of columns that are kept.

    Quasi-Newton steps (BFGS) begin with the information where the fit with all columns is: it changes little from
    there. None where a climb is not sure to be at its maximum, in few steps that each go up, and of few rows, whose
    log-likelihood may have more than one: then fit it by itself.
    """
    found: list[tuple[float, Floats] | None] = [None] * len(kept)
    is_plain = len(sample.answers) == 2 and not sample.has_unrelated and sample.drawn is None
    if not is_plain or len(sample.weights) < MANY_ROWS or len(fitted.separated) or not fitted.maximum.converged:
        return found
    bases = [np.linalg.qr(basis.triangle[:, list(columns)]) for columns in kept]
    information, top = fitted.maximum.local.information, fitted.maximum.place
    climbs = {}
    for number, (turn, _) in enumerate(bases):
        inverse = np.linalg.inv(turn.T @ information @ turn)
        climbs[number] = _Climb(turn, inverse @ (turn.T @ (information @ top)), inverse)
    likelihood = _Likelihoods.of(sample, basis)
    for _ in range(_MAX_STEPS):
        if not climbs:
            break
        places = [of.turn @ (of.place + of.step if len(of.step) else of.place) for of in climbs.values()]
        at = likelihood.at(np.array(places))
        if at is None:
            break
        for number, value, score in zip([*climbs], *at, strict=True):
            climb = climbs[number]
            if not climb.move(value, score):
                del climbs[number]
            elif climb.left < _LEFT:
                coefficients = np.linalg.solve(bases[number][1], climb.place + climb.step)
                found[number] = climb.value + climb.left / 2, coefficients
                del climbs[number]
    return found


@dataclass(frozen=True, slots=True, eq=False)
class _Likelihoods:
    """The log-likelihood of a yes-no answer. `channel`: of each row P(report | yes), P(report | no), shape (2, n)."""

    matrix: Floats
    channel: Floats
    weights: Floats
    offset: Floats

    @classmethod
    def of(cls, sample: Sample, basis: Basis) -> "_Likelihoods":
        offset = np.zeros(len(sample.weights)) if sample.offset is None else sample.offset
        return cls(basis.matrix, np.exp(sample.log_channel.T), sample.weights, offset)

    def at(self, places: Floats) -> tuple[list[float], Floats] | None:
        """Return log-likelihoods and scores of m places, shape (m, k); None where any row's log odds are far out."""
        values, scores = np.zeros(len(places)), np.zeros_like(places)
        for start in range(0, len(self.weights), _BLOCK):
            rows = slice(start, start + _BLOCK)
            log_odds = places @ self.matrix[rows].T
            log_odds += self.offset[rows]
            if np.abs(log_odds).max() >= MAX_LOG_ODDS:
                return None
            if_yes, if_no = self.channel[:, rows]
            odds = np.exp(log_odds, out=log_odds)
            no = 1 / (1 + odds)
            yes = np.multiply(odds, no, out=odds)
            prob = if_yes * yes
            prob += if_no * no
            yes *= no
            yes /= prob
            yes *= self.weights[rows] * (if_yes - if_no)
            values += np.log(prob, out=prob) @ self.weights[rows]
            scores += yes @ self.matrix[rows]
        return values.tolist(), scores
