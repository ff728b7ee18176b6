"""Room on SQLite's disk: the log is kept so small that what it holds can still be folded into the file.

A log that fills the disk could not be folded any more, as the file must grow for that.
"""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from sotto_collector.errors import StoreUnavailableError
from sotto_collector.store.place import count_bytes

SCARCE_BYTES = 64 * 2**20
"""Where less is free than this and the log, the log is folded before every transaction that writes."""
FRAME_BYTES = 4096 + 24  # a page in the log


def keep_room(connection: sqlite3.Connection, path: Path, *, is_pressed: bool) -> None:
    """Fold the log where room is scarce, or else if `is_pressed`, before a transaction begins.

    Raises StoreUnavailableError, or sqlite3.Error, where there is no room to fold it: more must not come into it then.
    """
    log_bytes = count_bytes(f"{path}-wal")
    if not log_bytes or not (is_pressed or _count_free(path) < log_bytes + SCARCE_BYTES):
        return
    n_left = fold(connection)
    if _count_free(path) < n_left * FRAME_BYTES:
        raise StoreUnavailableError("the disk has no room to fold the log into the file, which must come first.")


def fold(connection: sqlite3.Connection) -> int:
    """Fold the log into the file, and empty it where nobody reads it; return how many of its pages are left to fold."""
    timeout_ms = _execute(connection, "PRAGMA busy_timeout")[0]
    _execute(connection, "PRAGMA busy_timeout = 0")  # who reads an older state is not waited for
    try:
        _, n_pages, n_folded = _execute(connection, "PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        _execute(connection, f"PRAGMA busy_timeout = {timeout_ms}")
    return int(max(0, n_pages - n_folded))


def _execute(connection: sqlite3.Connection, statement: str) -> tuple[int, ...]:
    with closing(connection.execute(statement)) as cursor:
        return tuple(cursor.fetchone())


def _count_free(path: Path) -> int:
    return shutil.disk_usage(path.absolute().parent).free
