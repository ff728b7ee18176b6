"""Where a SQLite database lies: its file and its log must still be what was opened, and no shorter.

Who moves or removes them while a collector runs takes what is written from then on with them: nobody finds it again.
"""

import os
import sqlite3
from pathlib import Path

from sotto_collector.errors import StoreUnavailableError

LOG_SUFFIXES = ("-wal", "-shm")
_LENGTH = "SELECT * FROM pragma_schema_version, pragma_page_count, pragma_page_size"
_Identity = tuple[int, int]


class Place:
    """What lies at a path: device and inode of the file and, once somebody writes, of its log. Threads may share it."""

    def __init__(self, path: Path) -> None:
        """Remember the file that is there now. Raises OSError."""
        self._path = path
        self._file = _identify(str(path))
        self._log: tuple[_Identity | None, ...] = ()
        self._version, self._least_bytes = -1, 0

    def check(self) -> None:
        """Raise StoreUnavailableError where there are other files now than those that were opened, or none."""
        if _identify(str(self._path)) != self._file:
            raise StoreUnavailableError(f"db ({self._path}) was moved, removed or replaced; put the file back.")
        if self._log and self._identify_log() != self._log:
            raise StoreUnavailableError(f"the log of db ({self._path}) was moved, removed or replaced; restart.")

    def is_shorter(self) -> bool:
        """Return whether the file has fewer bytes than it had when it was looked at; it has if it was written anew."""
        return count_bytes(str(self._path)) < self._least_bytes

    def check_length(self, connection: sqlite3.Connection) -> None:
        """Raise StoreUnavailableError where the file is too short, by a connection whose transaction is open.

        What the log holds of it need not be in it yet; but it shrinks only where it is written anew, which counts the
        version of its schema up.
        """
        version, n_pages, page_bytes = connection.execute(_LENGTH).fetchone()
        there, needed = count_bytes(str(self._path)), n_pages * page_bytes
        if version:  # else nothing is there yet, or any more
            is_rest_logged = there < needed and count_bytes(f"{self._path}-wal") > 0
            known = self._least_bytes if version == self._version else 0
            self._version, self._least_bytes = version, max(known, there if is_rest_logged else needed)
        if there < self._least_bytes:
            raise StoreUnavailableError(f"db ({self._path}) was cut short; put a backup in its place and restart.")

    def note_log(self) -> None:
        """Remember the log, which is there as long as a connection that writes is open."""
        self._log = self._identify_log()

    def forget_log(self) -> None:
        """Hear that the connection that writes is closed: the log may go with it."""
        self._log = ()

    def _identify_log(self) -> tuple[_Identity | None, ...]:
        return tuple(_identify(f"{self._path}{suffix}") for suffix in LOG_SUFFIXES)


def count_bytes(path: str) -> int:
    """Return how long a file is; one that is not there has no bytes."""
    try:
        return os.stat(path).st_size  # noqa: PTH116  # with every commit: a Path would take longer than the system
    except OSError:
        return 0


def _identify(path: str) -> _Identity | None:
    """Return what a file is whatever it is called, None where there is none or nobody can tell."""
    try:
        found = os.stat(path)  # noqa: PTH116
    except OSError:
        return None
    return found.st_dev, found.st_ino
