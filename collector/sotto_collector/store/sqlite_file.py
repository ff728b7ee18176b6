"""A SQLite file that is not open: how it is made, copied, and glanced at."""

import fcntl
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from pathlib import Path

from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from sotto_collector.durable_files import sync_folder
from sotto_collector.errors import StoreError
from sotto_collector.store.dialect import Dialect
from sotto_collector.store.location import Location, Result
from sotto_collector.store.place import LOG_SUFFIXES
from sotto_collector.store.source_file import check_source
from sotto_collector.store.sqlite import SqliteDialect
from sotto_collector.store.sqlite_engine import APPLICATION_ID, first, make_engine
from sotto_collector.store.upgrade import read_revision, refuse_missing
from sotto_collector.store.workplace import alone_at

COPIED_BYTES = 2**20
TIMEOUT_S = 5.0
SUFFIXES = ("", *LOG_SUFFIXES, "-journal")
"""What SQLite puts behind a database's name, for what belongs to it."""
UNFINISHED = ".unfinished"
"""What is put behind the name of one that is being made."""
SUM = ".sha256"
"""What is put behind a backup's name, for a line of sha256sum."""


class SqliteFile(Location):
    """A file by its path."""

    is_file = True

    def open(self, busy_timeout_ms: int = 5000, *, create: bool = True) -> Dialect:
        self._check()
        return SqliteDialect(Path(self.db), busy_timeout_ms, create=create)

    @contextmanager
    def upgrading(self) -> Iterator[None]:
        """By a lock on its folder: the file itself is locked by SQLite, which does not wait for long."""
        try:
            held = os.open(Path(self.db).absolute().parent, os.O_RDONLY | os.O_DIRECTORY)
        except OSError:  # what is wrong with the place is said as the file is opened
            yield
            return
        try:
            with suppress(OSError):  # on a file system without such locks they wait for SQLite's
                fcntl.flock(held, fcntl.LOCK_EX)
            yield
        finally:
            os.close(held)

    def glance(self, read: Callable[[Connection, str], Result]) -> Result:
        self._check()
        if not Path(self.db).exists() or not Path(self.db).stat().st_size:
            if Path(f"{self.db}{UNFINISHED}").exists():
                raise StoreError(
                    f"db ({self.db}) does not exist. A restore or a backup to it was stopped before the end, or is "
                    f"still running. It left {self.db}{UNFINISHED}. Run it again."
                )
            raise refuse_missing(self.db)
        log = Path(f"{self.db}-wal")
        try:
            while True:
                is_alone = not log.exists()
                found = self._look(read, is_alone=is_alone)
                if not (is_alone and log.exists()):  # else a collector began meanwhile, whose locks were not looked at
                    return found
        except (SQLAlchemyError, sqlite3.Error, OSError) as fault:
            raise StoreError(f"db ({self.db}) cannot be read: {getattr(fault, 'orig', None) or fault}.") from fault

    def _check(self) -> None:
        """Raise StoreError for what is no path, but may be a mistyped URL, whose password is not said."""
        if not self.db or "://" in self.db:
            found = "begins otherwise" if self.db else "is empty"
            raise StoreError(f"db must be the path of a file or postgresql://..; it {found}.")

    def _look(self, read: Callable[[Connection, str], Result], *, is_alone: bool) -> Result:
        """Where it is alone the file is taken for one that nobody changes: else SQLite would make a log beside it."""
        place = f"{Path(self.db).absolute().as_uri()}?mode=ro{'&immutable=1' * is_alone}"

        def connect() -> sqlite3.Connection:
            return sqlite3.connect(place, uri=True, timeout=TIMEOUT_S, isolation_level=None, check_same_thread=False)

        with closing(connect()) as raw:
            if first(raw, "PRAGMA application_id") != APPLICATION_ID:
                raise StoreError(f"db ({self.db}) must be a sottovoce database; it is another program's.")
            before_migrations = f"{first(raw, 'PRAGMA user_version'):04}"
        engine = make_engine(connect, lambda on: on.exec_driver_sql("BEGIN"), pool_size=1, timeout_s=TIMEOUT_S)
        try:
            with engine.connect() as connection:
                return read(connection, read_revision(connection) or before_migrations)
        finally:
            engine.dispose()

    @contextmanager
    def make(self, what: str, *, replaces: bool = False) -> Iterator[str]:
        """Yield the name of a file beside it, which is then renamed; `replaces`: over one that may be there."""
        path = Path(self.db)
        if not replaces:
            _check_new(path, what)
        beside = path.with_name(f"{path.name}{UNFINISHED}")
        try:
            with alone_at(path, what):
                _remove(beside)  # left by one that was killed
                try:
                    yield str(beside)
                    _check_new(path, what, replaces=replaces)
                    Path(f"{path}{SUM}").unlink(missing_ok=True)  # of the one before: a kill must not leave it to this
                    beside.rename(path)
                    sync_folder(path.absolute().parent)
                finally:
                    _remove(beside)
        except OSError as fault:
            raise StoreError(f"{what} ({path}) must be a new file that can be made there: {fault.strerror}.") from fault

    def workplace(self) -> AbstractContextManager[str]:
        return self.make("db")

    def copy_files(self, to: str) -> bool:
        try:
            check_source(self.db, Path(to).absolute().parent)
            for suffix in ("", "-wal"):  # a backup that is a file of a collector that was killed has a log
                if suffix == "" or Path(f"{self.db}{suffix}").exists():
                    _copy_privately(f"{self.db}{suffix}", f"{to}{suffix}")
        except OSError as fault:
            raise StoreError(f"backup ({self.db}) cannot be copied to {to}: {fault.strerror}.") from fault
        return True


def _check_new(path: Path, what: str, *, replaces: bool = False) -> None:
    """Raise StoreError where there is a file, or a log of one that was there: SQLite would play it into the new one."""
    for suffix in SUFFIXES[replaces:]:
        if os.path.lexists(f"{path}{suffix}"):
            there = f"{path}{suffix} is there: move it away" if suffix else "there is one already"
            raise StoreError(f"{what} ({path}) must be a new file; {there}.")


def _remove(path: Path) -> None:
    for suffix in SUFFIXES:
        Path(f"{path}{suffix}").unlink(missing_ok=True)


def _copy_privately(source: str, target: str) -> None:
    """Copy a file into a new one that nobody else can read, from its first byte on."""
    made = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(made, "wb") as to, Path(source).open("rb") as file:
        shutil.copyfileobj(file, to, COPIED_BYTES)
