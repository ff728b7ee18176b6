"""Connections to a SQLite file: how it is made, recognised as ours, and opened; pools of them."""

import os
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, QueuePool, create_engine, event

from sotto_collector.errors import StoreError
from sotto_collector.store.upgrade import refuse_missing

_POLL_S = 0.01
APPLICATION_ID = 0x534F5454
"""Marks a file as ours: "SOTT" in SQLite's header. `user_version` is the schema's number, for older programs."""
CHECKPOINT_PAGES = 4000
"""The write-ahead log is checkpointed every so many pages (16 MB): random ids touch many pages."""
CACHE_KIB, READ_CACHE_KIB = 64 * 1024, 2 * 1024
MMAP_BYTES = 2**31
"""The connection that writes looks ids up all over the file, by a memory map: at ten million reports it takes a third
more of them in the same time. Those that read go through the file once, and need none."""


def make_engine(
    creator: Callable[[], sqlite3.Connection],
    begin: Callable[[Connection], object],
    *,
    pool_size: int,
    timeout_s: float,
) -> Engine:
    """Return an engine; `begin` begins its transactions. `timeout_s`: the longest wait for a free connection."""
    engine = create_engine(
        "sqlite+pysqlite://",
        creator=creator,
        poolclass=QueuePool,
        pool_size=pool_size,
        max_overflow=-1 if pool_size > 1 else 0,
        pool_timeout=max(1, timeout_s),
        hide_parameters=True,
    )
    event.listen(engine, "begin", begin)
    return engine


def make_file(path: Path) -> None:
    """Make the file where it is missing, for its owner alone. Raises OSError."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except FileExistsError:  # recognised next: it may be ours
        if path.stat().st_size == 0:
            path.chmod(0o600)


def connect(path: Path, timeout_s: float) -> sqlite3.Connection:
    """Return a connection without touching the file: it never makes one, and begins no transaction by itself."""
    return sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=rw",
        uri=True,
        timeout=timeout_s,
        isolation_level=None,
        check_same_thread=False,  # a pool lends it to one thread at a time
    )


def recognise(connection: sqlite3.Connection, path: Path, *, create: bool) -> None:
    """Raise StoreError unless the file is ours, or empty and to be made; then it gets its page size and its log."""
    connection.execute("BEGIN IMMEDIATE")  # fails here if the file cannot be written, or in write-ahead logging at
    connection.execute(f"PRAGMA user_version = {first(connection, 'PRAGMA user_version')}")  # what changes nothing
    is_new = first(connection, "SELECT count(*) FROM sqlite_master") == 0
    application_id = first(connection, "PRAGMA application_id")
    connection.execute("ROLLBACK")
    if application_id != APPLICATION_ID and not (is_new and application_id == 0):
        raise StoreError(f"db ({path}) must be a sottovoce database; it is another program's.")
    if is_new and not create:
        raise refuse_missing(str(path))
    if _begin_logging(connection) != "wal":
        raise StoreError(f"db ({path}) must be on a file system that can do write-ahead logging.")


def _begin_logging(connection: sqlite3.Connection) -> str:
    """Return the journal's mode after asking for a log; wait for who opens the file at the same moment.

    SQLite itself does not wait here, as two who did could wait for each other.
    """
    deadline = time.monotonic() + first(connection, "PRAGMA busy_timeout") / 1000
    while True:
        try:
            return str(first(connection, "PRAGMA journal_mode = WAL"))
        except sqlite3.OperationalError as fault:
            if fault.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(_POLL_S)


def configure(connection: sqlite3.Connection) -> sqlite3.Connection:
    """Return a connection with the settings that the store relies on."""
    for pragma in (
        "foreign_keys = ON",
        "synchronous = FULL",  # an acknowledged report is on the disk
        "secure_delete = ON",
        "temp_store = MEMORY",  # no report in a temporary file
        f"wal_autocheckpoint = {CHECKPOINT_PAGES}",
        f"journal_size_limit = {CHECKPOINT_PAGES * 4096}",
        f"cache_size = -{READ_CACHE_KIB}",
    ):
        connection.execute(f"PRAGMA {pragma}").close()
    return connection


def configure_to_write(connection: sqlite3.Connection) -> sqlite3.Connection:
    """Return a connection with the same settings that also looks ids up quickly."""
    configure(connection)
    for pragma in (f"cache_size = -{CACHE_KIB}", f"mmap_size = {MMAP_BYTES}"):
        connection.execute(f"PRAGMA {pragma}").close()
    return connection


def first(connection: sqlite3.Connection, statement: str) -> Any:
    """Return the first column of the first row that a statement gives."""
    with closing(connection.execute(statement)) as cursor:
        return cursor.fetchone()[0]
