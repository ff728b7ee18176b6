"""The files of a store as a thief has them: what in them tells which report came first, or which invitation it used."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import psycopg

from postgres_server import PostgresServer
from raw_database import read_hidden

FRAME_BYTES, LOG_HEADER_BYTES = 24, 32


class RawFiles(Protocol):
    """A store's files, read past the database. `n_copies`: how often a report's id stands there once it is tidy."""

    db: str
    n_copies: int

    def count(self, secrets: list[bytes]) -> list[int]:
        """Return how often each stands in any file but PostgreSQL's write-ahead log."""

    def list_in_order(self, ids: list[bytes]) -> list[bytes]:
        """Return those of these reports whose order of arrival can be read, in that order."""


class SqliteFiles:
    """SQLite's file, and its log, in which every commit has written its pages."""

    n_copies = 1

    def __init__(self, db: str) -> None:
        self.db = db
        self._path = Path(db)

    def _read(self) -> bytes:
        return b"".join(path.read_bytes() for path in self._path.parent.glob(f"{self._path.name}*"))

    def count(self, secrets: list[bytes]) -> list[int]:
        content = self._read()
        return [content.count(secret) for secret in secrets]

    def list_in_order(self, ids: list[bytes]) -> list[bytes]:
        log = Path(f"{self.db}-wal")
        found: dict[bytes, None] = {}
        for pages in read_commits(log.read_bytes() if log.exists() else b""):
            found |= dict.fromkeys(key for key in ids if any(key in page for page in pages.values()))
        return [*found]


class PostgresFiles:
    """The folder of a PostgreSQL's database: tables, indexes, catalogues, the sample that it keeps of columns."""

    n_copies = 2  # and in the index

    def __init__(self, db: str, server: PostgresServer) -> None:
        self.db = db
        self._data = server.data

    def count(self, secrets: list[bytes]) -> list[int]:
        with psycopg.connect(self.db, autocommit=True) as connection:
            connection.execute("CHECKPOINT")
            (key,) = connection.execute("SELECT oid FROM pg_database WHERE datname = current_database()").fetchone()
        files = [path for path in (self._data / "base" / str(key)).iterdir() if path.is_file()]
        content = b"|".join(path.read_bytes() for path in files)
        return [content.count(secret) for secret in secrets]

    def list_in_order(self, ids: list[bytes]) -> list[bytes]:
        """By the number of the transaction that wrote a row: who shares one with many is in no order among these."""
        rows = [row for table in ("inbox", "reports") for row in read_hidden(self.db, table, "report_id")]
        numbers = [xmin for _, xmin, _ in rows]
        alone = sorted((xmin, key) for key, xmin, _ in rows if numbers.count(xmin) == 1 and key in ids)
        return [key for _, key in alone]


def read_commits(log: bytes) -> Iterator[dict[int, bytes]]:
    """Yield the pages that each commit has written into a write-ahead log of SQLite's, by number.

    The format is https://www.sqlite.org/fileformat2.html#walformat: a frame that ends a commit has the size of the
    database, and one of before the log was begun again has other salts.
    """
    page_bytes, salts, pages = int.from_bytes(log[8:12], "big"), log[16:24], {}
    for start in range(LOG_HEADER_BYTES, len(log) - page_bytes, FRAME_BYTES + page_bytes):
        frame = log[start : start + FRAME_BYTES]
        if frame[8:16] != salts:
            return
        pages[int.from_bytes(frame[:4], "big")] = log[start + FRAME_BYTES : start + FRAME_BYTES + page_bytes]
        if any(frame[4:8]):
            yield pages
            pages = {}


def count_joined(files: SqliteFiles, hashes: list[bytes], ids: list[bytes]) -> int:
    """Return how many invitations go from a page in the very commit that brings one report alone."""
    seen, before, joined = set[bytes](), dict[int, bytes](), 0
    for pages in read_commits(Path(f"{files.db}-wal").read_bytes()):
        come = {key for key in ids if any(key in page for page in pages.values())} - seen
        gone = [key for number in pages for key in hashes if key in before.get(number, b"")]
        gone = [key for key in gone if not any(key in page for page in pages.values())]
        joined += len(come) == len(gone) == 1
        seen |= come
        before |= pages
    return joined


@contextmanager
def copied(files: SqliteFiles, folder: Path) -> Iterator[SqliteFiles]:
    """Copy the files as they are at this moment: that is what a kill -9 leaves, and a backup of the file system."""
    folder.mkdir()
    for path in files._path.parent.glob(f"{files._path.name}*"):
        if not path.name.endswith("-shm"):
            (folder / path.name).write_bytes(path.read_bytes())
    yield SqliteFiles(os.fspath(folder / files._path.name))
