"""A consistent copy of a store, taken while others write: into a new file, or an empty PostgreSQL."""

from collections.abc import Callable
from contextlib import closing

from sqlalchemy import Connection, delete, func, select

from sotto_collector.errors import StoreError, StoreUnavailableError
from sotto_collector.store.about import note_day
from sotto_collector.store.databases import locate
from sotto_collector.store.dialect import Dialect
from sotto_collector.store.gateway import blank_keys
from sotto_collector.store.location import Location
from sotto_collector.store.recount import check_integrity
from sotto_collector.store.schema import metadata, store
from sotto_collector.store.store import Store


def copy_store(source: Store, target: str, told: Callable[[int], None] = lambda _: None) -> int:
    """Copy all that a store has at this moment, and check the copy; return how many rows that is.

    `target`: a file that is not there yet, and appears once it is whole, or the URL of a PostgreSQL without a store.
    `told` is called with how many rows are copied so far. Rows are written in the order of their keys: the copy tells
    nothing of the order in which they came, and holds nothing that was deleted. Raises StoreError; no file is left
    then, and the source is as it was.
    """
    location = locate(target)
    with location.make("the copy") as place:
        return fill_copy(source, location, place, told)


def fill_copy(
    source: Store, location: Location, place: str, told: Callable[[int], None], day: str | None = None
) -> int:
    """Do so at `place`, where `location` has one made. Raises StoreError.

    Of a backup `day` is noted in the copy, and the gateway's private keys are left out: it would outlive them.
    """
    try:
        return _copy_into(source, place, told, day)
    except StoreError as fault:
        said = str(fault).replace(place, location.name)  # nobody asked for a file that is called like that
        if isinstance(fault, StoreUnavailableError):
            said = f"the copy ({location.name}) was not made: {said}"
        raise StoreError(said) from fault


def _copy_into(source: Store, place: str, told: Callable[[int], None], day: str | None) -> int:
    with closing(locate(place).open()) as dialect, source.snapshot() as reading:
        n_rows = _fill(dialect, source, reading, told, day)
    copy = Store(place, create=False)
    try:
        check_integrity(copy)
    finally:
        is_whole = copy.close()
    if not is_whole:  # what is in its log would be lost as it is renamed
        raise StoreError(f"the copy ({copy.dialect.name}) must not be opened before it is complete.")
    return n_rows


def _fill(dialect: Dialect, source: Store, reading: Connection, told: Callable[[int], None], day: str | None) -> int:
    """Make the schema and copy the rows in one transaction: there is never a store that lacks them."""
    n_rows = 0
    with dialect.guarded(), dialect.write_engine.begin() as writing:
        dialect.prepare(writing, create=True)
        if not is_new(writing):
            raise StoreError(f"the copy ({dialect.name}) must be a new database; it is not empty.")
        dialect.take_time(writing)
        writing.execute(delete(store))
        for table in metadata.sorted_tables:  # tables that others refer to come first
            with closing(source.dialect.pour(reading, table, dialect, writing)) as poured:
                for n_poured in poured:
                    n_rows += n_poured
                    told(n_rows)
        if day is not None:
            note_day(writing, day)
            blank_keys(writing)
        dialect.after_copy(writing)
    return n_rows


def is_new(connection: Connection) -> bool:
    """Return whether nothing is in a store but what it was made with."""
    filled = (table for table in metadata.sorted_tables if table is not store)
    return not any(connection.execute(select(func.count()).select_from(table)).scalar() for table in filled)
