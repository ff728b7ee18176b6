"""A matrix's columns in an orthogonal basis, in which a fit does not mind their units, and columns that add nothing."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sotto_estimator.channel import Floats
from sotto_estimator.errors import SourceError

_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Basis:
    """A matrix X = Q R, weighted rows of Q orthogonal and of mean square 1: coefficients of Q are R @ those of X."""

    matrix: Floats
    triangle: Floats


def basis_of(matrix: Floats, weights: Floats, names: Sequence[str]) -> Basis:
    """Return the basis. Raises SourceError, which names a column that the others before it add up to."""
    root = np.sqrt(weights / weights.sum())[:, None]
    scale = np.sqrt(((root * matrix) ** 2).sum(axis=0))
    for name, size in zip(names, scale, strict=True):
        if not size:
            raise SourceError(f"{name} is 0 in every row: leave it out.")
    orthogonal, triangle = np.linalg.qr(root * (matrix / scale))
    for place in np.flatnonzero(np.abs(np.diag(triangle)) < _TOLERANCE):
        _refuse(matrix / scale, int(place), names)
    return Basis(orthogonal / root, triangle * scale)


def _refuse(matrix: Floats, place: int, names: Sequence[str]) -> None:
    of_others = np.linalg.lstsq(matrix[:, :place], matrix[:, place], rcond=None)[0]
    involved = [name for name, part in zip(names, of_others, strict=False) if abs(part) > np.sqrt(_TOLERANCE)]
    raise SourceError(
        f"columns are collinear: {names[place]} is a sum of multiples of {' and '.join(involved) or 'nothing'}; "
        "leave one of them out."
    )
