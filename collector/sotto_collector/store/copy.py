"""A consistent copy of a store, taken while others write: into a new file, or an empty PostgreSQL."""

import os
from collections.abc import Callable, Generator
from contextlib import closing
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Table, func, insert, select

from sotto_collector.durable_files import sync_folder
from sotto_collector.errors import StoreError
from sotto_collector.store.databases import POSTGRES
from sotto_collector.store.schema import metadata
from sotto_collector.store.store import Store

CHUNK_ROWS = 10_000


def copy_store(source: Store, target: str, told: Callable[[int], None] = lambda _: None) -> int:
    """Copy all that a store has at this moment; return how many rows that is.

    `target`: a file that is not there yet, and appears once it is whole, or the URL of a PostgreSQL without a store.
    `told` is called with how many rows are copied so far. Rows are written in the order of their keys: the copy tells
    nothing of the order in which they came, and holds nothing that was deleted. Raises StoreError.
    """
    if target.startswith(POSTGRES):
        return _copy_into(source, target, told)
    path = Path(target)
    if os.path.lexists(path):
        raise StoreError(f"the copy ({path}) must be a new file; there is one already.")
    unfinished = path.with_name(f"{path.name}.unfinished")
    for suffix in ("", "-wal", "-shm"):  # left by an interrupted copy
        Path(f"{unfinished}{suffix}").unlink(missing_ok=True)
    n_rows = _copy_into(source, str(unfinished), told)
    unfinished.rename(path)
    sync_folder(path.absolute().parent)
    return n_rows


def _copy_into(source: Store, target: str, told: Callable[[int], None]) -> int:
    copy = Store(target)
    try:
        with source.snapshot() as reading, copy.transaction() as transaction:
            writing = transaction.connection
            transaction.take_time()
            if any(
                writing.execute(select(func.count()).select_from(table)).scalar() for table in metadata.sorted_tables
            ):
                raise StoreError(f"the copy ({copy.dialect.name}) must be a new database; there is something in it.")
            n_rows = 0
            for table in metadata.sorted_tables:  # tables that others refer to come first
                with closing(_chunks(reading, table)) as chunks:
                    for rows in chunks:
                        writing.execute(insert(table), rows)
                        n_rows += len(rows)
                        told(n_rows)
            copy.dialect.after_copy(writing)
    finally:
        is_whole = copy.close()
    if not is_whole:  # what is in its log would be lost as it is renamed
        raise StoreError(f"the copy ({copy.dialect.name}) must be read by nobody before it is whole.")
    return n_rows


def _chunks(connection: Connection, table: Table) -> Generator[list[dict[str, Any]], None, None]:
    statement = select(table).order_by(*table.primary_key.columns)
    with connection.execute(statement, execution_options={"yield_per": CHUNK_ROWS}) as rows:
        for chunk in rows.mappings().partitions(CHUNK_ROWS):
            yield [dict(row) for row in chunk]
