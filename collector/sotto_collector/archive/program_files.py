"""Reports in words as files of Stata, SPSS and Excel. These are made whole, in memory, as the writer is closed."""

from abc import ABC, abstractmethod
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sotto_collector.errors import ArchiveError
from sotto_protocol.program_table import PROGRAMS, ProgramColumn, excel_rows, program_table

QUESTION_KEY = b"question"
"""Of a field: the text of its question."""
_FILE_LABEL = "Noisy reports: a share of a column is no estimate"
_SHEET = "noisy reports"


class _WholeWriter(ABC):
    """Collects tables. Without a fault in its block it writes them as it is closed, and has `notes` then."""

    def __init__(self, file: BinaryIO, schema: pa.Schema, ending: str) -> None:
        self.file, self.schema, self.ending = file, schema, ending
        self.notes: tuple[str, ...] = ()
        self._tables: list[pa.Table] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            table = pa.concat_tables([self.schema.empty_table(), *self._tables]).unify_dictionaries().combine_chunks()
            columns = [_column(table, field) for field in self.schema]
            try:
                self.notes = self._write(columns)
            except ValueError as fault:
                raise ArchiveError(f"{PROGRAMS[self.ending]}: {fault}. Export .parquet or .csv instead.") from fault

    def write_table(self, table: pa.Table, _: int) -> None:
        self._tables.append(table)

    @abstractmethod
    def _write(self, columns: list[ProgramColumn]) -> tuple[str, ...]:
        """Write all columns into the file; return what the file had to change."""


class ProgramWriter(_WholeWriter):
    """Writes options as numbers with labels, questions as labels of variables."""

    def _write(self, columns: list[ProgramColumn]) -> tuple[str, ...]:
        import pandas as pd
        import pyreadstat

        table = program_table(columns, self.ending)
        write = getattr(pyreadstat, f"write_{self.ending.removeprefix('.')}")
        with TemporaryDirectory() as folder:
            path = Path(folder) / "reports"
            write(
                pd.DataFrame(table.columns),
                path,
                file_label=_FILE_LABEL,
                column_labels=table.column_labels,
                variable_value_labels=table.value_labels,
            )
            with path.open("rb") as written:
                copyfileobj(written, self.file)
        return table.notes


class ExcelWriter(_WholeWriter):
    """Writes a sheet of texts and numbers. No text is a formula."""

    def __init__(self, file: BinaryIO, schema: pa.Schema) -> None:
        super().__init__(file, schema, ".xlsx")

    def _write(self, columns: list[ProgramColumn]) -> tuple[str, ...]:
        from openpyxl import Workbook
        from openpyxl.cell import WriteOnlyCell

        rows, notes = excel_rows(columns)
        book = Workbook(write_only=True)
        book.properties.description = _FILE_LABEL
        sheet = book.create_sheet(_SHEET)

        def cell(value: object) -> Any:
            if not (isinstance(value, str) and value.startswith("=")):
                return value
            text = WriteOnlyCell(sheet, value)
            text.data_type = "s"
            return text

        sheet.append([cell(column.name) for column in columns])
        for row in rows:
            sheet.append([cell(value) for value in row])
        book.save(self.file)
        return notes


def _column(table: pa.Table, field: pa.Field) -> ProgramColumn:
    array = table.column(field.name)
    has = pc.is_valid(array).to_numpy()
    question = (field.metadata or {}).get(QUESTION_KEY, b"").decode()
    about = f"Noisy: {question}" if question else ""
    if pa.types.is_dictionary(field.type):
        chunk = array.combine_chunks()
        chunk = chunk.chunk(0) if isinstance(chunk, pa.ChunkedArray) else chunk
        labels = tuple(chunk.dictionary.to_pylist())
        return ProgramColumn(field.name, _filled(chunk.indices), has, labels, about)
    if pa.types.is_fixed_size_binary(field.type):
        texts = [None if value is None else value.hex() for value in array.to_pylist()]
        return ProgramColumn(field.name, np.array(texts, object), has, (), about)
    return ProgramColumn(field.name, _filled(array.combine_chunks()), has, (), about)


def _filled(array: pa.Array) -> Any:
    return pc.fill_null(array, False if pa.types.is_boolean(array.type) else 0).to_numpy(zero_copy_only=False)
