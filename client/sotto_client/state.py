"""The device's memory: one small SQLite file that only its owner can read, and nothing true in it.

Every transaction has a connection of its own, so threads, processes and forked children share a file without sharing a
handle. Rule: nobody but SQLite opens a file that SQLite may hold open, because closing any descriptor of it drops the
process's locks (sqlite.org/howtocorrupt.html, 2.2).
"""

import os
import sqlite3
import stat
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from sotto_client.errors import StateError

MEMORY = ":memory:"
_APPLICATION_ID = 0x736F7474  # "sott"
_VERSION = 1
_BUSY_TIMEOUT_S = 10.0
_SECRET_BYTES = 32

_SCHEMA = """
CREATE TABLE device (only INTEGER PRIMARY KEY CHECK (only = 1), secret BLOB NOT NULL);
CREATE TABLE surveys (
    url TEXT NOT NULL, survey_id TEXT NOT NULL, canonical BLOB NOT NULL, PRIMARY KEY (url, survey_id)
) WITHOUT ROWID;
CREATE TABLE ledger (
    fingerprint TEXT PRIMARY KEY, survey_id TEXT NOT NULL, epsilon TEXT NOT NULL, day TEXT NOT NULL,
    receipt TEXT NOT NULL, record BLOB NOT NULL
) WITHOUT ROWID;
CREATE TABLE outbox (
    receipt TEXT PRIMARY KEY, url TEXT NOT NULL, survey_id TEXT NOT NULL, body BLOB NOT NULL,
    n_attempts INTEGER NOT NULL DEFAULT 0, not_before REAL NOT NULL DEFAULT 0, is_held INTEGER NOT NULL DEFAULT 0,
    rejected TEXT
) WITHOUT ROWID;
"""
_creating = threading.Lock()


def default_path() -> Path:
    """Return `$XDG_STATE_HOME/sottovoce/device.db`, by default under `~/.local/state`."""
    given = Path(os.environ.get("XDG_STATE_HOME") or ".")
    try:  # the XDG specification: a relative path counts as none
        home = given if given.is_absolute() else Path.home() / ".local" / "state"
    except RuntimeError as fault:
        raise StateError(f"state must be given: {fault}") from fault
    return home / "sottovoce" / "device.db"


class State:
    """An open state. `secret`: the device's 32 bytes, drawn once. Open with `State.open`.

    `:memory:` keeps everything in this process and forgets it on close.
    """

    def __init__(self, path: Path | None, memory: sqlite3.Connection | None) -> None:
        self._path = path
        self._memory = memory
        self._memory_lock = threading.RLock()
        self.secret = b""

    @staticmethod
    def open(path: str | os.PathLike[str] | None = None, *, create: bool = True) -> "State":
        """Open a state, by default the user's, and create it where there is none.

        Raises StateError, with the path, for what is not a state of ours, is of a newer version, or cannot be used.
        """
        if path == MEMORY:
            state = State(None, sqlite3.connect(MEMORY, isolation_level=None, check_same_thread=False))
        else:
            state = State(_make_file(default_path() if path is None else Path(path).absolute(), create), None)
        state._check_or_initialise()
        return state

    @property
    def name(self) -> str:
        """The path, for people."""
        return MEMORY if self._path is None else str(self._path)

    @contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """Give a connection that sees one moment of the state."""
        with self._begin("BEGIN") as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """Give a connection whose changes are all durable after the block, or, if it raises, none is made.

        Waits up to 10 s for another writer. Raises StateError when the state cannot be written.
        """
        with self._begin("BEGIN IMMEDIATE") as connection:
            yield connection

    def close(self) -> None:
        """Forget a state in memory; a file is closed whenever no transaction runs."""
        if self._memory is not None:
            with self._memory_lock:
                self._memory.close()

    @contextmanager
    def _begin(self, begin: str) -> Iterator[sqlite3.Connection]:
        try:
            with self._connection() as connection:
                connection.execute(begin)
                try:
                    yield connection
                    connection.execute("COMMIT")
                finally:
                    if connection.in_transaction:
                        connection.execute("ROLLBACK")
        except sqlite3.Error as fault:
            raise StateError(f"state {self.name} cannot be used ({fault}).") from fault

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        if self._memory is not None:
            with self._memory_lock:
                yield self._memory
            return
        assert self._path is not None  # noqa: S101  # a state is either in memory or in a file
        uri = f"{self._path.as_uri()}?mode=rw"  # never created by SQLite, whose files others may read
        with closing(sqlite3.connect(uri, uri=True, timeout=_BUSY_TIMEOUT_S, isolation_level=None)) as connection:
            # What is deleted is overwritten with zeros, and nothing spills into temporary files.
            connection.executescript("PRAGMA synchronous=FULL; PRAGMA secure_delete=ON; PRAGMA temp_store=MEMORY")
            yield connection

    def _check_or_initialise(self) -> None:
        with self.read() as connection:
            is_new = self._is_empty(connection)
            if not is_new:
                self._check_version(connection)
        if self._path is not None:
            _tighten(self._path)  # before there is a secret in it
        if is_new:
            self._initialise()
        with self.read() as connection:
            [(self.secret,)] = connection.execute("SELECT secret FROM device")

    def _is_empty(self, connection: sqlite3.Connection) -> bool:
        [(n_tables,)] = connection.execute("SELECT count(*) FROM sqlite_schema")
        return n_tables == 0 and _pragma(connection, "application_id") == 0

    def _check_version(self, connection: sqlite3.Connection) -> None:
        if _pragma(connection, "application_id") != _APPLICATION_ID:
            raise StateError(f"state {self.name} is a database of another program.")
        version = _pragma(connection, "user_version")
        if version != _VERSION:
            raise StateError(f"state {self.name} is of version {version}; this sottovoce knows version {_VERSION}.")

    def _initialise(self) -> None:
        with self.write() as connection:
            if not self._is_empty(connection):  # another process was faster
                return
            for statement in _SCHEMA.split(";"):  # not executescript, which would commit first
                connection.execute(statement)
            connection.execute("INSERT INTO device VALUES (1, ?)", (os.urandom(_SECRET_BYTES),))
            connection.execute(f"PRAGMA application_id={_APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version={_VERSION}")


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    [(value,)] = connection.execute(f"PRAGMA {name}")
    return int(value)


def _make_file(path: Path, create: bool) -> Path:
    try:
        with _creating:
            if create and not path.exists():
                path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                with suppress(FileExistsError):  # another process was faster: its file is as good
                    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except OSError as fault:
        raise StateError(f"state {path} cannot be created ({fault.strerror}).") from fault
    if not path.is_file():
        raise StateError(f"state {path} must be a file that is there.")
    return path


def _tighten(path: Path) -> None:
    try:
        if stat.S_IMODE(path.stat().st_mode) & 0o077:
            path.chmod(0o600)
    except OSError as fault:
        raise StateError(f"state {path} cannot be made private ({fault.strerror}).") from fault
