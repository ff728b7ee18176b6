"""The forms of a file of reports in words, by how its name ends."""

from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

from sotto_collector.archive.program_files import ExcelWriter, ProgramWriter
from sotto_collector.errors import ArchiveError
from sotto_protocol.cells import without_formulas
from sotto_protocol.extras import MissingExtra
from sotto_protocol.program_table import PROGRAMS


class _CsvWriter(pyarrow.csv.CSVWriter):  # type: ignore[misc]  # Arrow has no types
    """Writes an option as its text, no formula to a spreadsheet, and bits in hexadecimal."""

    def __init__(self, file: BinaryIO, schema: pa.Schema) -> None:
        super().__init__(file, _as_texts(schema.empty_table()).schema)

    def write_table(self, table: pa.Table, max_chunksize: int | None = None) -> None:
        super().write_table(_as_texts(table), max_chunksize)


def _as_texts(table: pa.Table) -> pa.Table:
    for place, field in enumerate(table.schema):
        chunks = table.column(place).chunks
        if pa.types.is_dictionary(field.type):
            table = table.set_column(place, field.name, _chunked([_options(chunk) for chunk in chunks]))
        elif pa.types.is_fixed_size_binary(field.type):
            table = table.set_column(place, field.name, _chunked([_hexadecimal(chunk) for chunk in chunks]))
    return table


def _chunked(chunks: list[pa.Array]) -> pa.ChunkedArray:
    return pa.chunked_array(chunks, pa.string())


def _options(chunk: pa.DictionaryArray) -> pa.Array:
    return pa.array(without_formulas(chunk.dictionary.to_pylist()), pa.string()).take(chunk.indices)


def _hexadecimal(chunk: pa.Array) -> pa.Array:
    return pa.array([None if value is None else value.hex() for value in chunk.to_pylist()], pa.string())


def _parquet_writer(file: BinaryIO, schema: pa.Schema) -> pq.ParquetWriter:
    dictionaries = [field.name for field in schema if pa.types.is_dictionary(field.type)]
    return pq.ParquetWriter(file, schema, compression="none", use_dictionary=dictionaries, write_statistics=False)


FORMS: dict[str, Callable[[BinaryIO, pa.Schema], Any]] = {
    ".parquet": _parquet_writer,
    ".csv": _CsvWriter,
    ".arrow": pa.ipc.new_file,
    ".feather": pa.ipc.new_file,
    ".dta": partial(ProgramWriter, ending=".dta"),
    ".sav": partial(ProgramWriter, ending=".sav"),
    ".xlsx": ExcelWriter,
}
"""What opens a writer: it has `write_table(table, n_rows_at_once)`, and is to be closed."""
_NEEDED = {".dta": ("spss", "pyreadstat"), ".sav": ("spss", "pyreadstat"), ".xlsx": ("excel", "openpyxl")}
"""By the ending: the extra, and the module of it."""


def form_of(path: Path) -> Callable[[BinaryIO, pa.Schema], Any]:
    """Return what writes a file of this name.

    Raises ArchiveError for an ending that says none of the forms, MissingExtra where its library is not installed.
    """
    ending = path.suffix.lower()
    if ending not in FORMS:
        *first, last = FORMS
        raise ArchiveError(f"{path} must end in {', '.join(first)} or {last}, which says the file's form.")
    extra, module = _NEEDED.get(ending, ("", ""))
    if module and find_spec(module) is None:
        raise MissingExtra(f"{path}, a file of {PROGRAMS[ending]},", extra, module)
    return FORMS[ending]
