"""The databases behind the store, by their URLs."""

from pathlib import Path

from sotto_collector.errors import StoreError
from sotto_collector.store.dialect import Dialect
from sotto_collector.store.sqlite import SqliteDialect

POSTGRES = ("postgresql:", "postgres:", "postgresql+")


def open_dialect(db: str | Path, busy_timeout_ms: int = 5000, *, create: bool = True) -> Dialect:
    """Return a database by its file, made with `create` where it is missing, or by its URL. Raises StoreError.

    Its schema is not checked.
    """
    if not str(db):
        raise StoreError("db must be the path of a file or postgresql://..; it is empty.")
    if "://" in str(db) and not str(db).startswith(POSTGRES):
        raise StoreError("db must be the path of a file or postgresql://..; it begins otherwise.")
    if not str(db).startswith(POSTGRES):
        return SqliteDialect(Path(db), busy_timeout_ms, create=create)
    try:
        from sotto_collector.store.postgres import PostgresDialect
    except ModuleNotFoundError as fault:
        raise StoreError("db is a PostgreSQL's, which needs: pip install 'sottovoce[postgres]'.") from fault
    return PostgresDialect(str(db), busy_timeout_ms)
