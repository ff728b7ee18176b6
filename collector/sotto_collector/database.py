"""The database file: made once, recognised again, opened the same way everywhere."""

import os
import sqlite3
from contextlib import closing
from importlib import resources
from pathlib import Path

from sotto_collector.errors import StoreError

APPLICATION_ID = 0x534F5454
"""Marks a file as ours: "SOTT" in SQLite's header."""
SCHEMA_VERSION = 1
CHECKPOINT_PAGES = 4000
"""The write-ahead log is folded into the file every so many pages (16 MB): random ids touch many pages."""
CACHE_KIB = 64 * 1024


def open_database(path: Path, busy_timeout_ms: int) -> sqlite3.Connection:
    """Return a writing connection; make the file with mode 0600, or check that it is ours.

    Raises StoreError when the file is foreign, newer than this program, or not writable.
    """
    try:
        _make_file(path)
        return _open_checked(path, busy_timeout_ms)
    except OSError as fault:
        raise StoreError(f"db ({path}) must be a file that can be written: {fault.strerror}.") from fault
    except sqlite3.Error as fault:
        raise StoreError(f"db ({path}) must be a sottovoce database that can be written: {fault}.") from fault


def connect(path: Path, busy_timeout_ms: int) -> sqlite3.Connection:
    """Return a connection without touching the file: never makes one, starts no transaction by itself."""
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=rw",
        uri=True,
        timeout=busy_timeout_ms / 1000,
        isolation_level=None,
        check_same_thread=False,  # the store's lock lets one thread use it at a time
    )
    connection.execute("PRAGMA foreign_keys = ON")
    return connection


def fold_log(connection: sqlite3.Connection) -> bool:
    """Fold the write-ahead log into the file and empty it; return whether nobody was in the way."""
    return _number(connection, "PRAGMA wal_checkpoint(TRUNCATE)") == 0  # the first column says busy


def count_bytes(connection: sqlite3.Connection) -> int:
    """Return the size of the database, what is in its log included."""
    return _number(connection, "PRAGMA page_count") * _number(connection, "PRAGMA page_size")


def _make_file(path: Path) -> None:
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except FileExistsError:
        return  # checked below: it may be ours


def _open_checked(path: Path, busy_timeout_ms: int) -> sqlite3.Connection:
    connection = connect(path, busy_timeout_ms)
    try:
        _make_schema(connection)
        _check_identity(connection, path)
        _configure(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def _make_schema(connection: sqlite3.Connection) -> None:
    """Write the schema if the file is empty, seen from inside a transaction: two processes may start at once."""
    connection.execute("BEGIN IMMEDIATE")  # fails here if the file cannot be written
    if _number(connection, "SELECT count(*) FROM sqlite_master") == 0 and _identity(connection) == (0, 0):
        text = resources.files("sotto_collector").joinpath("schema.sql").read_text("utf-8")
        for statement in text.split(";\n"):
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
    connection.execute("COMMIT")


def _identity(connection: sqlite3.Connection) -> tuple[int, int]:
    return _number(connection, "PRAGMA application_id"), _number(connection, "PRAGMA user_version")


def _check_identity(connection: sqlite3.Connection, path: Path) -> None:
    application_id, version = _identity(connection)
    if application_id != APPLICATION_ID:
        raise StoreError(f"db ({path}) must be a sottovoce database; it is another program's.")
    if version != SCHEMA_VERSION:
        raise StoreError(
            f"db ({path}) must have schema {SCHEMA_VERSION}; it has {version}, which a newer sottovoce wrote."
        )


def _configure(connection: sqlite3.Connection, path: Path) -> None:
    with closing(connection.execute("PRAGMA journal_mode = WAL")) as answer:
        if answer.fetchone() != ("wal",):
            raise StoreError(f"db ({path}) must be on a file system that can do write-ahead logging.")
    connection.execute("PRAGMA synchronous = FULL")  # an acknowledged report is on the disk
    connection.execute("PRAGMA secure_delete = ON")
    connection.execute("PRAGMA temp_store = MEMORY")  # no report in a temporary file
    connection.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}")
    connection.execute(f"PRAGMA journal_size_limit = {CHECKPOINT_PAGES * 4096}")
    connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")


def _number(connection: sqlite3.Connection, question: str) -> int:
    with closing(connection.execute(question)) as answer:
        return int(answer.fetchone()[0])
