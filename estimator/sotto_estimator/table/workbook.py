"""Rows of an Excel workbook (.xlsx): those of its one sheet that has cells, below a header in the first row."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile, ZipFile

from sotto_estimator.errors import SourceError
from sotto_estimator.results.data_frames import require_frames
from sotto_estimator.table.rows import OpenTable, refused_as
from sotto_protocol.extras import MissingExtra

if TYPE_CHECKING:
    import pyarrow as pa

EXTRA = "excel"
_BLOCK_ROWS = 2**14
_FORMULA, _ERROR = "f", "e"
"""openpyxl's names of these types of cells."""


def open_workbook(path: Path) -> OpenTable:
    """Return the rows of a workbook; empty rows are left out, and a formula has its stored value.

    Raises SourceError for several sheets with cells, a formula without a value, or an error such as #N/A. Raises
    MissingExtra without openpyxl.
    """
    what = f"{path}, an Excel workbook,"
    if find_spec("openpyxl") is None:
        raise MissingExtra(what, EXTRA, "openpyxl")
    require_frames(what, "pyarrow")
    name, header = _sheet_of(path)

    def batches(names: list[str]) -> "Iterator[pa.RecordBatch]":
        import pyarrow as pa

        places = [header.index(one) for one in names]
        columns: list[list[object]] = [[] for _ in names]
        for values in _rows(path, name, places):
            for column, value in zip(columns, values, strict=True):
                column.append(value)
        arrays = [_array(column) for column in columns]
        for start in range(0, len(columns[0]), _BLOCK_ROWS):
            yield pa.RecordBatch.from_arrays([array.slice(start, _BLOCK_ROWS) for array in arrays], names)

    return OpenTable(str(path), header, 0, batches, {}, path.stat().st_size)


@contextmanager
def _books(path: Path) -> Iterator[tuple[Any, Any]]:
    """Open the workbook with the values of its formulas, and with the formulas; once, where it has none."""
    from openpyxl import load_workbook

    faults = (BadZipFile, KeyError, ValueError, TypeError, OSError, SyntaxError)
    with path.open("rb") as first, path.open("rb") as second:
        with refused_as(f"{path} is an Excel workbook", *faults):
            values = load_workbook(first, read_only=True, data_only=True)
            formulas = load_workbook(second, read_only=True) if _has_formulas(path) else values
        yield values, formulas


def _has_formulas(path: Path) -> bool:
    with ZipFile(path) as file:
        sheets = (file.read(name) for name in file.namelist() if name.startswith("xl/worksheets/"))
        return any(re.search(rb"<(\w+:)?f[\s/>]", sheet) for sheet in sheets)


def _sheet_of(path: Path) -> tuple[str, list[str]]:
    """Return the name of the sheet that has cells, and the columns' names."""
    with _books(path) as (book, _):
        found = [(sheet.title, cells) for sheet in book.worksheets if (cells := _first_row(sheet))]
    if len(found) != 1:
        names = ", ".join(repr(name) for name, _ in found) or "none"
        raise SourceError(f"{path}: only one sheet may have cells in its first row ({names}).")
    [(name, cells)] = found
    return name, ["" if cell is None else str(cell) for cell in cells]


def _first_row(sheet: Any) -> list[object]:
    sheet.reset_dimensions()  # what other programs say of a sheet's size may be wrong
    cells = [cell.value for cell in next(iter(sheet.iter_rows()), ())]
    while cells and cells[-1] is None:
        cells.pop()
    return cells


def _rows(path: Path, name: str, places: Sequence[int]) -> Iterator[list[object]]:
    with _books(path) as (of_values, of_formulas):
        sheet, formulas = of_values[name], of_formulas[name]
        for number, (cells, sources) in enumerate(_pairs(sheet, formulas), 1):
            if number > 1 and any(cell.value is not None for cell in sources):
                yield [_value(path, number, cells[at], sources[at]) if at < len(cells) else None for at in places]


def _pairs(sheet: Any, formulas: Any) -> Iterator[tuple[Any, Any]]:
    for one in (sheet, formulas):
        one.reset_dimensions()
    if sheet is formulas:
        return ((cells, cells) for cells in sheet.iter_rows())
    return zip(sheet.iter_rows(), formulas.iter_rows(), strict=True)


def _value(path: Path, row: int, cell: Any, formula: Any) -> object:
    if formula.data_type == _FORMULA and cell.value is None:
        raise SourceError(
            f"{path}, row {row}: {formula.coordinate} has a formula without a stored value. Open and save the workbook "
            "in a spreadsheet program."
        )
    if cell.data_type == _ERROR:
        raise SourceError(f"{path}, row {row}: {cell.coordinate} has the error {cell.value}.")
    found: object = cell.value
    return found


def _array(values: Sequence[object]) -> "pa.Array":
    """Return a column's values; of several types as texts, whole numbers without decimals."""
    import pyarrow as pa

    try:
        return pa.array(values)
    except (pa.ArrowException, TypeError, ValueError):
        return pa.array([None if value is None else str(value) for value in values], pa.string())
