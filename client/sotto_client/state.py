"""The device's memory: one small SQLite file that only its owner can read, without a true answer in it.

The secret of a survey's noise is in it until the report of the last wave is delivered, and overwritten then (see
`sotto_client.permanent`), and with it what each wave took; the invitation to a survey, until no report needs it any
more. Noisy reports are in it while they wait, and where an app asks for that (`resend_days`), for some days more.

Rule: nobody but SQLite opens a file that SQLite may hold open, because closing any descriptor of it drops the process's
locks (sqlite.org/howtocorrupt.html, 2.2).
"""

import os
import sqlite3
import stat
from contextlib import suppress
from pathlib import Path

from sotto_client.database import MEMORY, Database, block, no_fork
from sotto_client.errors import StateError
from sotto_client.ledger import Ledger, write_epsilon

_APPLICATION_ID = 0x736F7474  # "sott"
_VERSION = 10
_SUMMED_SINCE = 4
_VIA_SINCE = 9
_BUSY_TIMEOUT_S = 10.0

# What is deleted is overwritten with zeros, and nothing spills into temporary files.
_SETTINGS = "PRAGMA synchronous=FULL; PRAGMA secure_delete=ON; PRAGMA temp_store=MEMORY"
_SURVEYS = """
CREATE TABLE surveys (
    url TEXT NOT NULL, survey_id TEXT NOT NULL, canonical BLOB NOT NULL, restored INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (url, survey_id)
) WITHOUT ROWID
"""
_LEDGER = """
CREATE TABLE ledger (
    id INTEGER PRIMARY KEY, fingerprint TEXT NOT NULL, wave INTEGER NOT NULL, waves INTEGER NOT NULL,
    survey_id TEXT NOT NULL, epsilon TEXT NOT NULL, day TEXT NOT NULL, receipt TEXT NOT NULL, secret BLOB NOT NULL,
    marks BLOB NOT NULL, invitation BLOB NOT NULL, UNIQUE (fingerprint, wave)
)
"""
_OUTBOX = """
CREATE TABLE outbox (
    receipt TEXT PRIMARY KEY, url TEXT NOT NULL, survey_id TEXT NOT NULL, body BLOB NOT NULL,
    n_attempts INTEGER NOT NULL DEFAULT 0, not_before REAL NOT NULL DEFAULT 0, is_held INTEGER NOT NULL DEFAULT 0,
    rejected TEXT, delay_until REAL NOT NULL DEFAULT 0, unknown_s REAL NOT NULL DEFAULT 0,
    unknown_at REAL NOT NULL DEFAULT 0, days_left INTEGER NOT NULL DEFAULT 0, restored INTEGER NOT NULL DEFAULT 0,
    seen TEXT
) WITHOUT ROWID
"""
_SENT = """
CREATE TABLE sent (
    receipt TEXT PRIMARY KEY, url TEXT NOT NULL, survey_id TEXT NOT NULL, body BLOB NOT NULL,
    days_left INTEGER NOT NULL, restored INTEGER NOT NULL, seen TEXT NOT NULL
) WITHOUT ROWID
"""
_GATEWAYS = """
CREATE TABLE gateways (
    gateway_key TEXT PRIMARY KEY, epoch INTEGER NOT NULL, digest TEXT NOT NULL, other TEXT NOT NULL DEFAULT ''
) WITHOUT ROWID
"""
_DOUBTS = """
CREATE TABLE doubts (
    url TEXT NOT NULL, survey_id TEXT NOT NULL, fingerprint TEXT NOT NULL, unknown_s REAL NOT NULL,
    unknown_at REAL NOT NULL, PRIMARY KEY (url, survey_id, fingerprint)
) WITHOUT ROWID
"""
_DRAWS = """
CREATE TABLE draws (
    fingerprint TEXT PRIMARY KEY, survey_id TEXT NOT NULL, seed BLOB NOT NULL
) WITHOUT ROWID
"""
_TOKENS = """
CREATE TABLE tokens (
    id INTEGER PRIMARY KEY, receipt TEXT NOT NULL UNIQUE, fingerprint TEXT NOT NULL, wave INTEGER NOT NULL,
    last_wave INTEGER NOT NULL, keys TEXT NOT NULL, random BLOB NOT NULL, stratum INTEGER NOT NULL, salt BLOB NOT NULL,
    factor BLOB NOT NULL, invitation BLOB NOT NULL, max_delay_s REAL NOT NULL, is_signed INTEGER NOT NULL DEFAULT 0
)
"""
# Version 1 knew no waves: it had one report of a fingerprint, whose record was what its answers are known by. Neither
# it nor version 2 knew invitations or delays. None of the first three knew sums, nor wrote all epsilons equally long.
# None of the first four noted for how long a collector does not know a survey. None of the first five drew questions.
# None of the first six kept what was delivered. Those of the first seven charge several reports of one answer more than
# they take; what they add to what has been charged since would be too little, so they must not open it. None of the
# first eight knew relays: they would send to the collector what is only for its gateway. None of the first nine had
# tokens.
# Rows are written in order and the old pages zeroed (secure_delete), so no copy of a secret is left behind; with a
# column that was only added, rows would grow, and move, once overwritten.
_RENAME, _DROP = "ALTER TABLE ledger RENAME TO ledger_before", "DROP TABLE ledger_before"
_COPY_1 = """
INSERT INTO ledger SELECT id, fingerprint, 1, 1, survey_id, write_epsilon(epsilon), day, receipt, secret, record, x''
FROM ledger_before ORDER BY id
"""
_COPY = """
INSERT INTO ledger
SELECT id, fingerprint, wave, waves, survey_id, write_epsilon(epsilon), day, receipt, secret, marks, {}
FROM ledger_before ORDER BY id
"""
_ADD_DELAY = "ALTER TABLE outbox ADD COLUMN delay_until REAL NOT NULL DEFAULT 0"
_ADD_UNKNOWN = (
    _DOUBTS,
    "ALTER TABLE outbox ADD COLUMN unknown_s REAL NOT NULL DEFAULT 0",
    "ALTER TABLE outbox ADD COLUMN unknown_at REAL NOT NULL DEFAULT 0",
)
_ADD_SENT = (
    _SENT,
    "ALTER TABLE outbox ADD COLUMN days_left INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE outbox ADD COLUMN restored INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE outbox ADD COLUMN seen TEXT",
    "ALTER TABLE surveys ADD COLUMN restored INTEGER NOT NULL DEFAULT 0",
)
_ADD_VIA = (
    _GATEWAYS,
    "ALTER TABLE outbox ADD COLUMN via TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE sent ADD COLUMN via TEXT NOT NULL DEFAULT ''",
)
_UPGRADES = {  # by the version that there is; 0 is an empty file
    0: (_SURVEYS, _LEDGER, _OUTBOX, _DOUBTS, _DRAWS, _SENT),
    1: (_RENAME, _LEDGER, _COPY_1, _DROP, _ADD_DELAY, *_ADD_UNKNOWN, _DRAWS, *_ADD_SENT),
    2: (_RENAME, _LEDGER, _COPY.format("x''"), _DROP, _ADD_DELAY, *_ADD_UNKNOWN, _DRAWS, *_ADD_SENT),
    3: (_RENAME, _LEDGER, _COPY.format("invitation"), _DROP, *_ADD_UNKNOWN, _DRAWS, *_ADD_SENT),
    4: (*_ADD_UNKNOWN, _DRAWS, *_ADD_SENT),
    5: (_DRAWS, *_ADD_SENT),
    6: _ADD_SENT,
}
"""Behind each, and those of 7 and 8, follows _ADD_VIA; and behind all _TOKENS."""
_FORGOTTEN = "SELECT DISTINCT fingerprint FROM ledger WHERE secret = zeroblob(length(secret))"


def default_path() -> Path:
    """Return `$XDG_STATE_HOME/sottovoce/device.db`, by default under `~/.local/state`."""
    given = Path(os.environ.get("XDG_STATE_HOME") or ".")
    try:  # the XDG specification: a relative path counts as none
        home = given if given.is_absolute() else Path.home() / ".local" / "state"
    except RuntimeError as fault:
        raise StateError(f"state must be given: {fault}") from fault
    return home / "sottovoce" / "device.db"


class State(Database):
    """An open state; open it with `State.open`, and close it.

    `:memory:` keeps everything in this process, forgets it on close, and cannot be used in a forked child.
    """

    def __init__(self, path: Path | None) -> None:
        super().__init__(MEMORY if path is None else str(path))
        self._path = path

    @staticmethod
    def open(path: str | os.PathLike[str] | None = None, *, create: bool = True) -> "State":
        """Open a state, by default the user's, and create it where there is none. Only the default's folder is made.

        Raises StateError, with the path, for what is not a state of ours, is of a newer version, or cannot be used.
        """
        if path == MEMORY:
            state = State(None)
        else:
            place = default_path() if path is None else Path(path).absolute()
            if create and path is None:
                _make_folder(place)
            state = State(_make_file(place, create))
        with state.read():  # opens it
            return state

    def _connect(self) -> sqlite3.Connection:
        # Never created by SQLite, whose files others may read.
        address = MEMORY if self._path is None else f"{self._path.as_uri()}?mode=rw"
        connection = sqlite3.connect(
            address, uri=True, timeout=_BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False
        )
        try:
            connection.executescript(_SETTINGS)
            self._check_or_upgrade(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _check_or_upgrade(self, connection: sqlite3.Connection) -> None:
        with block(connection, "BEGIN"):
            version = self._check(connection)
        if self._path is not None:
            _tighten(self._path)  # before there is a secret in it
        connection.execute("PRAGMA journal_mode=TRUNCATE")  # one change of the folder less for every transaction
        if version < _VERSION:
            self._upgrade(connection)

    def _check(self, connection: sqlite3.Connection) -> int:
        """Return its version, 0 where nothing is in it. Raises StateError for what is not a state, or a newer one."""
        [(n_tables,)] = connection.execute("SELECT count(*) FROM sqlite_schema")
        [(application_id,)] = connection.execute("PRAGMA application_id")
        [(version,)] = connection.execute("PRAGMA user_version")
        if n_tables == application_id == 0:
            return 0
        if application_id != _APPLICATION_ID:
            raise StateError(f"state {self.name} is a database of another program.")
        if not 1 <= version <= _VERSION:
            raise StateError(f"state {self.name} is of version {version}; this sottovoce knows 1 to {_VERSION}.")
        return int(version)

    def _upgrade(self, connection: sqlite3.Connection) -> None:
        with block(connection, "BEGIN IMMEDIATE"):
            version = self._check(connection)
            if version == _VERSION:  # another process was faster
                return
            connection.create_function("write_epsilon", 1, write_epsilon, deterministic=True)
            for statement in (*_UPGRADES.get(version, ()), *(_ADD_VIA if version < _VIA_SINCE else ()), _TOKENS):
                connection.execute(statement)
            if version < _SUMMED_SINCE:
                for (fingerprint,) in connection.execute(_FORGOTTEN).fetchall():
                    Ledger(connection).sum_up(fingerprint)
            connection.execute(f"PRAGMA application_id={_APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version={_VERSION}")


def _make_folder(path: Path) -> None:
    try:
        with no_fork:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as fault:
        raise StateError(f"state {path} cannot be created ({fault.strerror}).") from fault


def _make_file(path: Path, create: bool) -> Path:
    try:
        with no_fork:
            if create and not path.exists():
                with suppress(FileExistsError):  # another process was faster: its file is as good
                    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except FileNotFoundError as fault:
        raise StateError(f"state {path} cannot be created: there is no folder {path.parent}.") from fault
    except OSError as fault:
        raise StateError(f"state {path} cannot be created ({fault.strerror}).") from fault
    try:
        is_file, n_bytes = path.is_file(), path.stat().st_size if path.is_file() else 0
    except OSError as fault:
        raise StateError(f"state {path} cannot be read ({fault.strerror}).") from fault
    if not is_file:
        raise StateError(f"state {path} must be a file that is there.")
    if not create and n_bytes == 0:
        raise StateError(f"state {path} must be a device's state; it is empty.")
    return path


def _tighten(path: Path) -> None:
    try:
        if stat.S_IMODE(path.stat().st_mode) & 0o077:
            path.chmod(0o600)
    except OSError as fault:
        raise StateError(f"state {path} cannot be made private ({fault.strerror}).") from fault
