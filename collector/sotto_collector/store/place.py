"""Where a SQLite database lies: its file and its log must still be what was opened, and no shorter.

If they are moved or removed while a collector runs, all that it writes from then on is lost with them.
"""

import os
import sqlite3
from pathlib import Path
from typing import NamedTuple

from sotto_collector.errors import StoreUnavailableError

LOG_SUFFIXES = ("-wal", "-shm")
_LENGTH = "SELECT * FROM pragma_schema_version, pragma_page_count, pragma_page_size"
_Identity = tuple[int, int]


class _Floor(NamedTuple):
    """How long the file is at least, while its schema has this version; one value, so that threads see both of one."""

    version: int
    n_bytes: int


class _Measured(NamedTuple):
    """How many bytes are there, and how many must be."""

    there: int
    least: int

    @property
    def is_enough(self) -> bool:
        return self.there >= self.least


class Place:
    """The files at a path: device and inode of the database and, once somebody writes, of its log. Thread-safe."""

    def __init__(self, path: Path) -> None:
        """Remember the file that is there now. Raises OSError."""
        self._path = path
        self._file = _identify(str(path))
        self._log: tuple[_Identity | None, ...] = ()
        self._floor = _Floor(0, 0)

    def check(self) -> None:
        """Raise StoreUnavailableError where there are other files now than those that were opened, or none."""
        if _identify(str(self._path)) != self._file:
            raise StoreUnavailableError(f"db ({self._path}) was moved, removed or replaced; put the file back.")
        if self._log and self._identify_log() != self._log:
            raise StoreUnavailableError(f"the log of db ({self._path}) was moved, removed or replaced; restart.")

    def is_shorter(self) -> bool:
        """Return whether the file is shorter than when it was last checked, as it is after a rewrite."""
        floor = self._floor  # before the size: other threads raise it, as the file grows
        return count_bytes(str(self._path)) < floor.n_bytes

    def check_length(self, connection: sqlite3.Connection) -> None:
        """Raise StoreUnavailableError where the file is too short. `connection` must have an open transaction.

        Pages in the log need not be in the file yet. But it shrinks only when it is rewritten, which increments its
        schema version. Before anything is said it is looked at again: it may just have been moved, or have grown.
        """
        try:
            version, n_pages, page_bytes = connection.execute(_LENGTH).fetchone()
        except sqlite3.DatabaseError:  # what is gone may be needed to ask at all
            if self.is_shorter():
                raise self._cut(_Measured(count_bytes(str(self._path)), self._floor.n_bytes)) from None
            raise
        if self._measure(version, n_pages * page_bytes).is_enough:
            return
        self.check()
        found = self._measure(version, n_pages * page_bytes)
        if not found.is_enough:
            raise self._cut(found)

    def _cut(self, found: "_Measured") -> StoreUnavailableError:
        return StoreUnavailableError(
            f"db ({self._path}) has {found.there} bytes, but had {found.least}. The collector accepts nothing "
            "until the file is as long again. Delete and restore nothing yet. Look at the file (ls -l), its disk "
            "(df, dmesg), and the programs that write to it. docs/database.md lists the possible causes."
        )

    def _measure(self, version: int, needed: int) -> "_Measured":
        """Measure the file, and raise the floor to what it must have from now on.

        A transaction keeps others from making it shorter; they may make it longer at any moment. So the floor is read
        before the size, and what is in the log is asked for after it.
        """
        floor = self._floor
        there = count_bytes(str(self._path))
        if not version:  # nothing is there yet, or any more
            return _Measured(there, floor.n_bytes)
        is_rest_logged = there < needed and count_bytes(f"{self._path}-wal") > 0
        known = floor.n_bytes if version == floor.version else 0
        least = max(known, min(there, needed) if is_rest_logged else needed)
        self._floor = _Floor(version, least)  # if another thread's is overwritten a lower one is left, which is true
        return _Measured(there, least)

    def note_log(self) -> None:
        """Remember the log, which is there as long as a connection that writes is open."""
        self._log = self._identify_log()

    def forget_log(self) -> None:
        """Forget the log: the connection that writes is closed, and the log may be removed with it."""
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
    """Return a file's device and inode; None where there is none, or they cannot be read."""
    try:
        found = os.stat(path)  # noqa: PTH116
    except OSError:
        return None
    return found.st_dev, found.st_ino
