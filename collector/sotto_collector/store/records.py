"""A survey's packed reports, read in chunks from one snapshot of the store, without their ids: those are receipts."""

from collections.abc import Generator, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from sqlalchemy import CompoundSelect, Connection, LargeBinary, Select, Table, func, literal, select, union_all

from sotto_collector.store.dialect import Dialect
from sotto_collector.store.schema import inbox, reports
from sotto_collector.store.stock import count_tallied
from sotto_protocol import Survey
from sotto_protocol.record import STRATUM, WAVE

CHUNK_BYTES = 2**18
"""The most of the reports that is held in memory at once."""
MAX_PARTS = 4096


@dataclass(frozen=True, slots=True)
class Part:
    """One of `n_parts` parts of a survey's reports, about equally large: by the first two bytes of their ids."""

    index: int
    n_parts: int

    def __post_init__(self) -> None:
        if not 1 <= self.n_parts <= MAX_PARTS or not 0 <= self.index < self.n_parts:
            raise ValueError(f"part must be i/n, with n in [1, {MAX_PARTS}] and i in [0, n - 1].")

    def bounds(self) -> tuple[bytes, bytes | None]:
        """Return the first two bytes from which the part begins, and before which it ends; None: it is the last."""
        low, high = (65536 * index // self.n_parts for index in (self.index, self.index + 1))
        return low.to_bytes(2, "big"), None if high == 65536 else high.to_bytes(2, "big")


@dataclass(frozen=True, slots=True)
class Selection:
    """Which reports of a survey are asked for: all, or those of a wave, of a stratum, of a part."""

    key: int
    survey: Survey
    wave: int | None = None
    part: Part | None = None
    stratum: int | None = None

    def rows(self) -> CompoundSelect[Any]:
        """Return the statement for (report_id, packed) of those that were not erased, wherever they lie."""
        return union_all(self._rows_of(inbox), self._rows_of(reports))

    def _rows_of(self, table: Table) -> Select[Any]:
        columns = table.c
        conditions = [columns.survey_key == self.key, func.length(columns.packed) > 0]
        asked = {WAVE: self.wave, STRATUM: self.stratum}
        for field in self.survey.layout.head:
            if (chosen := asked[field.name]) is not None:
                number = literal(chosen.to_bytes(field.n_bytes, "big"), LargeBinary)
                found = func.substr(columns.packed, 1 + field.start, field.n_bytes, type_=LargeBinary)
                conditions.append(found == number)
        if self.part is not None:
            low, high = self.part.bounds()
            conditions.append(columns.report_id >= low)
            conditions += [] if high is None else [columns.report_id < high]
        return select(columns.report_id, columns.packed).where(*conditions)

    def count(self, connection: Connection) -> int:
        """Return how many there are; unless a part is asked for, from the tally."""
        if self.part is not None:
            return int(connection.execute(select(func.count()).select_from(self.rows().subquery())).scalar_one())
        return count_tallied(connection, self.key, self.survey.cells(self.wave, self.stratum))

    def chunks(self, dialect: Dialect, connection: Connection) -> Generator[bytes, None, None]:
        """Yield the packed reports, joined, some at a time, in the order of their ids. Raises the driver's error."""
        n_rows = max(1, CHUNK_BYTES // self.survey.layout.n_bytes)
        statement = self.rows().order_by("report_id")
        for rows in dialect.stream(connection, statement, n_rows):
            yield b"".join([packed for _, packed in rows])


def count_ids(connection: Connection, key: int) -> int:
    """Return how many reports of a survey have an id in the store, those that were erased or are not kept too."""
    each = [select(func.count()).select_from(table).where(table.c.survey_key == key) for table in (inbox, reports)]
    return sum(int(connection.execute(statement).scalar_one()) for statement in each)


class Records:
    """An open snapshot: what is committed later is not in it, however late `chunks` is read.

    `n_records`, each `width` bytes long, in the order of their random ids. Close it: the log cannot be emptied before.
    """

    def __init__(self, dialect: Dialect, selection: Selection) -> None:
        """Open one. Raises SQLAlchemyError."""
        self.width = selection.survey.layout.n_bytes
        self._selection = selection
        self._dialect = dialect
        with ExitStack() as opened:
            self._connection: Connection = opened.enter_context(dialect.snapshot())
            self.n_records = selection.count(self._connection)
            self._open = opened.pop_all()

    def chunks(self) -> Iterator[bytes]:
        """Yield the records, joined, some at a time. Raises the driver's error."""
        chunks = self._selection.chunks(self._dialect, self._connection)
        self._open.callback(chunks.close)  # however far they were read
        return chunks

    def close(self) -> None:
        """Close the snapshot; twice is fine."""
        self._open.close()

    def __enter__(self) -> "Records":
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, at: TracebackType | None) -> None:
        self.close()
