"""A matrix's columns in an orthogonal basis, in which a fit does not mind their units, and columns that add nothing."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sotto_estimator.channel.channel import Floats
from sotto_estimator.errors import SourceError

_TOLERANCE = 1e-9
_LARGEST = 1e100
"""Of numbers whose squares are taken, and multiplied."""


_ALMOST_ORTHOGONAL = 0.1
_BLOCK_ROWS = 2048
"""So many rows of a few columns stay in a processor's cache."""


@dataclass(frozen=True, slots=True, eq=False)
class Basis:
    """A matrix X = Q R, weighted rows of Q orthogonal and of mean square 1: coefficients of Q are R @ those of X."""

    matrix: Floats
    triangle: Floats

    def of(self, columns: Sequence[int]) -> "Basis":
        """Return the basis of some of the columns of X."""
        if len(columns) == self.triangle.shape[1]:
            return self
        turn, triangle = np.linalg.qr(self.triangle[:, list(columns)])
        return Basis(self.matrix @ turn, triangle)


def basis_of(matrix: Floats, weights: Floats, names: Sequence[str]) -> Basis:
    """Return the basis. Raises SourceError, which names a column that others add up to, or that is too large."""
    for name, largest in zip(names, np.abs(matrix).max(axis=0).tolist(), strict=True):
        check_size(name, largest)
    parts = weights / weights.sum()
    with np.errstate(over="ignore"):
        found = _by_cholesky(matrix, parts)
    if found is not None:
        return found
    root = np.sqrt(parts)[:, None]
    scale = np.sqrt(((root * matrix) ** 2).sum(axis=0))
    orthogonal, triangle = np.linalg.qr(root * (matrix / scale))
    for place in np.flatnonzero(np.abs(np.diag(triangle)) < _TOLERANCE):
        _refuse(matrix / scale, int(place), names)
    return Basis(orthogonal / root, triangle * scale)


def _by_cholesky(matrix: Floats, parts: Floats) -> Basis | None:
    """Return the basis by two factors of Cholesky, as good as Householder's where the first is almost orthogonal.

    None where columns are too near to collinear for it (Yamamoto, Nakatsukasa, Yanagisawa & Fukaya 2015).
    """
    products_of = products(matrix, parts, matrix)
    scale = np.sqrt(np.diag(products_of))
    try:
        first = np.linalg.cholesky(products_of / np.outer(scale, scale), upper=True) * scale
        almost = matrix @ np.linalg.inv(first)
        again = products(almost, parts, almost)
        if not np.abs(again - np.eye(len(again))).sum() < _ALMOST_ORTHOGONAL:
            return None
        second = np.linalg.cholesky(again, upper=True)
    except np.linalg.LinAlgError:
        return None
    return Basis(almost @ np.linalg.inv(second), second @ first)


def products(one: Floats, weights: Floats, other: Floats) -> Floats:
    """Return one.T @ (weights * other), in blocks of rows."""
    found = np.zeros((one.shape[1], other.shape[1]))
    for start in range(0, len(weights), _BLOCK_ROWS):
        rows = slice(start, start + _BLOCK_ROWS)
        found += one[rows].T @ (weights[rows, None] * other[rows])
    return found


def check_size(name: str, largest: float) -> None:
    """Raise SourceError where all values are 0, or so large or small that their squares are no numbers.

    `largest`: the largest absolute value.
    """
    if not largest:
        raise SourceError(f"{name} is 0 in every row: leave it out.")
    if not 1 / _LARGEST <= largest <= _LARGEST:
        raise SourceError(
            f"{name} has values up to {largest:g}; they must be in [{1 / _LARGEST:g}, {_LARGEST:g}]. Change its unit."
        )


def _refuse(matrix: Floats, place: int, names: Sequence[str]) -> None:
    of_others = np.linalg.lstsq(matrix[:, :place], matrix[:, place], rcond=None)[0]
    involved = [name for name, part in zip(names, of_others, strict=False) if abs(part) > np.sqrt(_TOLERANCE)]
    raise SourceError(
        f"columns are collinear: {names[place]} is a sum of multiples of {' and '.join(involved) or 'nothing'}; "
        "leave one of them out."
    )
