"""A result's rows as a file, whose name's ending says the form: those of its CSV, for spreadsheets and statistics."""

from collections.abc import Callable, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from sotto_estimator.errors import SourceError
from sotto_estimator.results.data_frames import frame_of, require_frames
from sotto_estimator.results.encode import csv_text
from sotto_protocol.extras import MissingExtra
from sotto_protocol.program_table import PROGRAMS, ProgramColumn, excel_rows, program_table

if TYPE_CHECKING:
    import pyarrow as pa

Rows = Sequence[Mapping[str, Any]]
Made = tuple[bytes, Sequence[str]]
"""A file's content, and what in it is not as it was."""
NO_WORDS: Mapping[str, str] = MappingProxyType({})


def check_table_file(path: Path) -> None:
    """Raise SourceError for a name whose ending says no form, MissingExtra where its library is not installed."""
    ending = path.suffix.lower()
    if ending not in FORMS:
        *first, last = FORMS
        raise SourceError(f"{path} must end in {', '.join(first)} or {last}, which says the file's form.")
    extra, modules = FORMS[ending][1:]
    for module in modules:
        try:
            require_frames(f"{path}", module)
        except MissingExtra:
            raise MissingExtra(f"{path}, by its ending,", extra, module) from None


def write_table_file(
    records: Sequence[dict[str, Any]], path: Path, names: Sequence[str] = (), about: Mapping[str, str] = NO_WORDS
) -> Sequence[str]:
    """Write records of the same members into a file; return what it cannot hold as it is, a sentence each.

    `names`: of the members, where there may be no record. `about`: what a column is, for Stata and SPSS. Raises
    SourceError for what the form cannot hold, and for a file that cannot be written.
    """
    check_table_file(path)
    form = PROGRAMS.get(path.suffix.lower(), "")
    try:
        content, notes = FORMS[path.suffix.lower()][0](records, names, about)
        path.write_bytes(content)
    except OSError as fault:
        raise SourceError(f"{path} cannot be written: {fault.strerror}.") from fault
    except ValueError as fault:
        raise SourceError(f"{path}: {fault}. {form} cannot hold it: write .parquet or .csv.") from fault
    return notes


def _csv(records: Sequence[dict[str, Any]], names: Sequence[str], _: Mapping[str, str]) -> Made:
    return f"{csv_text(records, names)}\n".encode(), ()


def _arrow_table(records: Sequence[dict[str, Any]], names: Sequence[str]) -> "pa.Table":
    import pyarrow as pa

    return pa.Table.from_pandas(frame_of(records, names), preserve_index=False)


def _parquet(records: Sequence[dict[str, Any]], names: Sequence[str], _: Mapping[str, str]) -> Made:
    import pyarrow.parquet as pq

    file = BytesIO()
    pq.write_table(_arrow_table(records, names), file)
    return file.getvalue(), ()


def _arrow(records: Sequence[dict[str, Any]], names: Sequence[str], _: Mapping[str, str]) -> Made:
    import pyarrow as pa

    file, table = BytesIO(), _arrow_table(records, names)
    with pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
    return file.getvalue(), ()


def _program(ending: str) -> Callable[..., Made]:
    def write(records: Sequence[dict[str, Any]], names: Sequence[str], about: Mapping[str, str]) -> Made:
        import pandas as pd
        import pyreadstat

        table = program_table(_columns(records, names, about), ending)
        save = getattr(pyreadstat, f"write_{ending.removeprefix('.')}")
        with TemporaryDirectory() as folder:
            path = Path(folder) / "rows"
            save(
                pd.DataFrame(table.columns),
                path,
                column_labels=table.column_labels,
                variable_value_labels=table.value_labels,
            )
            return path.read_bytes(), table.notes

    return write


def _excel(records: Sequence[dict[str, Any]], names: Sequence[str], about: Mapping[str, str]) -> Made:
    from openpyxl import Workbook

    columns = _columns(records, names, about)
    rows, notes = excel_rows(columns)
    book = Workbook()
    header: list[object] = [column.name for column in columns]
    for at, cells in enumerate([header, *rows], 1):
        for place, value in enumerate(cells, 1):
            cell = book.active.cell(at, place, value)
            if isinstance(value, str):
                cell.data_type = "s"  # no text is a formula
    file = BytesIO()
    book.save(file)
    return file.getvalue(), notes


FORMS: Mapping[str, tuple[Callable[..., Made], str, tuple[str, ...]]] = {
    ".csv": (_csv, "", ()),
    ".parquet": (_parquet, "frames", ("pandas", "pyarrow")),
    ".arrow": (_arrow, "frames", ("pandas", "pyarrow")),
    ".feather": (_arrow, "frames", ("pandas", "pyarrow")),
    ".dta": (_program(".dta"), "spss", ("pandas", "pyreadstat")),
    ".sav": (_program(".sav"), "spss", ("pandas", "pyreadstat")),
    ".xlsx": (_excel, "excel", ("openpyxl",)),
}
"""What makes a file by its ending, the extra that it needs, and the modules of that."""


def _columns(records: Rows, names: Sequence[str], about: Mapping[str, str]) -> list[ProgramColumn]:
    listed = [*records[0]] if records else names
    return [_column(name, [record[name] for record in records], about.get(name, "")) for name in listed]


def _column(name: str, values: Sequence[Any], about: str) -> ProgramColumn:
    has = np.array([value is not None and value == value for value in values], np.bool_)  # NaN is not itself
    known = [value for value, there in zip(values, has, strict=True) if there]
    kinds = {type(value) for value in known}
    if kinds <= {bool} and kinds:
        return ProgramColumn(name, np.array([bool(value) for value in values], np.bool_), has, (), about)
    if kinds <= {int, float, bool}:
        filled = [value if there else 0 for value, there in zip(values, has, strict=True)]
        try:
            numbers = np.array(filled, np.int64 if kinds == {int} else np.float64)
        except OverflowError as fault:
            raise ValueError(f"column {name} has a whole number of more than 64 bits") from fault
        return ProgramColumn(name, numbers, has, (), about)
    texts = [str(value) if there else None for value, there in zip(values, has, strict=True)]
    return ProgramColumn(name, np.array(texts, object), has, (), about)
