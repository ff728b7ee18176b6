"""A survey's archive as Arrow has it, and packed reports turned into columns and back."""

import numpy as np
import pyarrow as pa

from sotto_protocol import Survey
from sotto_protocol.archive import Column, columns_of
from sotto_protocol.mechanisms.mechanism import Bytes


class Layout:
    """The columns of one survey's archive, in the order of the packed report's bytes."""

    def __init__(self, survey: Survey) -> None:
        self.survey = survey
        self.columns = list(columns_of(survey))
        self.schema = pa.schema([pa.field(column.name, _type(column), nullable=False) for column in self.columns])

    @property
    def sort_key(self) -> Column | None:
        """The first text's cohort: reports that are sorted by it are counted faster. None without a text."""
        return next((column for column in self.columns if column.name.endswith(".cohort")), None)

    def to_batch(self, records: Bytes) -> pa.RecordBatch:
        """Return packed reports, shape (n, layout.n_bytes), as columns."""
        return pa.record_batch([_take(column, records) for column in self.columns], schema=self.schema)

    def to_records(self, batch: pa.RecordBatch) -> Bytes:
        """Return columns as packed reports, shape (n, layout.n_bytes)."""
        records = np.empty((batch.num_rows, self.survey.layout.n_bytes), np.uint8)
        for column, array in zip(self.columns, batch.columns, strict=True):
            _put(column, array, records)
        return records


def _type(column: Column) -> pa.DataType:
    """Return as what Arrow holds a column."""
    if column.is_number:
        return pa.uint8() if column.width == 1 else pa.uint16()
    return pa.binary(column.width)


def _take(column: Column, records: Bytes) -> pa.Array:
    """Return the column of packed reports, shape (n, layout.n_bytes)."""
    pieces = np.ascontiguousarray(column.place(records))
    if column.is_number:
        return pa.array(pieces.astype(pieces.dtype.newbyteorder("=")))
    return pa.FixedSizeBinaryArray.from_buffers(_type(column), len(pieces), [None, pa.py_buffer(pieces)])


def _put(column: Column, array: pa.Array, records: Bytes) -> None:
    """Write the column into packed reports, shape (n, layout.n_bytes)."""
    place = column.place(records)
    if column.is_number:
        place[:] = array.to_numpy()
    elif len(array):
        place[:] = np.frombuffer(array.buffers()[1], place.dtype, len(array), array.offset * column.width)
