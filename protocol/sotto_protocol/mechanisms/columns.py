"""Columns of packed reports in the words of their survey, as arrays: what exports and data frames are made of."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sotto_protocol.errors import ReportError

NO_YES = ("no", "yes")


@dataclass(frozen=True, slots=True, eq=False)
class LabelledColumn:
    """`values`, shape (n,): of a column with `labels` their places, else booleans, floats, uint16 or void (bytes)."""

    name: str
    values: NDArray[np.generic]
    labels: tuple[str, ...] = ()


def numbers_of(piece: NDArray[np.uint8]) -> NDArray[np.uint16]:
    """Return big-endian numbers of one byte or two, shape (n,)."""
    return np.ascontiguousarray(piece).view(f">u{piece.shape[1]}")[:, 0].astype(np.uint16)


def checked_bits(bits: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return bytes that are 0 or 1. Raises ReportError for another."""
    if (bits > 1).any():
        raise ReportError("$", "packed reports must be 0 or 1.")
    return bits
