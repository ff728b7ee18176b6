"""Groups of rows: of which of them each row is, and sums by group."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sotto_estimator.channel.channel import Floats

Codes = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """Groups of the rows: row i is in that of `labels[codes[i]]`."""

    column: str
    labels: tuple[str, ...]
    codes: Codes

    @classmethod
    def one(cls, n: int) -> "Groups":
        """Return all n rows as one group."""
        return cls("", ("",), np.zeros(n, np.int32))

    @classmethod
    def alone(cls, n: int) -> "Groups":
        """Return n groups of one row."""
        return cls("", (), np.arange(n, dtype=np.int32))


def sum_by(codes: Codes, values: Floats, n_groups: int) -> Floats:
    """Return the sums of rows of values by group, shape (n_groups, n_answers)."""
    return np.stack([np.bincount(codes, column, n_groups) for column in values.T], axis=-1)
