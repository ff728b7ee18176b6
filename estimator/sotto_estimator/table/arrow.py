"""Rows of Parquet and Arrow files, and of data frames: only the columns that are asked for are read, in blocks."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sotto_estimator.errors import SourceError
from sotto_estimator.results.data_frames import require_frames
from sotto_estimator.table.rows import OpenTable, refused_as

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

FRAME = "the data frame"


def open_parquet(path: Path) -> OpenTable:
    """Return the rows of a Parquet file. Raises SourceError for one that is damaged, MissingExtra without pyarrow."""
    require_frames(f"{path}, a Parquet file,", "pyarrow")
    import pyarrow as pa
    import pyarrow.parquet as pq

    what, faults = f"{path} is a Parquet file", (pa.ArrowException, OSError)

    def batches(names: list[str]) -> "Iterator[pa.RecordBatch]":
        with refused_as(what, *faults), pq.ParquetFile(path, buffer_size=2**20) as file:
            for batch in file.iter_batches(2**16, columns=names, use_threads=False):
                yield batch.select(names)

    with refused_as(what, *faults), pq.ParquetFile(path) as file:
        return OpenTable(
            str(path), file.schema_arrow.names, file.metadata.num_rows, batches, n_bytes=path.stat().st_size
        )


def open_arrow(path: Path) -> OpenTable:
    """Return the rows of an Arrow file or stream, which Feather is. Raises as `open_parquet`."""
    require_frames(f"{path}, an Arrow file,", "pyarrow")
    import pyarrow as pa

    what, faults = f"{path} is an Arrow file", (pa.ArrowException, OSError)

    def batches(names: list[str]) -> "Iterator[pa.RecordBatch]":
        with refused_as(what, *faults), pa.memory_map(str(path)) as file:
            places = sorted(map(columns.index, names))
            for batch in _read_batches(file, pa.ipc.IpcReadOptions(included_fields=places, use_threads=False)):
                yield batch.select(names)

    with refused_as(what, *faults), pa.memory_map(str(path)) as file:
        columns: list[str] = _open_stream(file).schema.names
    return OpenTable(str(path), columns, 0, batches)


def open_frame(frame: Any) -> OpenTable:
    """Return the rows of a data frame: of pandas, of polars, or of whatever else gives an Arrow stream."""
    require_frames(FRAME, "pyarrow")
    if _is_pandas(frame):
        return OpenTable(FRAME, [*map(str, frame.columns)], len(frame), lambda names: [_batch_of_pandas(frame, names)])
    import pyarrow as pa

    def batches(names: list[str]) -> "Iterator[pa.RecordBatch]":
        with refused_as(FRAME, pa.ArrowException, TypeError, ValueError):
            chosen = frame.select(names) if hasattr(frame, "select") else frame
            for batch in pa.RecordBatchReader.from_stream(chosen):
                yield batch.select(names)

    names = getattr(frame, "column_names", None) or frame.columns
    return OpenTable(FRAME, list(names), len(frame), batches)


def is_frame(source: object) -> bool:
    """Return whether it is a data frame."""
    return (hasattr(source, "__arrow_c_stream__") and hasattr(source, "columns")) or _is_pandas(source)


def _is_pandas(source: object) -> bool:
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(source, pandas.DataFrame)


def _batch_of_pandas(frame: "pd.DataFrame", names: list[str]) -> "pa.RecordBatch":
    import pyarrow as pa

    known = [*map(str, frame.columns)]
    return pa.RecordBatch.from_arrays([_array(name, frame.iloc[:, known.index(name)]) for name in names], names)


def _array(name: str, values: "pd.Series") -> "pa.Array":
    """Return a column's values; of several types as texts."""
    import pyarrow as pa

    try:
        found = pa.array(values, from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError):
        cells = enumerate(zip(values, values.isna(), strict=True), 2)
        found = pa.array([None if missing else _text(name, value, row) for row, (value, missing) in cells], pa.string())
    return found.combine_chunks() if isinstance(found, pa.ChunkedArray) else found


def _text(name: str, value: object, row: int) -> str:
    if isinstance(value, list | tuple | dict | set | bytes):
        raise SourceError(f"{FRAME}, row {row}: column {name} has a {type(value).__name__}, where one value can be.")
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _open_stream(file: "pa.NativeFile", options: Any = None) -> Any:
    import pyarrow as pa

    is_file = file.read(6) == b"ARROW1"
    file.seek(0)
    return (pa.ipc.open_file if is_file else pa.ipc.open_stream)(file, options=options)


def _read_batches(file: "pa.NativeFile", options: Any) -> "Iterator[pa.RecordBatch]":
    reader = _open_stream(file, options)
    if hasattr(reader, "get_batch"):
        yield from map(reader.get_batch, range(reader.num_record_batches))
    else:
        yield from reader
