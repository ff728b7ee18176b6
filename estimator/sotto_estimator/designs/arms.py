"""Arms: one question asked by one design or by several, as arrays; records that have a channel each are many arms."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from sotto_estimator.channel.channel import Floats, Target
from sotto_estimator.designs.design import YES_NO, Arm, check_arms
from sotto_estimator.errors import DomainError

_RANK = 1e-13
"""Relative size below which a singular value is rounding."""
_BIAS = 1e-9
"""More than the rounding of a share's expectation."""


@dataclass(frozen=True, eq=False)
class Arms:
    """`matrix[j, r, c]` = P(report r | column c) in arm j, `counts[j, r]` of its people gave report r.

    Shapes (n_arms, n_reports, n_columns) and (n_arms, n_reports); arms of fewer reports have rows of 0. `answers`: the
    columns' labels, as those of a `Design`. `scores`: of one design that has a published estimator of its own.
    """

    answers: tuple[str, ...]
    matrix: Floats
    counts: Floats
    scores: tuple[float, ...] = ()

    @classmethod
    def of(cls, arms: Sequence[Arm]) -> "Arms":
        """Return arms as arrays. Raises `DomainError` as `check_arms`."""
        answers, n_reports = check_arms(arms), max(len(arm.counts) for arm in arms)
        matrix, counts = np.zeros((len(arms), n_reports, len(answers))), np.zeros((len(arms), n_reports))
        for at, arm in enumerate(arms):
            matrix[at, : len(arm.counts)], counts[at, : len(arm.counts)] = arm.design.matrix, arm.counts
        return cls(answers, matrix, counts, arms[0].design.scores if len(arms) == 1 else ())

    @classmethod
    def of_channels(cls, prob_if_true: ArrayLike, prob_if_other: ArrayLike, support: ArrayLike, n: ArrayLike) -> "Arms":
        """Return yes-no arms: of n[j] reports support[j] speak for yes, each with prob_if_true[j] where it is true.

        Shapes (n_arms,) or scalars, which broadcast. Raises `DomainError` unless 0 <= prob_if_other < prob_if_true <= 1
        and 0 <= support <= n, all n above 0.
        """
        arrays = np.broadcast_arrays(
            *(np.atleast_1d(np.asarray(of, np.float64)) for of in (prob_if_true, prob_if_other))
        )
        true, other, yes, size = np.broadcast_arrays(*arrays, np.asarray(support), np.asarray(n))
        if not ((other >= 0) & (other < true) & (true <= 1)).all():
            raise DomainError("probabilities must satisfy 0 <= prob_if_other < prob_if_true <= 1 in every arm.")
        if not ((yes >= 0) & (yes <= size) & (size > 0)).all():
            raise DomainError("support must be in [0, n], and n above 0, in every arm.")
        said_yes = np.stack([true, other], axis=-1)
        matrix = np.stack([said_yes, 1 - said_yes], axis=-2)
        return cls(YES_NO, matrix, np.stack([yes, size - yes], axis=-1).astype(np.float64))

    @cached_property
    def n_each(self) -> Floats:
        """How many reports each arm has."""
        sizes: Floats = self.counts.sum(axis=1)
        return sizes

    @property
    def labels(self) -> tuple[str, ...]:
        """The answers, each once: what shares are of."""
        return tuple(dict.fromkeys(self.answers))

    def is_of(self, label: str) -> np.ndarray:
        """Return which columns have a label."""
        return np.array([answer == label for answer in self.answers])

    def weights(self, label: str, target: Target = "population") -> Floats:
        """Return what each report adds to the share of a label, shape (n_arms, n_reports): sum(weights * counts).

        The share is unbiased, and the weights do not depend on the counts. Population: every arm is of the same shares,
        and weights are the best of all (generalised least squares) where every label has the same. Respondents: each
        arm tells its own people's share, and counts by their number. Raises `DomainError` where an arm does not.
        """
        if self.scores:
            own = np.array([self.scores]) if label == self.labels[0] else 1 - np.array([self.scores])
            return np.asarray(own / self.n_each.sum())
        wanted = self.is_of(label).astype(np.float64)
        weights: Floats = (self._together if target == "population" else self._alone) @ wanted
        told = self.n_each @ np.einsum("jrc,jr->jc", self.matrix, weights)
        if not np.allclose(told, wanted, rtol=0, atol=_BIAS):
            raise DomainError(
                f"target ({target!r}) needs arms that give the share of {label} "
                + ("each alone; these give it only together." if target == "respondents" else "together; these don't.")
            )
        return weights

    @cached_property
    def _deviations(self) -> Floats:
        """The square roots of the reports' probabilities at equal shares, 1 where that is 0; (n_arms, n_reports, 1)."""
        at_equal = (self.matrix @ self._equal_shares())[..., None]
        return np.asarray(np.sqrt(at_equal, where=at_equal > 0, out=np.ones_like(at_equal)))

    @cached_property
    def _together(self) -> Floats:
        """What a report adds to each column's share, of the least variance that all arms together allow."""
        sizes = np.sqrt(self.n_each)[:, None, None]
        scaled = self.matrix / self._deviations * sizes
        basis, triangle = np.linalg.qr(scaled.reshape(-1, len(self.answers)))
        solved = basis @ np.linalg.pinv(triangle, rcond=_RANK).T
        return np.asarray(solved.reshape(scaled.shape) / sizes / self._deviations)

    @cached_property
    def _alone(self) -> Floats:
        """The same by each arm of its own people, by their number."""
        solved = np.linalg.pinv(self.matrix / self._deviations, rcond=_RANK).swapaxes(1, 2)
        return np.asarray(solved / self._deviations / self.n_each.sum())

    def _equal_shares(self) -> Floats:
        """Return equal shares of all labels, each split evenly over its columns."""
        sizes = {label: self.answers.count(label) for label in self.labels}
        return np.array([1 / (len(sizes) * sizes[answer]) for answer in self.answers])
