"""A matrix's columns in an orthogonal basis, in which a fit does not mind their units, and columns that add nothing."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sotto_estimator.channel.channel import Floats
from sotto_estimator.errors import SourceError

_TOLERANCE = 1e-9
_LARGEST = 1e100
"""Of numbers whose squares are taken, and multiplied."""


@dataclass(frozen=True, slots=True, eq=False)
class Basis:
    """A matrix X = Q R, weighted rows of Q orthogonal and of mean square 1: coefficients of Q are R @ those of X."""

    matrix: Floats
    triangle: Floats


def basis_of(matrix: Floats, weights: Floats, names: Sequence[str]) -> Basis:
    """Return the basis. Raises SourceError, which names a column that others add up to, or that is too large."""
    for name, column in zip(names, matrix.T, strict=True):
        check_size(name, column)
    root = np.sqrt(weights / weights.sum())[:, None]
    scale = np.sqrt(((root * matrix) ** 2).sum(axis=0))
    orthogonal, triangle = np.linalg.qr(root * (matrix / scale))
    for place in np.flatnonzero(np.abs(np.diag(triangle)) < _TOLERANCE):
        _refuse(matrix / scale, int(place), names)
    return Basis(orthogonal / root, triangle * scale)


def check_size(name: str, values: Floats) -> None:
    """Raise SourceError where all values are 0, or so large or small that their squares are no numbers."""
    largest = float(np.abs(values).max())
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
