"""Room on SQLite's disk: the log is kept so small that it can still be checkpointed into the file.

A log that fills the disk could not be: the file must grow for that.
"""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from sotto_collector.errors import StoreUnavailableError
from sotto_collector.store.place import count_bytes

SCARCE_BYTES = 64 * 2**20
"""Where less is free than this and the log's size, the log is checkpointed before every transaction that writes."""
FRAME_BYTES = 4096 + 24  # a page in the log


def keep_room(connection: sqlite3.Connection, path: Path, *, is_pressed: bool) -> None:
    """Checkpoint the log before a transaction begins, where room is scarce, or in any case if `is_pressed`.

    Raises StoreUnavailableError, or sqlite3.Error, where there is no room for that: the log must not grow then.
    """
    log_bytes = count_bytes(f"{path}-wal")
    if not log_bytes or not (is_pressed or _count_free(path) < log_bytes + SCARCE_BYTES):
        return
    n_left = checkpoint(connection)
    if _count_free(path) < n_left * FRAME_BYTES:
        raise StoreUnavailableError("the disk has no room to write the log into the file, which must happen first.")


def checkpoint(connection: sqlite3.Connection) -> int:
    """Checkpoint the log into the file, and empty it where nobody reads it; return how many of its pages are left."""
    timeout_ms = _execute(connection, "PRAGMA busy_timeout")[0]
    _execute(connection, "PRAGMA busy_timeout = 0")  # readers of an older state are not waited for
    try:
        _, n_pages, n_done = _execute(connection, "PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        _execute(connection, f"PRAGMA busy_timeout = {timeout_ms}")
    return int(max(0, n_pages - n_done))


def _execute(connection: sqlite3.Connection, statement: str) -> tuple[int, ...]:
    with closing(connection.execute(statement)) as cursor:
        return tuple(cursor.fetchone())


def _count_free(path: Path) -> int:
    return shutil.disk_usage(path.absolute().parent).free
