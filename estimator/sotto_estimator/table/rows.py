"""Columns of typed values, as Parquet, Arrow, statistics programs and data frames have them, read as texts of a CSV."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from sotto_estimator.channel.channel import Floats
from sotto_estimator.errors import SourceError, meant
from sotto_estimator.table.building import MAX_BYTES, Builder, NotNumbersError
from sotto_estimator.table.table import DataTable

if TYPE_CHECKING:
    import pyarrow as pa

_BLOCK_ROWS = 2**15
_MAX_LISTED = 400
_READ = "texts, numbers, booleans, dates and times"


@dataclass(frozen=True, slots=True)
class OpenTable:
    """Rows that can be read: what they are called, which columns there are, and how many rows, 0 if nobody knows yet.

    `batches` gives the rows of some columns by their names, each in blocks as they come. `words`: of a column what
    stands for a value, where the file says so.
    """

    name: str
    columns: list[str]
    n_rows: int
    batches: "Callable[[list[str]], Iterable[pa.RecordBatch]]"
    words: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    n_bytes: int = 0


def read_rows(
    rows: OpenTable,
    names: Sequence[str],
    *,
    complete: Sequence[str] = (),
    numbers: Sequence[str] = (),
    max_bytes: int = MAX_BYTES,
    progress: Callable[[int], object] = lambda _: None,
) -> DataTable:
    """Return the columns of these names, of the rows that miss none of them, as `read_table` does of a CSV.

    A whole number is written without decimals, a truth value is True or False, a date 2024-05-31, a moment 2024-05-31
    12:00:00. Raises SourceError, for a column of lists, bytes and the like too.
    """
    wanted, needed = (expanded(rows.columns, of) for of in (names, complete))
    try:
        return _read(rows, Builder(rows.name, wanted, needed, max_bytes, numbers), progress)
    except NotNumbersError as odd:
        left = [name for name in numbers if name not in odd.names]
    return read_rows(rows, names, complete=complete, numbers=left, max_bytes=max_bytes, progress=progress)


def _read(rows: OpenTable, builder: Builder, progress: Callable[[int], object]) -> DataTable:
    wanted = list(builder.names)
    for name in wanted:
        check_column(rows.name, rows.columns, name)
    builder.check_size(rows.n_rows)
    for batch in rows.batches(wanted):
        for start in range(0, batch.num_rows, _BLOCK_ROWS):
            block = batch.slice(start, _BLOCK_ROWS)
            columns = {name: block.column(place) for place, name in enumerate(wanted)}
            builder.add([_values(rows, builder, name, array) for name, array in columns.items()])
            builder.check_size(max(rows.n_rows, builder.n_read))
            progress(rows.n_bytes * block.num_rows // max(1, builder.n_read, rows.n_rows))
    return builder.table()


def read_cells(rows: OpenTable, name: str) -> Iterator[str]:
    """Yield the texts of one column, row by row; "" where a value is missing. Raises SourceError."""
    check_column(rows.name, rows.columns, name)
    for batch in rows.batches([name]):
        yield from _cells(rows, name, batch.column(0))


def expanded(columns: Sequence[str], names: Sequence[str]) -> list[str]:
    """Return names, each once, where one with * is all columns that fit."""
    return list(dict.fromkeys(column for name in names for column in matching(columns, name)))


def matching(columns: Sequence[str], name: str) -> list[str]:
    """Return the columns that a name stands for: its own, or of one with *, which is no column, all that fit.

    >>> matching(["rep1", "w", "rep2"], "rep*"), matching(["rep1"], "w")
    (['rep1', 'rep2'], ['w'])
    """
    if name in columns or "*" not in name:
        return [name]
    pattern = re.compile(".*".join(map(re.escape, name.split("*"))), re.DOTALL)
    return [column for column in columns if pattern.fullmatch(column)] or [name]


def check_column(name: str, columns: Sequence[str], column: str) -> None:
    """Raise SourceError, which says what may be meant, unless there is one column of this name."""
    if columns.count(column) > 1:
        raise SourceError(f"{name}: has {columns.count(column)} columns named {column!r:.80}. Rename all but one.")
    if not columns.count(column):
        if "*" in column:
            raise SourceError(f"{name}: no column fits {column!r:.80}. It has {_listed(columns)}.")
        hint = f".{meant(columns, column)}" if meant(columns, column) else f"; it has {_listed(columns)}."
        raise SourceError(f"{name}: has no column {column!r:.80}{hint}")


def texts_of(array: "pa.Array") -> list[str]:
    """Return values as the texts that stand for them in a CSV, "" for a missing one. Raises TypeError for others."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if isinstance(array, pa.ExtensionArray):
        array = array.storage
    kind = array.type
    if pa.types.is_dictionary(kind):
        labels = [*texts_of(array.dictionary), ""]
        return [labels[place] for place in pc.fill_null(array.indices.cast(pa.int64()), -1).to_pylist()]
    if pa.types.is_string_view(kind):  # which pyarrow casts only from version 18 on
        return [text or "" for text in array.to_pylist()]
    if pa.types.is_boolean(kind):
        array = pc.if_else(array, "True", "False")
    elif not _is_readable(kind):
        raise TypeError(str(kind))
    texts = pc.cast(array, pa.large_string())
    if pa.types.is_timestamp(kind) or pa.types.is_time(kind):
        texts = pc.replace_substring_regex(texts, r"(\.\d*?)0+([+-]\d+|Z)?$", r"\1\2")
        texts = pc.replace_substring_regex(texts, r"\.([+-]\d+|Z)?$", r"\1")
        texts = pc.replace_substring_regex(texts, r" 00:00:00$", "")
    found: list[str] = pc.fill_null(texts, "").to_pylist()
    return found


@contextmanager
def refused_as(what: str, *faults: type[Exception]) -> Iterator[None]:
    """Raise SourceError in place of a library's errors: `what` it is that cannot be read, and the first line of why."""
    try:
        yield
    except faults as fault:
        why = (str(fault).splitlines() or [type(fault).__name__])[0].rstrip(".")
        raise SourceError(f"{what} that cannot be read: {why:.200}.") from fault


def _values(rows: OpenTable, builder: Builder, name: str, array: "pa.Array") -> list[str] | Floats:
    """Return a column's numbers, where they are kept so and written with all their digits, or else its texts."""
    import pyarrow as pa

    is_double = pa.types.is_float64(array.type) or pa.types.is_integer(array.type)
    if name in builder.numbers and name not in rows.words and is_double:
        return np.asarray(array.to_numpy(zero_copy_only=False), np.float64)
    return _cells(rows, name, array)


def _cells(rows: OpenTable, name: str, array: "pa.Array") -> list[str]:
    import pyarrow as pa

    with refused_as(f"{rows.name}: column {name} has values", pa.ArrowException):
        try:
            texts = texts_of(array)
        except TypeError as fault:
            raise SourceError(
                f"{rows.name}: column {name} has values of type {fault}. A column may have {_READ}."
            ) from None
    words = rows.words.get(name)
    return [words.get(text, text) for text in texts] if words else texts


def _is_readable(kind: "pa.DataType") -> bool:
    from pyarrow import types

    tests = "string large_string integer floating decimal null date time timestamp"
    return any(getattr(types, f"is_{test}")(kind) for test in tests.split())


def _listed(columns: Sequence[str]) -> str:
    listed = ", ".join(map(repr, columns)) or "none"
    return listed if len(listed) <= _MAX_LISTED else f"{listed[:_MAX_LISTED]} .."
