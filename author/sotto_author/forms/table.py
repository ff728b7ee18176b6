"""A table as text (CSV, TSV), within bounds of memory and time: rows by the names of their columns."""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import StringIO

from sotto_author.errors import FormError

MAX_CELL = 32_767
"""Characters, as in a workbook."""
MAX_ROWS = 5_000
_MAX_COLUMNS = 1_000
_SEPARATORS = "\t;,"


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row that is not empty: `line` is the line of the file that it ends on."""

    line: int
    cells: dict[str, str]

    def __getitem__(self, column: str) -> str:
        return self.cells.get(column, "")


def read_text(content: bytes) -> str:
    """Return the text of a file. Raises FormError where it is not UTF-8."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        raise FormError(
            f"must be UTF-8 (byte {fault.start + 1:,} is not): in a spreadsheet, save it as CSV UTF-8."
        ) from None


def columns_of(text: str) -> list[str]:
    """Return the names in the first line of a table, whatever separates them; [] where there is none."""
    first = text[: MAX_CELL * 2].lstrip().partition("\n")[0]
    return [name.strip().strip('"').strip().lower() for name in first.split(_separator(first))]


def read_table(text: str, renamed: Mapping[str, str]) -> list[TableRow]:
    """Return the rows below the first, by the first row's names in lower case, or as `renamed`. Raises FormError."""
    lines = csv.reader(
        StringIO(text.lstrip("\n\r")), delimiter=_separator(text.lstrip().partition("\n")[0]), strict=True
    )
    rows: list[TableRow] = []
    try:
        written = [" ".join(name.split()).lower() for name in next(lines, [])]
        names = [renamed.get(name, name) for name in written]
        _check_names(names)
        for cells in lines:
            if not any(cells):
                continue
            if len(rows) == MAX_ROWS:
                raise FormError(f"has more than {MAX_ROWS:,} rows.")
            rows.append(_row(lines.line_num, names, cells))
    except csv.Error as fault:
        raise FormError(
            f"line {lines.line_num}: is no row of a table ({fault}): look at its quotation marks."
        ) from None
    return rows


def _separator(first: str) -> str:
    return max(_SEPARATORS, key=first.count)


def _check_names(names: Sequence[str]) -> None:
    if len(names) > _MAX_COLUMNS:
        raise FormError(f"line 1: has more than {_MAX_COLUMNS:,} columns.")
    twice = [name for index, name in enumerate(names) if name and name in names[:index]]
    if twice:
        raise FormError(f"line 1: has two columns {twice[0][:60]}.")


def _row(line: int, names: Sequence[str], cells: Sequence[str]) -> TableRow:
    if any(len(cell) > MAX_CELL for cell in cells):
        raise FormError(f"line {line}: has a cell of more than {MAX_CELL:,} characters.")
    if any(cell.strip() for cell in cells[len(names) :]):
        raise FormError(f"line {line}: has {len(cells)} cells, and the first line names {len(names)} columns.")
    return TableRow(line, {name: cell.strip() for name, cell in zip(names, cells, strict=False) if name})
