"""A table in the making: texts become codes or numbers as rows come, and what is kept is held to a limit."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sotto_estimator.channel.channel import Floats
from sotto_estimator.errors import SourceError
from sotto_estimator.table.table import DataColumn, DataTable, NumberColumn, TextColumn

MISSING = ("", "NA", "NaN", "nan")
"""The texts that stand for no value."""
MAX_BYTES = 2**29
"""What may be kept of a file, in about so many bytes: four a cell or eight a number, and each different text."""
_CODE_BYTES, _NUMBER_BYTES = 4, 8
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


class NotNumbersError(Exception):
    """Columns that were to be of numbers have other cells."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(*names)
        self.names = names


class Builder:
    """Columns of which blocks of rows come. `n_read`: how many rows have come; `numbers`: those that are to be kept so.

    Texts of others are kept. How a number was written is forgotten: "0.50" is 0.5.
    """

    def __init__(
        self, name: str, names: Sequence[str], complete: Sequence[str], max_bytes: int, numbers: Sequence[str] = ()
    ) -> None:
        self.names, self.numbers = names, numbers
        self.n_read = 0
        self._name, self._complete, self._max_bytes = name, complete, max_bytes
        self._labels = {name: _Labels() for name in names if name not in numbers}
        self._kept: dict[str, list[NDArray[Any]]] = {name: [] for name in names}
        self._left_out: list[NDArray[np.int64]] = []
        self._n_missing = dict.fromkeys(names, 0)

    def add(self, cells: Sequence[Sequence[str] | Floats]) -> None:
        """Take a block of rows, a list a column, or an array of numbers, of which NaN is missing.

        Raises SourceError where a cell is missing that must not be, NotNumbersError.
        """
        given: dict[str, Any] = dict(zip(self.names, cells, strict=True))
        numbers = {name: _numbers_of(column) for name, column in given.items() if name in self.numbers}
        if odd := [name for name, found in numbers.items() if found is None]:
            raise NotNumbersError(odd)
        codes = {name: labels.encode(given[name], self.n_read) for name, labels in self._labels.items()}
        columns: dict[str, Any] = codes | numbers
        is_kept = np.ones(len(cells[0]), np.bool_)
        for name, column in columns.items():
            is_missing = np.isnan(column) if name in self.numbers else column == _NONE
            if not is_missing.any():
                continue
            if name in self._complete:
                row = self.n_read + int(is_missing.argmax()) + 2
                raise SourceError(
                    f"{self._name}, row {row}: column {name} must have a value. Empty, NA and NaN are missing values."
                )
            self._n_missing[name] += int(is_missing.sum())
            is_kept &= ~is_missing
        for name, column in columns.items():
            self._kept[name].append(column if is_kept.all() else column[is_kept])
        self._left_out.append(np.flatnonzero(~is_kept) + self.n_read)
        self.n_read += len(is_kept)

    def check_size(self, n_rows: float) -> None:
        """Raise SourceError where more is kept than may be, or will surely be of about n_rows rows."""
        texts = sum(labels.n_chars + _TEXT_BYTES * len(labels.rows) for labels in self._labels.values())
        a_row = sum(_NUMBER_BYTES if name in self.numbers else _CODE_BYTES for name in self.names)
        kept = texts + a_row * self.n_read
        expected = texts + a_row * n_rows / 2
        if max(kept, expected) > self._max_bytes:
            n_texts = sum(len(labels.rows) for labels in self._labels.values())
            raise SourceError(
                f"{self._name} is too large: a table may take {self._max_bytes / 2**20:,.0f} MiB. It has about "
                f"{max(n_rows, self.n_read):,.0f} rows of {len(self.names)} columns, with {n_texts:,} different texts "
                f"by row {self.n_read + 1:,}. Split the file, or give counts."
            )

    def table(self) -> DataTable:
        """Return the rows that miss nothing. Raises SourceError where there is none."""
        n_missing = {name: n for name, n in self._n_missing.items() if n}
        left_out = np.concatenate([np.zeros(0, np.int64), *self._left_out])
        n_rows = self.n_read - len(left_out)
        if not n_rows:
            raise SourceError(f"{self._name}: has no rows" + (" that miss no value." if self.n_read else "."))
        columns: dict[str, DataColumn] = {}
        numbered = np.delete(np.arange(self.n_read), left_out) + 2
        for name in self.names:
            found = np.concatenate(self._kept.pop(name))
            if name in self.numbers:
                columns[name] = NumberColumn(name, found, numbered)
            else:
                columns[name] = _column(name, self._labels[name], found)
        return DataTable(self._name, n_rows, columns, len(left_out), n_missing)


def _numbers_of(cells: Sequence[str] | Floats) -> Floats | None:
    """Return the numbers that cells are, NaN where one is missing; None where any is neither (see `number_of`)."""
    if isinstance(cells, np.ndarray):
        return None if np.isinf(cells).any() else cells + 0.0  # -0 is 0
    try:
        found = np.fromiter(map(float, cells), np.float64, len(cells))
    except ValueError:
        try:
            found = np.array([np.nan if text in MISSING else float(text) for text in cells])
        except ValueError:
            return None
    odd = np.flatnonzero(~np.isfinite(found)).tolist()
    if "_" in "".join(cells) or any(cells[place] not in MISSING for place in odd):
        return None
    return found + 0.0


def _column(name: str, labels: _Labels, codes: NDArray[np.int32]) -> DataColumn:
    """Return a column without the labels that only rows had which are left out."""
    texts, is_used = labels.texts, np.bincount(codes, minlength=len(labels.rows)) > 0
    if is_used.all():
        return TextColumn(name, tuple(texts), codes, tuple(labels.rows))
    used = np.flatnonzero(is_used).tolist()
    codes = (np.cumsum(is_used, dtype=np.int32) - 1)[codes]
    return TextColumn(name, tuple(texts[code] for code in used), codes, tuple(labels.rows[code] for code in used))
