"""SQLite: one file, one writer at a time, any number of processes."""

import math
import shutil
import sqlite3
import time
from collections.abc import Generator, Sequence
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ClauseElement, Connection, Table, event

from sotto_collector.errors import StoreError, StoreUnavailableError
from sotto_collector.store import sqlite_statements as statements
from sotto_collector.store.dialect import POURED_ROWS, Dialect, Ids
from sotto_collector.store.place import Place
from sotto_collector.store.retally import KEPT_SINCE, retally
from sotto_collector.store.room import checkpoint, keep_room
from sotto_collector.store.sqlite_copy import pour
from sotto_collector.store.sqlite_engine import (
    APPLICATION_ID,
    configure,
    configure_to_write,
    connect,
    first,
    make_engine,
    make_file,
    recognise,
)
from sotto_collector.store.upgrade import HEAD, check_schema, is_empty, migrate, read_revision, refuse_missing, stamp

POLL_S = 3e-4
"""Seconds between tries for a lock that another process holds; SQLite's own tries, up to 0.1 s apart, would starve."""
N_READERS = 8
FRESH_S = 0.05
"""A commit does not look again where the files are if that was seen so long before, after the last one: each look lets
other threads go first, which takes longer than all of the commit."""
CLEAN_WAIT_S = 0.1
"""Emptying the log waits this long for readers, and writers wait meanwhile; then it is left for another time."""


class SqliteDialect(Dialect):
    """A file, of mode 0600."""

    driver_error = sqlite3.Error
    n_shards = 1

    def __init__(self, path: Path, busy_timeout_ms: int, *, create: bool = True) -> None:
        """Open the file, or make it where it is missing, if that is allowed.

        Raises StoreError where it is missing, another program's, or cannot be written.
        """
        self.path = path
        self.name = str(path)
        self._busy_timeout_s = busy_timeout_ms / 1000
        self._kept_at = -math.inf
        try:
            if create:
                make_file(path)
            elif not path.exists():
                raise refuse_missing(str(path))
            self._place = Place(path)
            with closing(self._connect()) as connection:
                recognise(connection, path, create=create)
        except OSError as fault:
            raise StoreError(f"db ({path}) must be a file that can be written: {fault.strerror}.") from fault
        except sqlite3.Error as fault:
            raise StoreError(f"db ({path}) must be a sottovoce database that can be written: {fault}.") from fault
        make = partial(make_engine, timeout_s=self._busy_timeout_s)
        self.write_engine = make(lambda: configure_to_write(self._connect()), self._begin_writing, pool_size=1)
        event.listen(self.write_engine, "close", lambda *_: self._place.forget_log())
        self.read_engine = make(lambda: configure(self._connect()), self._begin_reading, pool_size=N_READERS)

    def _connect(self, timeout_s: float | None = None) -> sqlite3.Connection:
        """Return a connection to the file that was opened first. Raises StoreUnavailableError where it is another."""
        self._place.check()
        connection = connect(self.path, self._busy_timeout_s if timeout_s is None else timeout_s)
        try:
            self._place.check()
        except StoreUnavailableError:
            connection.close()
            raise
        return connection

    def _check_place(self, connection: sqlite3.Connection) -> None:
        """Raise StoreUnavailableError where the files are not what was opened.

        What was committed before is first checkpointed into the file, wherever that is now: its log may be lost.
        """
        try:
            self._place.check()
        except StoreUnavailableError:
            self._kept_at = -math.inf
            with suppress(sqlite3.Error):  # the error to report is that it was moved
                checkpoint(connection)
            raise

    def _check_length(self) -> None:
        """Raise StoreUnavailableError where the file was cut short."""
        if self._place.is_shorter():
            with closing(self._connect()) as other:  # without a memory map: a page that is gone would kill this process
                other.execute("BEGIN")
                self._place.check_length(other)

    def check_kept(self, connection: Connection) -> None:
        self._check_place(_raw(connection))
        self._kept_at = time.monotonic()

    def _begin_writing(self, connection: Connection) -> None:
        """Begin a transaction that writes, if the files are those that were opened, and there is room."""
        raw, is_new = _raw(connection), "begun" not in connection.info  # the one before was closed by a fault
        if is_new or time.monotonic() > self._kept_at + FRESH_S:
            self._check_place(raw)
        self._check_length()
        keep_room(raw, self.path, is_pressed=is_new)
        self._lock(raw)
        if is_new:
            connection.info["begun"] = True
            self._place.note_log()
        self._place.check_length(raw)

    def _lock(self, connection: sqlite3.Connection) -> None:
        """Take the one write lock; wait for other processes, each of which holds it for milliseconds."""
        deadline = time.monotonic() + self._busy_timeout_s
        while True:
            try:
                connection.execute("BEGIN IMMEDIATE")
                return
            except sqlite3.OperationalError as fault:
                if fault.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                    raise
                time.sleep(POLL_S)

    def _begin_reading(self, connection: Connection) -> None:
        self._check_place(_raw(connection))
        self._check_length()
        connection.exec_driver_sql("BEGIN")
        self._place.check_length(_raw(connection))

    def reason(self, fault: Exception) -> str:
        return str(getattr(fault, "orig", None) or fault)  # of SQLAlchemy's only the cause: it adds the statement

    def close(self) -> bool:
        try:
            with self.guarded():
                return self._empty_log(self._busy_timeout_s)
        finally:
            self.write_engine.dispose()
            self.read_engine.dispose()

    def hurry(self) -> None:
        """Nothing: there is no server."""

    def take_time(self, connection: Connection) -> None:
        """Nothing: no statement has a limit."""

    def prepare(self, connection: Connection, *, create: bool) -> bool:
        is_new = is_empty(connection)
        if is_new and not create:
            raise refuse_missing(self.name)
        if is_new:
            migrate(connection)
            _mark(connection)
        elif read_revision(connection) is None:
            _refuse_unmigrated(connection, self.name)
        check_schema(connection, self.name)
        return is_new

    def upgrade(self) -> tuple[str, str]:
        with self.write_engine.begin() as connection:
            if is_empty(connection):
                raise refuse_missing(self.name)
            before = read_revision(connection) or f"{_number(connection, 'PRAGMA user_version'):04}"
            if before > HEAD:
                check_schema(connection, self.name)
            if read_revision(connection) is None:
                stamp(connection, before)
            migrate(connection)
            if before < KEPT_SINCE:
                retally(self, connection)
            _mark(connection)
            check_schema(connection, self.name)
        return before, HEAD

    def lock_survey(self, connection: Connection, key: int, *, alone: bool) -> None:
        """Nothing: a writing transaction is alone."""

    def lock_tidying(self, connection: Connection) -> None:
        """Nothing: a writing transaction is alone."""

    def execute(self, connection: Connection, statement: str, **values: object) -> list[tuple[Any, ...]]:
        return _raw(connection).execute(statement, values).fetchall()

    def stream(
        self, connection: Connection, statement: ClauseElement, n_rows: int
    ) -> Generator[list[tuple[Any, ...]], None, None]:
        compiled: Any = statement.compile(dialect=connection.dialect)
        with closing(_raw(connection).cursor()) as cursor:
            cursor.execute(str(compiled), [compiled.params[name] for name in compiled.positiontup])
            while rows := cursor.fetchmany(n_rows):
                yield rows

    def append(self, connection: Connection, table: Table, rows: Sequence[tuple[Any, ...]]) -> None:
        columns, marks = ", ".join(table.columns.keys()), ", ".join("?" * len(table.columns))
        statement = f"INSERT INTO {table.name} ({columns}) VALUES ({marks})"  # noqa: S608  # our own names
        _raw(connection).executemany(statement, rows)

    def pour(self, reading: Connection, table: Table, copy: Dialect, writing: Connection) -> Generator[int, None, None]:
        if isinstance(copy, SqliteDialect):
            return pour(self.path, _raw(writing), table, POURED_ROWS)
        return super().pour(reading, table, copy, writing)

    def insert(self, connection: Connection, key: int, ids: Ids, records: NDArray[np.uint8]) -> NDArray[np.bool_]:
        raw, is_new = _raw(connection), np.ones(len(ids), np.bool_)
        raw.execute("SAVEPOINT fresh")
        if _insert(raw, key, ids, records) != len(ids):
            raw.execute("ROLLBACK TO fresh")  # some are stored already, and SQLite doesn't say which:
            is_new[[*self.find(connection, key, ids)]] = False  # look, then insert the others
            if _insert(raw, key, ids[is_new], records[is_new]) != is_new.sum():
                raise StoreUnavailableError("ids that were not there could not be inserted.")
        raw.execute("RELEASE fresh")
        return is_new

    def find(self, connection: Connection, key: int, ids: Ids) -> dict[int, bytes]:
        values = {"key": key, "ids": ids.tobytes(), "n_rows": len(ids)}
        return dict(self.execute(connection, statements.FIND, **values)) if len(ids) else {}

    def move(self, connection: Connection, key: int, low: bytes, high: bytes) -> None:
        statement = f"INSERT INTO reports SELECT survey_key, report_id, packed {statements.RANGE} ORDER BY report_id"
        self.execute(connection, statement, key=key, low=low, high=high)
        self.execute(connection, f"DELETE {statements.RANGE}", key=key, low=low, high=high)

    def is_transient(self, fault: BaseException) -> bool:
        return False

    def count_bytes(self) -> int:
        with self.read_engine.connect() as connection:
            n_used = _number(connection, "PRAGMA page_count") - _number(connection, "PRAGMA freelist_count")
            return n_used * _number(connection, "PRAGMA page_size")

    def check_room(self, min_free_bytes: int) -> None:
        try:
            free = shutil.disk_usage(self.path.absolute().parent).free
        except OSError as fault:
            raise StoreUnavailableError(f"the disk cannot be asked: {fault.strerror}.") from fault
        if free < min_free_bytes:
            raise StoreUnavailableError(f"free disk space must be at least {min_free_bytes} bytes.")

    def settle(self, connection: Connection, keys: Sequence[int]) -> None:
        """Rewrite all of it at once: on pages that rows share, single ones would fill the gaps left by deleted ones."""
        for statement in statements.SETTLE:
            _raw(connection).execute(statement).close()

    def clean(self, *, large_tables: bool = True, reports: bool = True) -> bool:
        """Checkpoint the write-ahead log and empty it; what was deleted in the file is overwritten already."""
        return self._empty_log(CLEAN_WAIT_S)

    def _empty_log(self, wait_s: float) -> bool:
        try:
            self._place.check()
        except StoreUnavailableError:
            with self.write_engine.connect() as writer:
                self._check_place(_raw(writer))
        self._check_length()
        with closing(self._connect(wait_s)) as connection:
            return bool(first(connection, "PRAGMA wal_checkpoint(TRUNCATE)") == 0)  # the first column says busy

    def rewrite(self) -> bool:
        self.check_room(self.count_bytes() * 33 // 32)  # all goes through the log: cut short it would fill the disk
        with closing(configure_to_write(self._connect())) as connection:
            connection.execute("VACUUM")
        return True

    def after_copy(self, connection: Connection) -> None:
        """Nothing: a new key is one more than the largest."""

    def check_integrity(self) -> None:
        with self.read_engine.connect() as connection:
            faults = [row[0] for row in connection.exec_driver_sql("PRAGMA integrity_check").all()]
        if faults != ["ok"]:
            raise StoreError(f"db ({self.path}) is damaged: {faults[0]}.")

    def begin_snapshot(self, connection: Connection) -> None:
        """Nothing: a reading transaction of SQLite's is a snapshot; it begins with its first statement."""


def _raw(connection: Connection) -> sqlite3.Connection:
    raw = connection.connection.driver_connection
    assert isinstance(raw, sqlite3.Connection)  # noqa: S101  # the engine's driver
    return raw


def _insert(connection: sqlite3.Connection, key: int, ids: Ids, records: NDArray[np.uint8]) -> int:
    if not len(ids):
        return 0
    packed, width = records.tobytes(), records.shape[1]
    values = {"key": key, "ids": ids.tobytes(), "packed": packed, "width": width, "n_rows": len(ids)}
    return connection.execute(statements.INSERT, values).rowcount


def _mark(connection: Connection) -> None:
    connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.exec_driver_sql(f"PRAGMA user_version = {int(HEAD)}")


def _refuse_unmigrated(connection: Connection, name: str) -> None:
    """Raise StoreError for a file older than the migrations, with the schema that its `user_version` says."""
    raise StoreError(
        f"db ({name}) must have schema {HEAD}; it has {_number(connection, 'PRAGMA user_version'):04}: "
        "run sotto db upgrade."
    )


def _number(connection: Connection, statement: str) -> int:
    return int(connection.exec_driver_sql(statement).scalar_one())
