"""The databases behind the store: which one a path or a URL means."""

from pathlib import Path

from sotto_collector.store.location import Location
from sotto_collector.store.postgres_url import PostgresUrl
from sotto_collector.store.sqlite_file import SqliteFile

POSTGRES = ("postgresql:", "postgres:", "postgresql+")


def locate(db: str | Path) -> Location:
    """Return where a database is, or will be: a file, or a server's. Nothing is looked at."""
    return PostgresUrl(str(db)) if str(db).startswith(POSTGRES) else SqliteFile(str(db))
