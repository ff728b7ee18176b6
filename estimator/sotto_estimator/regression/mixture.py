"""Log-likelihoods of rows whose hidden answer is one of several: value, slope and curvature in linear predictors."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Protocol

import numpy as np

from sotto_estimator.channel.channel import Floats
from sotto_estimator.likelihood.newton import Local
from sotto_estimator.regression.basis import products


@dataclass(frozen=True, slots=True, eq=False)
class RowLocal:
    """Of n rows with k linear predictors: log-likelihoods, shape (n,), scores (n, k), informations (n, k, k)."""

    log_likelihood: Floats
    score: Floats
    information: Floats
    complete: Floats


class RowLikelihood(Protocol):
    """The log-likelihood of a row, given its linear predictors, shape (n, k)."""

    def at(self, predictors: Floats) -> RowLocal: ...


def mix(logs: Floats, scores: Floats, bends: Floats, expected: Floats) -> RowLocal:
    """Return the mixture over hidden answers z of exp(logs[:, z]), shape (n, m).

    `scores[:, z]`: gradients of the logs, shape (n, m, k); `bends`: minus their second derivatives, shape (n, m, k, k)
    or (n, 1, k, k) where they are the same of all; `expected`: what takes their place in steps of EM. Louis' identity
    (1982): the observed information is what is expected of the bends, given what was seen, less the variance of the
    scores given that.
    """
    most = logs.max(axis=1, keepdims=True)
    relative = np.exp(logs - most)
    total = relative.sum(axis=1, keepdims=True)
    given = relative / total
    score = np.einsum("nm,nmk->nk", given, scores)
    off = scores - score[:, None, :]
    weighted = given[:, :, None] * off
    information = _mean(given, bends) - np.einsum("nmk,nml->nkl", weighted, off)
    return RowLocal((most + np.log(total))[:, 0], score, information, _mean(given, expected))


def _mean(given: Floats, of_answers: Floats) -> Floats:
    if of_answers.shape[1] == 1:
        return of_answers[:, 0]
    found: Floats = np.einsum("nm,nmkl->nkl", given, of_answers)
    return found


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Rows with weights, and a matrix for each linear predictor: `matrices[k] @ coefficients` of its block.

    `offset`: what is added to the first predictor, with a coefficient of 1.
    """

    likelihood: RowLikelihood
    matrices: Sequence[Floats]
    weights: Floats
    offset: Floats | None = None

    @property
    def ends(self) -> list[int]:
        """Where each block of coefficients ends."""
        return [*accumulate(matrix.shape[1] for matrix in self.matrices)]

    def predictors(self, place: Floats) -> Floats:
        """Return the linear predictors, shape (n, k)."""
        blocks = np.split(place, self.ends[:-1])
        found = np.stack([matrix @ block for matrix, block in zip(self.matrices, blocks, strict=True)], axis=1)
        if self.offset is not None:
            found[:, 0] += self.offset
        return found

    def at(self, place: Floats) -> Local:
        """Return the log-likelihood of all rows at these coefficients."""
        of_rows = self.likelihood.at(self.predictors(place))
        score = [matrix.T @ (self.weights * of_rows.score[:, k]) for k, matrix in enumerate(self.matrices)]
        return Local(
            float(self.weights @ of_rows.log_likelihood),
            np.concatenate(score),
            self._assemble(of_rows.information),
            lambda: self._assemble(of_rows.complete),
        )

    def scores(self, place: Floats) -> Floats:
        """Return the rows' scores of all coefficients, without their weights, shape (n, len(place))."""
        of_rows = self.likelihood.at(self.predictors(place)).score
        return np.hstack([of_rows[:, [k]] * matrix for k, matrix in enumerate(self.matrices)])

    def _assemble(self, of_rows: Floats) -> Floats:
        """Return the matrix of all coefficients from those of the rows' predictors."""
        blocks = [
            [products(one, self.weights * of_rows[:, k, j], other) for j, other in enumerate(self.matrices)]
            for k, one in enumerate(self.matrices)
        ]
        found: Floats = np.block(blocks)
        return found
