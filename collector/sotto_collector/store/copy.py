"""A consistent copy of a store, taken while others write: into a new file, or an empty PostgreSQL."""

import os
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from sqlalchemy import Connection, delete, func, inspect, select

from sotto_collector.durable_files import sync_folder
from sotto_collector.errors import StoreError, StoreUnavailableError
from sotto_collector.store.databases import POSTGRES, open_dialect
from sotto_collector.store.dialect import Dialect
from sotto_collector.store.place import LOG_SUFFIXES
from sotto_collector.store.recount import check_integrity
from sotto_collector.store.schema import metadata, store
from sotto_collector.store.store import Store
from sotto_collector.store.upgrade import is_empty

SUFFIXES = ("", *LOG_SUFFIXES, "-journal")
"""What SQLite puts behind a database's name, for what belongs to it."""


def copy_store(source: Store, target: str, told: Callable[[int], None] = lambda _: None) -> int:
    """Copy all that a store has at this moment, and check the copy; return how many rows that is.

    `target`: a file that is not there yet, and appears once it is whole, or the URL of a PostgreSQL without a store.
    `told` is called with how many rows are copied so far. Rows are written in the order of their keys: the copy tells
    nothing of the order in which they came, and holds nothing that was deleted. Raises StoreError; no file is left
    then, and the source is as it was.
    """
    if target.startswith(POSTGRES):
        _refuse_foreign(target)
        with _naming(target):
            return _copy_into(source, target, told)
    path = Path(target)
    check_new(path, "the copy")
    with unfinished(path, "the copy") as beside, _naming(target):
        n_rows = _copy_into(source, str(beside), told)
        check_new(path, "the copy")
        beside.rename(path)
        sync_folder(path.absolute().parent)
    return n_rows


def check_new(path: Path, what: str, *, replaces: bool = False) -> None:
    """Raise StoreError where there is a file, or a log of one that was there: SQLite would play it into the new one.

    `replaces`: a file without a log may be there.
    """
    for suffix in SUFFIXES[replaces:]:
        if os.path.lexists(f"{path}{suffix}"):
            there = f"{path}{suffix} is there: move it away" if suffix else "there is one already"
            raise StoreError(f"{what} ({path}) must be a new file; {there}.")


@contextmanager
def unfinished(path: Path, what: str) -> Iterator[Path]:
    """Yield the name of a file beside a new one, to be made and renamed; what is left of it at the end is removed.

    Raises StoreError, which says `what` the file is, where it cannot be made there.
    """
    beside = path.with_name(f"{path.name}.unfinished")
    try:
        _remove(beside)  # left by one that was killed
        try:
            yield beside
        finally:
            _remove(beside)
    except OSError as fault:
        raise StoreError(f"{what} ({path}) must be a new file that can be made there: {fault.strerror}.") from fault


def _remove(path: Path) -> None:
    for suffix in SUFFIXES:
        Path(f"{path}{suffix}").unlink(missing_ok=True)


@contextmanager
def _naming(target: str) -> Iterator[None]:
    """Say of a fault while the copy is made which copy it is."""
    try:
        yield
    except StoreUnavailableError as fault:
        name = "PostgreSQL" if target.startswith(POSTGRES) else target
        raise StoreError(f"the copy ({name}) was not made: {fault}") from fault


def _refuse_foreign(url: str) -> None:
    """Raise StoreError where a PostgreSQL has tables, and they are not ours."""
    with closing(open_dialect(url)) as dialect, dialect.read_engine.connect() as connection:
        if is_empty(connection) and inspect(connection).get_table_names():
            raise StoreError(f"the copy ({dialect.name}) must be a new database; it has another program's tables.")


def _copy_into(source: Store, target: str, told: Callable[[int], None]) -> int:
    with closing(open_dialect(target)) as dialect, source.snapshot() as reading:
        n_rows = _fill(dialect, source, reading, told)
    copy = Store(target, create=False)
    try:
        check_integrity(copy)
    finally:
        is_whole = copy.close()
    if not is_whole:  # what is in its log would be lost as it is renamed
        raise StoreError(f"the copy ({copy.dialect.name}) must be read by nobody before it is whole.")
    return n_rows


def _fill(dialect: Dialect, source: Store, reading: Connection, told: Callable[[int], None]) -> int:
    """Make the schema and copy the rows in one transaction: there is never a store that lacks them."""
    n_rows = 0
    with dialect.guarded(), dialect.write_engine.begin() as writing:
        dialect.prepare(writing, create=True)
        if not is_new(writing):
            raise StoreError(f"the copy ({dialect.name}) must be a new database; there is something in it.")
        dialect.take_time(writing)
        writing.execute(delete(store))
        for table in metadata.sorted_tables:  # tables that others refer to come first
            with closing(source.dialect.pour(reading, table, dialect, writing)) as poured:
                for n_poured in poured:
                    n_rows += n_poured
                    told(n_rows)
        dialect.after_copy(writing)
    return n_rows


def is_new(connection: Connection) -> bool:
    """Return whether nothing is in a store but what it was made with."""
    filled = (table for table in metadata.sorted_tables if table is not store)
    return not any(connection.execute(select(func.count()).select_from(table)).scalar() for table in filled)
