"""A glance at a database of any schema, beside collectors that run: nothing is written, not even a log beside it."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from sotto_collector.errors import StoreError
from sotto_collector.store.databases import POSTGRES, open_dialect
from sotto_collector.store.sqlite_engine import APPLICATION_ID, first, make_engine
from sotto_collector.store.upgrade import is_empty, read_revision, refuse_missing

TIMEOUT_S = 5.0
Result = TypeVar("Result")


def glance(db: str, read: Callable[[Connection, str], Result]) -> Result:
    """Return what `read` returns of a connection that sees one state, and of the schema's revision.

    Raises StoreError where there is no database of ours, or it cannot be read.
    """
    if db.startswith(POSTGRES):
        return _glance_at_server(db, read)
    if "://" in db or not Path(db).exists() or not Path(db).stat().st_size:
        raise refuse_missing(db)
    try:
        while True:
            is_alone = not _has_log(db)
            found = _glance_at_file(db, read, is_alone=is_alone)
            if not (is_alone and _has_log(db)):  # else a collector began meanwhile, whose locks were not looked at
                return found
    except (SQLAlchemyError, sqlite3.Error, OSError) as fault:
        raise StoreError(f"db ({db}) cannot be read: {getattr(fault, 'orig', None) or fault}.") from fault


def _has_log(db: str) -> bool:
    return Path(f"{db}-wal").exists()


def _glance_at_file(db: str, read: Callable[[Connection, str], Result], *, is_alone: bool) -> Result:
    """Where it is alone the file is taken for one that nobody changes: else SQLite would make a log beside it."""
    place = f"{Path(db).absolute().as_uri()}?mode=ro{'&immutable=1' * is_alone}"

    def connect() -> sqlite3.Connection:
        return sqlite3.connect(place, uri=True, timeout=TIMEOUT_S, isolation_level=None, check_same_thread=False)

    with closing(connect()) as raw:
        if first(raw, "PRAGMA application_id") != APPLICATION_ID:
            raise StoreError(f"db ({db}) must be a sottovoce database; it is another program's.")
        before_migrations = f"{first(raw, 'PRAGMA user_version'):04}"
    engine = make_engine(connect, _begin, pool_size=1, timeout_s=TIMEOUT_S)
    try:
        with engine.connect() as connection:
            return read(connection, read_revision(connection) or before_migrations)
    finally:
        engine.dispose()


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN")


def _glance_at_server(db: str, read: Callable[[Connection, str], Result]) -> Result:
    dialect = open_dialect(db, create=False)
    try:
        with dialect.read_engine.connect() as connection, connection.begin():  # `snapshot` refuses what is older
            dialect.begin_snapshot(connection)
            revision = read_revision(connection)
            if revision is None:
                another = f"db ({dialect.name}) must be a sottovoce database; it is another program's."
                raise refuse_missing(dialect.name) if is_empty(connection) else StoreError(another)
            return read(connection, revision)
    except (SQLAlchemyError, dialect.driver_error) as fault:
        raise StoreError(f"db ({dialect.name}) cannot be read: {dialect.reason(fault)}.") from fault
    finally:
        dialect.close()
