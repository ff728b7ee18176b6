"""Reports of one or several questions as a mixture: what each says of each cell of the table of their categories.

People in cell (i, j, ..) make report r with probability L1[r, i] L2[r, j] ..: the noise of questions is independent.
The n x K1 x K2 table of these products is never made: sums over reports are products of matrices, in chunks.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

from sotto_estimator.errors import DomainError

Floats = NDArray[np.float64]

_NUMBERS_PER_CHUNK = 2**17  # 1 MB: a chunk of rows stays near the processor


@dataclass(frozen=True, eq=False)
class Mixture:
    """Reports, or groups of identical ones, with their likelihoods under the categories of each question.

    `likelihoods`: one matrix a question, shape (n_groups, n_categories), P(report | category) but for a factor that may
    differ between reports; finite, at least 0, every row with one above 0. `counts`: how many reports each group
    holds, shape (n_groups,), above 0. Raises DomainError.
    """

    likelihoods: tuple[NDArray[np.floating], ...]
    counts: NDArray[np.number]

    def __post_init__(self) -> None:
        if not self.likelihoods or self.counts.ndim != 1 or not len(self.counts) or not self.counts.min() > 0:
            raise DomainError("counts must be above 0, shape (n_groups,), n_groups >= 1, of one question or more.")
        for index, rows in enumerate(self.likelihoods):
            if rows.ndim != 2 or len(rows) != len(self.counts) or not rows.shape[1]:
                raise DomainError(
                    f"likelihoods[{index}] must have shape (n_groups = {len(self.counts)}, n_categories)."
                )
            largest = rows.max(axis=1)
            if not (np.isfinite(largest).all() and largest.min() > 0 and rows.min() >= 0):
                raise DomainError(f"likelihoods[{index}] must be finite and >= 0, with one above 0 in every row.")

    @property
    def shape(self) -> tuple[int, ...]:
        """The numbers of categories."""
        return tuple(rows.shape[1] for rows in self.likelihoods)

    @cached_property
    def n_reports(self) -> float:
        """How many reports there are in all groups."""
        return float(self.counts.sum())

    @cached_property
    def weights(self) -> Floats:
        """Every group's share of the reports, shape (n_groups,)."""
        weights: Floats = np.asarray(self.counts, np.float64) / self.n_reports
        return weights

    def marginal(self, *questions: int) -> "Mixture":
        """Return the same reports of some questions only."""
        return Mixture(tuple(self.likelihoods[question] for question in questions), self.counts)

    def densities(self, shares: Floats) -> Floats:
        """Return the probability of every group's report under the shares of the cells, shape (n_groups,)."""
        table = shares.reshape(prod(self.shape[: _split(self.shape)]), -1)
        densities = np.empty(len(self.counts))
        for rows, left, right in _chunks(self.likelihoods):
            densities[rows] = np.einsum("ij,ij->i", left @ table, right)
        return densities

    def gradient(self, densities: Floats) -> Floats:
        """Return the mean over reports of (a cell's likelihood / density), shape `shape`.

        At the maximum of the likelihood it is 1 in cells above 0, and at most 1 elsewhere.
        """
        return mean_products(self.likelihoods, self.weights / densities)

    def information(self, densities: Floats, cells: NDArray[np.intp]) -> Floats:
        """Return one report's observed information of the shares of some cells, by flat number; shape (n, n) of cells.

        The mean over reports of the products of two cells' (likelihood / density).
        """
        places = np.unravel_index(cells, self.shape)
        scale = np.sqrt(self.weights) / densities
        total = np.zeros((len(cells), len(cells)))
        step = max(64, _NUMBERS_PER_CHUNK // len(cells))
        for start in range(0, len(self.counts), step):
            rows = slice(start, start + step)
            scores = np.repeat(scale[rows, np.newaxis], len(cells), axis=1)
            for likelihood, place in zip(self.likelihoods, places, strict=True):
                scores *= likelihood[rows][:, place]
            total += scores.T @ scores
        return total


def mean_products(parts: Sequence[NDArray[np.floating]], weights: Floats) -> Floats:
    """Return the weighted sum over rows of all products of one column of each part; shape: the parts' widths."""
    shape = [part.shape[1] for part in parts]
    split = _split(shape)
    total = np.zeros((prod(shape[:split]), prod(shape[split:])))
    for rows, left, right in _chunks(parts):
        total += left.T @ (weights[rows, np.newaxis] * right)
    return total.reshape(shape)


def _split(shape: Sequence[int]) -> int:
    """Return how many parts come first in a product of matrices, so that its two sides are alike in size."""
    return min(range(len(shape)), key=lambda split: prod(shape[:split]) + prod(shape[split:]))


def _chunks(parts: Sequence[NDArray[np.floating]]) -> Iterator[tuple[slice, Floats, Floats]]:
    """Yield rows, and in them all products of one column of each of the first parts, and of the rest."""
    shape = [part.shape[1] for part in parts]
    split = _split(shape)
    step = max(64, _NUMBERS_PER_CHUNK // (prod(shape[:split]) + prod(shape[split:])))
    for start in range(0, len(parts[0]), step):
        rows = slice(start, start + step)
        chunk = [np.asarray(part[rows], np.float64) for part in parts]
        n_rows = len(chunk[0])
        yield rows, _join_columns(chunk[:split], n_rows), _join_columns(chunk[split:], n_rows)


def _join_columns(parts: Sequence[Floats], n_rows: int) -> Floats:
    """Return all products of one column of each part, shape (n_rows, product of widths): the last varies fastest."""
    if not parts:
        return np.ones((n_rows, 1))
    joined = parts[0]
    for part in parts[1:]:
        joined = (joined[:, :, np.newaxis] * part[:, np.newaxis, :]).reshape(n_rows, -1)
    return joined
