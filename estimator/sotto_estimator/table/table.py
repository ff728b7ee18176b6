"""Columns of a table of people: texts as codes, or numbers; every fault is said with its row and its column."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sotto_estimator.channel.channel import Floats
from sotto_estimator.errors import SourceError


class DataColumn(Protocol):
    """A column: `labels[codes[i]]` is the text of row i; labels are different.

    `rows`: the row of the file in which each label stands first; the header is row 1, as in a spreadsheet. `key`: equal
    in two rows if, and only if, their texts or numbers are. `is_number`: whether all are finite decimal numbers.
    """

    @property
    def name(self) -> str: ...
    @property
    def labels(self) -> tuple[str, ...]: ...
    @property
    def codes(self) -> NDArray[np.int32]: ...
    @property
    def rows(self) -> tuple[int, ...]: ...
    @property
    def key(self) -> NDArray[np.int32] | Floats: ...
    @property
    def is_number(self) -> bool: ...

    def numbers(self) -> Floats:
        """Return the column as floats, shape (n_rows,). Raises SourceError, which names the first row that is none."""
        ...

    def fault(self, code: int, expected: str) -> SourceError:
        """Return the error of a label that is not what is expected: it names the first row with it."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class TextColumn:
    """A column of texts; labels are in order of their first row."""

    name: str
    labels: tuple[str, ...]
    codes: NDArray[np.int32]
    rows: tuple[int, ...]

    @property
    def key(self) -> NDArray[np.int32]:
        """The codes."""
        return self.codes

    @property
    def is_number(self) -> bool:
        """Whether every text is a finite decimal number."""
        return all(number_of(label) is not None for label in self.labels)

    def numbers(self) -> Floats:
        """Return the column as floats, shape (n_rows,). Raises SourceError, which names the first row that is none."""
        values = [number_of(label) for label in self.labels]
        if None in values:
            raise self.fault(values.index(None), "must be a number with a decimal point")
        return np.array(values, np.float64)[self.codes]

    def fault(self, code: int, expected: str) -> SourceError:
        """Return the error of a label that is not what is expected: it names the first row with it."""
        return _fault(self, code, expected)


@dataclass(frozen=True, slots=True, eq=False)
class NumberColumn:
    """A column of finite numbers, that were never texts or are none any more; labels are in order of size.

    `numbered`: the row of the file in which each number stands.
    """

    name: str
    key: Floats
    numbered: NDArray[np.int64]

    @property
    def labels(self) -> tuple[str, ...]:
        """The numbers as they are written with the fewest digits."""
        numbers = np.unique(self.key).tolist()
        return tuple(f"{number:.17g}" if number.is_integer() else repr(number) for number in numbers)

    @property
    def codes(self) -> NDArray[np.int32]:
        """The places of the numbers among all different ones."""
        return np.unique(self.key, return_inverse=True)[1].astype(np.int32)

    @property
    def rows(self) -> tuple[int, ...]:
        """The row of each label."""
        return tuple(self.numbered[np.unique(self.key, return_index=True)[1]].tolist())

    @property
    def is_number(self) -> bool:
        """True."""
        return True

    def numbers(self) -> Floats:
        """Return the numbers."""
        return self.key

    def fault(self, code: int, expected: str) -> SourceError:
        """Return the error of a number that is not what is expected: it names the first row with it."""
        return _fault(self, code, expected)


@dataclass(frozen=True, slots=True, eq=False)
class DataTable:
    """Chosen columns of a file, of the `n_rows` rows that miss none of them.

    `n_left_out`: how many rows below the header are not in it; `n_missing`: how many rows miss a column, of those
    columns that any row misses.
    """

    name: str
    n_rows: int
    columns: dict[str, DataColumn]
    n_left_out: int = 0
    n_missing: dict[str, int] = field(default_factory=dict)

    @property
    def left_out(self) -> str:
        """What to say of the rows that are left out; nothing where none is."""
        if not self.n_left_out:
            return ""
        missing = ", ".join(f"{name} in {n:,}" for name, n in self.n_missing.items())
        n_all = self.n_rows + self.n_left_out
        return f"{self.n_left_out:,} of {n_all:,} rows are left out because a value is missing: {missing}"


def _fault(column: DataColumn, code: int, expected: str) -> SourceError:
    return SourceError(f"column {column.name}, row {column.rows[code]}: {column.labels[code]!r:.80} {expected}.")


def in_order(labels: Sequence[str]) -> tuple[str, ...]:
    """Return labels by size where all are numbers, or else by the alphabet.

    >>> in_order(["10", "9", "1.5"]), in_order(["b", "10", "a"])
    (('1.5', '9', '10'), ('10', 'a', 'b'))
    """
    numbers = {label: number_of(label) for label in labels}
    return tuple(sorted(labels, key=lambda label: (numbers[label] if None not in numbers.values() else 0, label)))


def number_of(text: str) -> float | None:
    """Return a finite decimal number, None for any other text."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if np.isfinite(value) and "_" not in text else None
