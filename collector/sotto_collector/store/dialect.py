"""What a database must do in its own way: the rest of the store is the same for all."""

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ClauseElement, Connection, Engine, Table, select
from sqlalchemy.exc import SQLAlchemyError

from sotto_collector.errors import StoreUnavailableError
from sotto_collector.store.upgrade import HEAD, READ_REVISION

Ids = NDArray[np.void]
"""Reports' ids: shape (n,), 16 bytes each."""

POURED_ROWS = 10_000
"""So many rows are copied at a time."""


class Dialect(ABC):
    """One database, open. `name` says which, without a password; `write_engine` makes the connections that write."""

    name: str
    write_engine: Engine
    read_engine: Engine
    for_update: str = ""
    """The end of a SELECT that locks its rows until the transaction ends."""
    n_shards: int = 64
    """A tally has so many shards. A process writes to one, drawn as it opens the store: two seldom want one row."""
    driver_error: type[Exception]
    """What the driver raises; SQLAlchemy wraps it into its own `SQLAlchemyError`."""

    @abstractmethod
    def reason(self, fault: Exception) -> str:
        """Return what the database says of a fault, in a line: never the statement, never its values."""

    @contextmanager
    def guarded(self, what: str = "the store cannot write now") -> Iterator[None]:
        """Raise StoreUnavailableError for a fault of the database, saying `what`."""
        try:
            yield
        except (SQLAlchemyError, self.driver_error) as fault:
            raise StoreUnavailableError(f"{what}: {self.reason(fault)}.") from fault

    @abstractmethod
    def close(self) -> bool:
        """Close the connections; return whether nothing is left that tells the order of commits.

        Raises StoreUnavailableError where the disk fails.
        """

    @abstractmethod
    def hurry(self) -> None:
        """Use short timeouts for a server from now on: the collector stops. Safe in a signal handler."""

    @abstractmethod
    def take_time(self, connection: Connection) -> None:
        """Lift the time limits of the open transaction's statements."""

    @abstractmethod
    def prepare(self, connection: Connection, *, create: bool) -> bool:
        """Make the schema where there is nothing, with `create`, in the open transaction; return whether it was made.

        Raises StoreError where there is nothing, or another schema than this program's.
        """

    @abstractmethod
    def upgrade(self) -> tuple[str, str]:
        """Bring the schema to this program's, all of it or nothing; return the revisions before and after.

        Raises StoreError where there is none.
        """

    def check_revision(self, connection: Connection) -> int:
        """Return the mark of the last restore that the open transaction sees.

        Raises StoreUnavailableError where it sees another schema than this program's.

        Somebody upgraded the database while this program ran, which must be restarted. An upgrade waits for the
        transactions that have looked, and those that look later wait for it.
        """
        read = self.execute(connection, READ_REVISION)
        if [row[0] for row in read] != [HEAD]:
            raise StoreUnavailableError(
                f"db ({self.name}) no longer has schema {HEAD}: another version upgraded it. Restart with that one."
            )
        return int(read[0][1])

    @abstractmethod
    def lock_survey(self, connection: Connection, key: int, *, alone: bool) -> None:
        """Take a survey's lock until the transaction ends: shared with other writers, or alone."""

    @abstractmethod
    def lock_tidying(self, connection: Connection) -> None:
        """Wait until nobody rewrites the tables, and let nobody begin to, until the transaction ends."""

    @abstractmethod
    def execute(self, connection: Connection, statement: str, **values: object) -> list[tuple[Any, ...]]:
        """Return the rows of a statement with :names, by the driver itself: SQLAlchemy takes ten times as long."""

    @abstractmethod
    def stream(
        self, connection: Connection, statement: ClauseElement, n_rows: int
    ) -> Generator[list[tuple[Any, ...]], None, None]:
        """Yield the rows of a statement, n_rows at a time, by the driver itself; no more are held in memory."""

    @abstractmethod
    def append(self, connection: Connection, table: Table, rows: Sequence[tuple[Any, ...]]) -> None:
        """Insert rows, which have all of a table's columns, by the driver itself."""

    def pour(
        self, reading: Connection, table: Table, copy: "Dialect", writing: Connection
    ) -> Generator[int, None, None]:
        """Copy the rows of a table into another database, in the order of their keys; yield how many each time.

        Both connections have an open transaction, that which reads a snapshot.
        """
        statement = select(table).order_by(*table.primary_key.columns)
        with closing(self.stream(reading, statement, POURED_ROWS)) as chunks:
            for rows in chunks:
                copy.append(writing, table, rows)
                yield len(rows)

    @abstractmethod
    def insert(self, connection: Connection, key: int, ids: Ids, records: NDArray[np.uint8]) -> NDArray[np.bool_]:
        """Insert the reports whose ids are not there; return which, shape (n,). `ids`: different, sorted.

        `records` may be of width 0: then nothing but the ids gets into the database.
        """

    @abstractmethod
    def find(self, connection: Connection, key: int, ids: Ids) -> dict[int, bytes]:
        """Return the packed reports that are there already, by position in ids; b"" for one that is not kept."""

    @abstractmethod
    def move(self, connection: Connection, key: int, low: bytes, high: bytes) -> None:
        """Move a survey's reports with ids in [low, high) from the inbox to the others, in the order of their ids."""

    def check_kept(self, connection: Connection) -> None:  # noqa: B027  # a server has its own files
        """Raise StoreUnavailableError where what was committed is not in the files that will be opened next."""

    @abstractmethod
    def is_transient(self, fault: BaseException) -> bool:
        """Return whether the same transaction may well succeed if it is tried again at once."""

    @abstractmethod
    def count_bytes(self) -> int:
        """Return how many bytes a rewrite would write."""

    @abstractmethod
    def check_room(self, min_free_bytes: int) -> None:
        """Raise StoreUnavailableError where the disk is nearly full, as far as can be seen from here."""

    @abstractmethod
    def settle(self, connection: Connection, keys: Sequence[int]) -> None:
        """Rewrite the inbox of these surveys in the order of the ids. The surveys are locked."""

    @abstractmethod
    def clean(self, *, large_tables: bool = True, reports: bool = True) -> bool:
        """Clear what tells the order of commits, and moved and deleted rows; return False where others still use it.

        `large_tables`: those of invitations and tallies even where they are large. `reports`: those of reports, too.
        """

    @abstractmethod
    def rewrite(self) -> bool:
        """Rewrite the reports in the order of their keys; return False where another collector is doing it.

        `clean` clears what was there before.
        """

    @abstractmethod
    def after_copy(self, connection: Connection) -> None:
        """Make new surveys get keys above those that were copied."""

    @abstractmethod
    def check_integrity(self) -> None:
        """Raise StoreError where the database's own check finds damage."""

    @contextmanager
    def snapshot(self) -> Iterator[Connection]:
        """Read one state of the database, however long it takes."""
        with self.read_engine.connect() as connection, connection.begin():
            self.begin_snapshot(connection)
            self.check_revision(connection)
            yield connection

    @abstractmethod
    def begin_snapshot(self, connection: Connection) -> None:
        """Make the transaction that has just begun see one state, and write nothing."""
