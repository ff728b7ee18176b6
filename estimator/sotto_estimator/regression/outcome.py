"""Outcomes in clear that a hidden answer explains: logistic, or normal."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from sotto_estimator.channel.channel import Floats


@dataclass(frozen=True, slots=True, eq=False)
class OutcomeLocal:
    """Of n outcomes under each of m answers: logs (n, m), scores (n, m, d), bends and expected ones (n, m, d, d).

    d: the linear predictor, and the log of sigma where there is one; bends are minus the second derivatives.
    """

    logs: Floats
    scores: Floats
    bends: Floats
    expected: Floats


class Outcome(Protocol):
    """The likelihood of outcomes, `values`, given predictors, shape (n, m), and of the spread, shape (n, n_spread)."""

    @property
    def values(self) -> Floats: ...

    @property
    def n_spread(self) -> int: ...

    def at(self, predictors: Floats, spread: Floats) -> OutcomeLocal: ...


@dataclass(frozen=True, slots=True, eq=False)
class LogisticOutcome:
    """Of outcomes 0 or 1: the log odds of 1 are the linear predictor."""

    values: Floats
    n_spread: int = 0

    def at(self, predictors: Floats, spread: Floats) -> OutcomeLocal:
        """Return the likelihoods."""
        values = self.values[:, None]
        logs = values * predictors - np.logaddexp(0, predictors)
        shares = np.exp(-np.logaddexp(0, -predictors))
        bends = (shares * (1 - shares))[:, :, None, None]
        return OutcomeLocal(logs, (values - shares)[:, :, None], bends, bends)


@dataclass(frozen=True, slots=True, eq=False)
class NormalOutcome:
    """Of numbers: normal about the linear predictor; both are in units of `unit`. The spread is the log of sigma."""

    values: Floats
    unit: float
    n_spread: int = 1

    def at(self, predictors: Floats, spread: Floats) -> OutcomeLocal:
        """Return the likelihoods."""
        precise = np.exp(-2 * spread)
        off = (self.values / self.unit)[:, None] - predictors
        square = off**2 * precise
        logs = -0.5 * square - spread - 0.5 * np.log(2 * np.pi) - np.log(self.unit)
        scores = np.stack([off * precise, square - 1], axis=2)
        steep = np.broadcast_to(precise, off.shape)
        mixed = 2 * off * precise
        bends = np.stack([np.stack([steep, mixed], axis=2), np.stack([mixed, 2 * square], axis=2)], axis=3)
        nothing, two = np.zeros_like(off), np.full_like(off, 2)
        expected = np.stack([np.stack([steep, nothing], axis=2), np.stack([nothing, two], axis=2)], axis=3)
        return OutcomeLocal(logs, scores, bends, expected)
