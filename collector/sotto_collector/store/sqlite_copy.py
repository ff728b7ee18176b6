"""Rows from one SQLite file into another, by SQLite itself: a sixth of the time that it takes through Python.

A copy sees one state, which the log must keep until it is done: the log grows meanwhile, and commits take longer.
"""

import sqlite3
from collections.abc import Generator
from pathlib import Path

from sqlalchemy import Table

from sotto_collector.errors import StoreUnavailableError
from sotto_collector.store.upgrade import HEAD


def pour(source: Path, connection: sqlite3.Connection, table: Table, n_rows: int) -> Generator[int, None, None]:
    """Insert the rows of a table of `source` in the order of their keys, n_rows at a time; yield how many each time.

    `connection` has an open transaction, which sees one state of `source` from the first row to its end.
    """
    _attach(source, connection)
    columns, keys = (", ".join(part.columns.keys()) for part in (table, table.primary_key))
    select = f"SELECT {columns} FROM source.{table.name}"  # noqa: S608  # our own names
    marks = ", ".join("?" * len(table.primary_key))
    backwards = ", ".join(f"{column.name} DESC" for column in table.primary_key)
    largest = f"SELECT {keys} FROM main.{table.name} ORDER BY {backwards} LIMIT 1"  # noqa: S608
    last: tuple[object, ...] = ()
    while True:
        after = f"WHERE ({keys}) > ({marks})" if last else ""
        statement = f"INSERT INTO main.{table.name} ({columns}) {select} {after} ORDER BY {keys} LIMIT {n_rows}"
        n_inserted = connection.execute(statement, last).rowcount
        if n_inserted:
            yield n_inserted
        if n_inserted < n_rows:
            return
        last = connection.execute(largest).fetchone()


def _attach(source: Path, connection: sqlite3.Connection) -> None:
    if any(name == "source" for _, name, _ in connection.execute("PRAGMA database_list")):
        return
    connection.execute("ATTACH ? AS source", (f"{source.absolute().as_uri()}?mode=rw",))
    if connection.execute("SELECT version_num FROM source.alembic_version").fetchall() != [(HEAD,)]:
        raise StoreUnavailableError(f"db ({source}) has another schema than {HEAD} by now.")
