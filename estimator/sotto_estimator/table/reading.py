"""Reading chosen columns of a CSV, once and in bounded memory."""

import csv
from collections.abc import Callable, Sequence
from itertools import chain, islice
from operator import itemgetter
from pathlib import Path

from sotto_estimator.errors import SourceError
from sotto_estimator.table.building import MAX_BYTES, Builder, NotNumbersError
from sotto_estimator.table.lines import read_csv_lines, read_lines
from sotto_estimator.table.rows import check_column, expanded
from sotto_estimator.table.table import DataTable

_DELIMITERS = (",", ";", "\t")
_BLOCK_ROWS = 2**13


def read_table(
    path: Path,
    names: Sequence[str],
    *,
    complete: Sequence[str] = (),
    numbers: Sequence[str] = (),
    max_bytes: int = MAX_BYTES,
    progress: Callable[[int], object] = lambda _: None,
) -> DataTable:
    """Return the columns of these names of a CSV with a header, in UTF-8, of the rows that miss none of them.

    Columns are parted by commas, semicolons or tabs, whichever gives the names. A name with * stands for all columns
    that fit. A cell that is empty, NA or NaN is missing; in a column of `complete` it is an error. Of a column of
    `numbers`, if all its cells are, only the numbers are kept, not how they are written. `progress` hears of bytes.
    Raises SourceError, which names the row: for a column that is not there or twice, a row of more or fewer cells, what
    is no CSV in UTF-8, a file without rows, and, early, for one of whose columns more than `max_bytes` would be kept.
    """
    try:
        return _read(path, names, complete, numbers, max_bytes, progress)
    except NotNumbersError as odd:
        left = [name for name in numbers if name not in odd.names]
    return read_table(path, names, complete=complete, numbers=left, max_bytes=max_bytes, progress=progress)


def _read(
    path: Path,
    names: Sequence[str],
    complete: Sequence[str],
    numbers: Sequence[str],
    max_bytes: int,
    progress: Callable[[int], object],
) -> DataTable:
    lines = read_lines(path, progress)
    first = next(lines, "")
    delimiter = max(_DELIMITERS, key=lambda of: _rank(first, of, names))
    records = (row for _, row in read_csv_lines(path, chain([first], lines), delimiter) if row)
    header = next(records, [])
    builder = Builder(str(path), expanded(header, names), expanded(header, complete), max_bytes, numbers)
    pick = [itemgetter(_place(path, header, name)) for name in builder.names]
    n_chars = 0
    while rows := list(islice(records, _BLOCK_ROWS)):
        _check_widths(path, rows, len(header), builder.n_read)
        builder.add([list(map(cell, rows)) for cell in pick])
        n_chars += sum(map(len, chain.from_iterable(rows))) + len(header) * len(rows)
        builder.check_size(builder.n_read * path.stat().st_size / n_chars)
    return builder.table()


def _rank(line: str, delimiter: str, names: Sequence[str]) -> tuple[int, int]:
    """Return how well a delimiter parts a header: by how many names it gives, then by how many columns.

    One that leaves a name too long for a CSV parts it worst.
    """
    try:
        header = next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error:
        return 0, 0
    return sum(name in header for name in names), len(header)


def _place(path: Path, header: Sequence[str], name: str) -> int:
    check_column(str(path), header, name)
    return header.index(name)


def _check_widths(path: Path, rows: Sequence[Sequence[str]], width: int, n_before: int) -> None:
    if {*map(len, rows)} == {width}:
        return
    odd = next(place for place, row in enumerate(rows) if len(row) != width)
    raise SourceError(f"{path}, row {n_before + odd + 2}: has {len(rows[odd])} cells, where the header has {width}.")
