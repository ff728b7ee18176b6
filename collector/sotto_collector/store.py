"""The store: surveys, tokens' hashes, reports, tallies, in one SQLite file. Nothing else is kept.

All that the rest of the collector needs of a database is a public method here, so that another can stand behind it.
"""

import shutil
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from sotto_collector.database import connect, count_bytes, fold_log, open_database
from sotto_collector.errors import StoreError, StoreUnavailableError, SurveyExistsError
from sotto_collector.transaction import Transaction, unpack_counts
from sotto_protocol import Survey, Tally

RECOUNT_ROWS = 50_000
"""Reports held in memory at once while recounting."""
MAX_REWRITE_BYTES = 64 * 2**20
"""A larger file is not rewritten when the collector stops: that must fit into the ten seconds that stopping may take,
of which requests in flight may need seven, and it is done in memory."""


@dataclass(frozen=True, slots=True)
class StoredSurvey:
    """A survey and its key in the store. Neither ever changes, so both may be kept in memory."""

    key: int
    survey: Survey


@dataclass(frozen=True, slots=True)
class StoredToken:
    """What is known of a token: `token_hash` is its SHA-256, 32 bytes."""

    token_hash: bytes
    role: str
    label: str


class Store:
    """One database file. One thread writes at a time; readers have connections of their own."""

    def __init__(self, path: str | Path, *, busy_timeout_ms: int = 5000) -> None:
        """Open the file, or make it. Raises StoreError where it cannot be used."""
        if not str(path):
            raise StoreError("db must be the path of a file; it is empty.")
        self.path = Path(path)
        self._busy_timeout_ms = busy_timeout_ms
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = open_database(self.path, busy_timeout_ms)

    def close(self) -> None:
        """Fold the write-ahead log into the file, leave it empty, and close."""
        with self._lock:
            connection, self._connection = self._connection, None
            if connection is None:
                return
            try:
                with closing(connection):
                    fold_log(connection)
            except sqlite3.Error as fault:  # what was committed stays in the log, and is read from there
                raise StoreUnavailableError(f"the write-ahead log was not folded in: {fault}.") from fault

    def fold_log(self) -> bool:
        """Fold the write-ahead log into the file and empty it; return False where that would have to wait for others.

        Raises StoreUnavailableError when SQLite fails; what was committed stays in the log then.
        """
        if not self._lock.acquire(blocking=False):
            return False
        try:
            connection = self._connection = self._connection or open_database(self.path, self._busy_timeout_ms)
            connection.execute("PRAGMA busy_timeout = 0")  # a reader must not hold up the next writer
            is_folded = fold_log(connection)
            connection.execute(f"PRAGMA busy_timeout = {self._busy_timeout_ms}")
        except (sqlite3.Error, StoreError) as fault:
            self._drop_connection()
            raise StoreUnavailableError(f"the write-ahead log was not folded in: {fault}.") from fault
        finally:
            self._lock.release()
        return is_folded

    def rewrite(self) -> None:
        """Write every page anew, in the order of the keys; nothing where the file exceeds MAX_REWRITE_BYTES.

        SQLite fills a page in the order in which rows come to it, whatever their keys.
        Raises StoreUnavailableError when SQLite fails; the file is as it was then.
        """
        with self._lock:
            try:
                connection = self._connection = self._connection or open_database(self.path, self._busy_timeout_ms)
                if count_bytes(connection) <= MAX_REWRITE_BYTES:
                    connection.execute("VACUUM")
            except (sqlite3.Error, StoreError) as fault:
                self._drop_connection()
                raise StoreUnavailableError(f"the file was not rewritten in the order of its keys: {fault}.") from fault

    @contextmanager
    def transaction(self) -> Iterator[Transaction]:
        """Hold the database's one write lock; commit at the end, roll back at any error.

        Raises StoreUnavailableError when SQLite fails (disk full, locked, I/O); nothing of it is stored then.
        """
        with self._lock:
            try:
                connection = self._connection = self._connection or open_database(self.path, self._busy_timeout_ms)
                connection.execute("BEGIN IMMEDIATE")
                yield Transaction(connection)
                connection.execute("COMMIT")
            except (sqlite3.Error, StoreError) as fault:
                self._drop_connection()
                raise StoreUnavailableError(f"the store cannot write now: {fault}.") from fault
            except BaseException:
                self._drop_connection()
                raise

    def _drop_connection(self) -> None:
        """Close a connection that failed: that rolls back, and the next transaction opens a fresh one."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def check_writable(self, min_free_bytes: int) -> None:
        """Raise StoreUnavailableError unless the write lock can be had and the disk has room."""
        with self.transaction():
            pass
        try:
            free = shutil.disk_usage(self.path.absolute().parent).free
        except OSError as fault:
            raise StoreUnavailableError(f"the disk cannot be asked: {fault.strerror}.") from fault
        if free < min_free_bytes:
            raise StoreUnavailableError(f"free disk space must be at least {min_free_bytes} bytes.")

    def add_survey(self, survey: Survey) -> bool:
        """Store a survey; return whether it is new. Raises SurveyExistsError when another has its id."""
        with self.transaction() as transaction:
            known = transaction.find_fingerprint(survey.id)
            if known is None:
                transaction.insert_survey(survey)
        if known not in (None, survey.fingerprint):
            raise SurveyExistsError("another survey has this id.")
        return known is None

    def close_survey(self, key: int) -> None:
        """Take no more reports of a survey."""
        with self.transaction() as transaction:
            transaction.close_survey(key)

    def find_survey(self, survey_id: str) -> StoredSurvey | None:
        """Return the survey of this id, if there is one."""
        rows = self._read("SELECT survey_key, definition FROM surveys WHERE survey_id = ?", survey_id)
        return StoredSurvey(rows[0][0], Survey.from_canonical(rows[0][1])) if rows else None

    def list_surveys(self) -> list[StoredSurvey]:
        """Return every survey, by id."""
        rows = self._read("SELECT survey_key, definition FROM surveys ORDER BY survey_id")
        return [StoredSurvey(key, Survey.from_canonical(definition)) for key, definition in rows]

    def add_token(self, token: StoredToken) -> None:
        """Store a token's hash."""
        with self.transaction() as transaction:
            transaction.insert_token(token.token_hash, token.role, token.label)

    def remove_token(self, token_hash: bytes) -> None:
        """Forget a token's hash."""
        with self.transaction() as transaction:
            transaction.delete_token(token_hash)

    def find_role(self, token_hash: bytes) -> str | None:
        """Return the role of the token with this hash, if there is one."""
        rows = self._read("SELECT role FROM tokens WHERE token_hash = ?", token_hash)
        return rows[0][0] if rows else None

    def list_tokens(self) -> list[StoredToken]:
        """Return what is known of every token, by label."""
        rows = self._read("SELECT token_hash, role, label FROM tokens ORDER BY label, token_hash")
        return [StoredToken(*row) for row in rows]

    def read_tally(self, stored: StoredSurvey) -> Tally:
        """Return the tally that is kept up with every transaction."""
        rows = self._read("SELECT n_reports, support_counts FROM tallies WHERE survey_key = ?", stored.key)
        ((n_reports, packed),) = rows
        return Tally(stored.survey, n_reports, unpack_counts(stored.survey, packed))

    def recount(self, stored: StoredSurvey) -> Tally:
        """Return the tally counted anew from the stored reports: equal to `read_tally`, or something is broken."""
        tally = Tally.empty(stored.survey)
        with self._reader() as connection:
            question = "SELECT packed FROM reports WHERE survey_key = ?"
            rows = connection.execute(question, (stored.key,))
            for chunk in iter(partial(rows.fetchmany, RECOUNT_ROWS), []):
                records = np.frombuffer(b"".join(row[0] for row in chunk), np.uint8)
                tally += Tally.of(stored.survey, records.reshape(len(chunk), -1))
        return tally

    def read_reports(self, stored: StoredSurvey) -> list[tuple[bytes, bytes]]:
        """Return every report as (id, packed), by id."""
        question = "SELECT report_id, packed FROM reports WHERE survey_key = ? ORDER BY report_id"
        return [(report_id, packed) for report_id, packed in self._read(question, stored.key)]

    def check_integrity(self) -> None:
        """Raise StoreError where SQLite finds the file damaged, or a tally differs from its reports."""
        faults = [row[0] for row in self._read("PRAGMA integrity_check")]
        if faults != ["ok"]:
            raise StoreError(f"db ({self.path}) is damaged: {faults[0]}.")
        for stored in self.list_surveys():
            if self.read_tally(stored) != self.recount(stored):
                raise StoreError(f"db ({self.path}): the tally of {stored.survey.id} differs from its reports.")

    def _read(self, question: str, *values: object) -> list[tuple[Any, ...]]:
        with self._reader() as connection:
            return connection.execute(question, values).fetchall()

    @contextmanager
    def _reader(self) -> Iterator[sqlite3.Connection]:
        try:
            with closing(connect(self.path, self._busy_timeout_ms)) as connection:
                connection.execute("PRAGMA query_only = ON")
                yield connection
        except sqlite3.Error as fault:
            raise StoreUnavailableError(f"the store cannot be read now: {fault}.") from fault
