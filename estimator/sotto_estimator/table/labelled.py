"""Rows of SPSS and Stata files: their value labels are the words of their values, what a user called missing is."""

from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from os import SEEK_END
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sotto_estimator.results.data_frames import require_frames
from sotto_estimator.table.rows import OpenTable, refused_as, texts_of
from sotto_protocol.extras import MissingExtra

if TYPE_CHECKING:
    import pyarrow as pa

EXTRA = "spss"
PROGRAMS = {"sav": "an SPSS file", "dta": "a Stata file"}
_CHUNK_ROWS, _MAX_CHUNKS = 2**17, 16
"""Of a compressed file each chunk is found by reading all before it."""
_STATA, _STATA_END = b"<stata_dta>", b"</stata_dta>"


def open_labelled(path: Path, kind: str) -> OpenTable:
    """Return the rows of an SPSS (sav) or Stata (dta) file. Raises SourceError, MissingExtra without pyreadstat."""
    if find_spec("pyreadstat") is None:
        raise MissingExtra(f"{path}, {PROGRAMS[kind]},", EXTRA, "pyreadstat")
    require_frames(f"{path}, {PROGRAMS[kind]},", "pyarrow")
    import pyarrow as pa
    import pyreadstat

    read = {"sav": pyreadstat.read_sav, "dta": pyreadstat.read_dta}[kind]
    what = f"{path} is {PROGRAMS[kind]}"
    faults = (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, pa.ArrowException, OSError, ValueError, TypeError)

    def batches(names: list[str]) -> "Iterator[pa.RecordBatch]":
        with refused_as(what, *faults, OverflowError):
            chunks = pyreadstat.read_file_in_chunks(
                read, str(path), chunksize=max(_CHUNK_ROWS, n_rows // _MAX_CHUNKS), usecols=names, output_format="dict"
            )
            for cells, _ in chunks:
                yield pa.RecordBatch.from_arrays([pa.array(cells[name]) for name in names], names)

    with refused_as(what, *faults):
        _check_end(path)
        _, about = read(str(path), metadataonly=True, output_format="dict")
        n_rows = about.number_rows or 0
        words = {name: _words(labels) for name, labels in about.variable_value_labels.items()}
        return OpenTable(str(path), about.column_names, n_rows, batches, words, path.stat().st_size)


def _check_end(path: Path) -> None:
    """Raise ValueError for a file of Stata's that was cut short: its labels stand last, and might not be missed."""
    with path.open("rb") as file:
        start = file.read(len(_STATA))
        file.seek(-min(path.stat().st_size, len(_STATA_END)), SEEK_END)
        if start == _STATA and file.read() != _STATA_END:
            raise ValueError("its end is missing")


def _words(labels: Mapping[Any, str]) -> dict[str, str]:
    """Return the word of each value's text: its label, and the value too where it has that label with others."""
    import pyarrow as pa

    texts, said = texts_of(pa.array([*labels])), [label.strip() for label in labels.values()]
    return {
        text: label if said.count(label) == 1 else f"{label} ({text})"
        for text, label in zip(texts, said, strict=True)
        if label
    }
