"""Which columns an archive of a survey has, and packed reports turned into them and back.

A survey of several waves has a column `wave`, one with `draw` a column `drawn`: bit i says whether question i was
drawn, and the columns of one that was not are zero. A question has `ID.value` (yes-no, k-ary: the number that is
reported), or `ID.bits`; in front of a text's bits stand `ID.cohort` and, where unknown strings can be found, `ID.pair`,
and behind them the n-grams' `ID.gram1` and `ID.gram2`. Bits are packed as in a report at rest.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sotto_protocol import Survey
from sotto_protocol.mechanisms.mechanism import Bytes

_DRAWN = "drawn"


@dataclass(frozen=True, slots=True)
class Column:
    """One column: `width` bytes of a packed report from byte `start` on; a number, big-endian, or bits."""

    name: str
    start: int
    width: int
    is_number: bool

    @property
    def type(self) -> pa.DataType:
        """As what Arrow holds it."""
        if self.is_number:
            return pa.uint8() if self.width == 1 else pa.uint16()
        return pa.binary(self.width)

    def take(self, records: Bytes) -> pa.Array:
        """Return the column of packed reports, shape (n, layout.n_bytes)."""
        pieces = np.ascontiguousarray(self._place(records))
        if self.is_number:
            return pa.array(pieces.astype(pieces.dtype.newbyteorder("=")))
        return pa.FixedSizeBinaryArray.from_buffers(self.type, len(pieces), [None, pa.py_buffer(pieces)])

    def put(self, column: pa.Array, records: Bytes) -> None:
        """Write the column into packed reports, shape (n, layout.n_bytes)."""
        place = self._place(records)
        if self.is_number:
            place[:] = column.to_numpy()
        elif len(column):
            place[:] = np.frombuffer(column.buffers()[1], place.dtype, len(column), column.offset * self.width)

    def _place(self, records: Bytes) -> NDArray[np.generic]:
        """Return a view of it, shape (n,), an item a row: numpy copies items whole, and columns byte by byte."""
        kind = {1: "u1", 2: ">u2"}[self.width] if self.is_number else f"V{self.width}"
        view: NDArray[np.generic] = records[:, self.start : self.start + self.width].view(kind)[:, 0]
        return view


class Layout:
    """The columns of one survey's archive, in the order of the packed report's bytes."""

    def __init__(self, survey: Survey) -> None:
        self.survey = survey
        self.columns = list(_columns(survey))
        self.schema = pa.schema([pa.field(column.name, column.type, nullable=False) for column in self.columns])

    @property
    def sort_key(self) -> Column | None:
        """The first text's cohort: reports that are sorted by it are counted faster. None without a text."""
        return next((column for column in self.columns if column.name.endswith(".cohort")), None)

    def to_batch(self, records: Bytes) -> pa.RecordBatch:
        """Return packed reports, shape (n, layout.n_bytes), as columns."""
        return pa.record_batch([column.take(records) for column in self.columns], schema=self.schema)

    def to_records(self, batch: pa.RecordBatch) -> Bytes:
        """Return columns as packed reports, shape (n, layout.n_bytes)."""
        records = np.empty((batch.num_rows, self.survey.layout.n_bytes), np.uint8)
        for column, array in zip(self.columns, batch.columns, strict=True):
            column.put(array, records)
        return records


def _columns(survey: Survey) -> Iterator[Column]:
    for field in survey.layout.head:
        yield Column(field.name, field.start, field.n_bytes, is_number=True)
    start = survey.layout.columns_start
    if survey.draw:
        yield Column(_DRAWN, survey.layout.head_bytes, start - survey.layout.head_bytes, is_number=False)
    for question in survey.questions:
        for part in question.mechanism.parts():
            yield Column(f"{question.id}.{part.name}", start, part.n_bytes, part.is_number)
            start += part.n_bytes
