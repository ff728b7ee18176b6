"""A table in the making: texts become codes as rows come, and what is kept is held to a limit."""

from array import array
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sotto_estimator.errors import SourceError
from sotto_estimator.table.table import DataColumn, DataTable

MISSING = ("", "NA", "NaN", "nan")
"""The texts that stand for no value."""
MAX_BYTES = 2**29
"""What may be kept of a file, in about so many bytes: four a cell, and each different text."""
_CELL_BYTES = 4
_TEXT_BYTES = 200
"""What a text takes beside its characters: as an object, in the dictionary, with its code and its row."""
_NONE = -1


class _Labels(dict[str, int]):
    """The codes of a column's texts, in the order in which they came; of a missing one, _NONE."""

    def __init__(self) -> None:
        super().__init__(dict.fromkeys(MISSING, _NONE))
        self.rows: list[int] = []
        self.n_chars = 0

    def __missing__(self, text: str) -> int:
        self[text] = code = len(self) - len(MISSING)
        self.n_chars += len(text)
        return code

    @property
    def texts(self) -> list[str]:
        return [*self][len(MISSING) :]

    def encode(self, cells: Sequence[str], n_before: int) -> NDArray[np.int32]:
        """Return the codes of the cells that come after `n_before` rows."""
        known = len(self.rows)
        codes = np.fromiter(map(self.__getitem__, cells), np.int32, len(cells))
        if len(self) - len(MISSING) > known:
            new, first = np.unique(codes, return_index=True)
            self.rows += (first[new >= known] + n_before + 2).tolist()  # the header is row 1
        return codes


class Builder:
    """Columns of which blocks of rows come. `n_read`: how many rows have come."""

    def __init__(self, name: str, names: Sequence[str], complete: Sequence[str], max_bytes: int) -> None:
        self.names = names
        self.n_read = 0
        self._name, self._complete, self._max_bytes = name, complete, max_bytes
        self._labels = [_Labels() for _ in names]
        self._codes = [array("i") for _ in names]
        self._n_missing = dict.fromkeys(names, 0)

    def add(self, cells: Sequence[Sequence[str]]) -> None:
        """Take a block of rows, a list a column. Raises SourceError where a cell is missing that must not be."""
        codes = [labels.encode(column, self.n_read) for labels, column in zip(self._labels, cells, strict=True)]
        is_kept = np.ones(len(cells[0]), np.bool_)
        for name, column in zip(self.names, codes, strict=True):
            is_missing = column == _NONE
            if name in self._complete and is_missing.any():
                row = self.n_read + int(is_missing.argmax()) + 2
                raise SourceError(
                    f"{self._name}, row {row}: column {name} must have a value. Empty, NA and NaN are missing values."
                )
            self._n_missing[name] += int(is_missing.sum())
            is_kept &= ~is_missing
        for kept, column in zip(self._codes, codes, strict=True):
            kept.frombytes(column[is_kept].tobytes())
        self.n_read += len(is_kept)

    def check_size(self, n_rows: float) -> None:
        """Raise SourceError where more is kept than may be, or will surely be of about n_rows rows."""
        texts = sum(labels.n_chars + _TEXT_BYTES * len(labels.rows) for labels in self._labels)
        kept = texts + _CELL_BYTES * len(self.names) * self.n_read
        expected = texts + _CELL_BYTES * len(self.names) * n_rows / 2
        if max(kept, expected) > self._max_bytes:
            n_texts = sum(len(labels.rows) for labels in self._labels)
            raise SourceError(
                f"{self._name} is too large: a table may take {self._max_bytes / 2**20:,.0f} MiB. It has about "
                f"{max(n_rows, self.n_read):,.0f} rows of {len(self.names)} columns, with {n_texts:,} different texts "
                f"by row {self.n_read + 1:,}. Split the file, or give counts."
            )

    def table(self) -> DataTable:
        """Return the rows that miss nothing. Raises SourceError where there is none."""
        n_missing = {name: n for name, n in self._n_missing.items() if n}
        n_rows = len(self._codes[0])
        if not n_rows:
            raise SourceError(f"{self._name}: has no rows" + (" that miss no value." if self.n_read else "."))
        columns = [
            _column(name, labels, np.frombuffer(codes, np.int32))
            for name, labels, codes in zip(self.names, self._labels, self._codes, strict=True)
        ]
        return DataTable(self._name, n_rows, {of.name: of for of in columns}, self.n_read - n_rows, n_missing)


def _column(name: str, labels: _Labels, codes: NDArray[np.int32]) -> DataColumn:
    """Return a column without the labels that only rows had which are left out."""
    texts, is_used = labels.texts, np.bincount(codes, minlength=len(labels.rows)) > 0
    if is_used.all():
        return DataColumn(name, tuple(texts), codes, tuple(labels.rows))
    used = np.flatnonzero(is_used).tolist()
    codes = (np.cumsum(is_used, dtype=np.int32) - 1)[codes]
    return DataColumn(name, tuple(texts[code] for code in used), codes, tuple(labels.rows[code] for code in used))
