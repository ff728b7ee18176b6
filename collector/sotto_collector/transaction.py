"""What is written, statement by statement, inside one transaction of the store."""

import sqlite3
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sotto_protocol import Survey
from sotto_protocol.report import REPORT_ID_BYTES

COUNT_DTYPE = np.dtype("<i8")

# One statement for the whole group, whatever its size: SQLite then works without the interpreter's lock, which it would
# otherwise give up and queue for once a row. Row i is cut out of the joined ids and records.
_ROWS = "WITH RECURSIVE row(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM row WHERE i + 1 < :n_rows) "
_ID = f"substr(:ids, i * {REPORT_ID_BYTES} + 1, {REPORT_ID_BYTES})"
_FIND_KNOWN = (
    f"{_ROWS} SELECT group_concat(i) FROM row "  # noqa: S608  # built of constants
    f"WHERE EXISTS (SELECT 1 FROM reports WHERE survey_key = :key AND report_id = {_ID})"
)
_INSERT = (
    f"INSERT OR IGNORE INTO reports {_ROWS} "  # noqa: S608  # built of constants
    f"SELECT :key, {_ID}, substr(:packed, i * :width + 1, :width) FROM row"
)


class Transaction:
    """An open write transaction. Made by `Store.transaction`, which commits it."""

    __slots__ = ("_connection",)

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def is_open(self, key: int) -> bool:
        """Return whether the survey still takes reports."""
        row = self._one("SELECT is_open FROM surveys WHERE survey_key = ?", key)
        return row is not None and row[0] == 1

    def insert_new(self, key: int, ids: NDArray[np.void], records: NDArray[np.uint8]) -> NDArray[np.bool_]:
        """Insert the reports whose ids are not stored yet; return which, shape (n,).

        `ids`: n different ids, sorted, so that rows arrive in no order but theirs. `records`: shape (n, record_bytes).
        """
        self._connection.execute("SAVEPOINT fresh")
        if self._insert(key, ids, records) == len(ids):
            is_new = np.ones(len(ids), np.bool_)
        else:  # some are stored already, and SQLite doesn't say which: look, then insert the others
            self._connection.execute("ROLLBACK TO fresh")
            is_new = ~self.find_known(key, ids)
            if self._insert(key, ids[is_new], records[is_new]) != is_new.sum():
                raise sqlite3.DatabaseError("ids that were not there could not be inserted")
        self._connection.execute("RELEASE fresh")
        return is_new

    def _insert(self, key: int, ids: NDArray[np.void], records: NDArray[np.uint8]) -> int:
        values = {
            "key": key,
            "ids": ids.tobytes(),
            "packed": records.tobytes(),
            "width": records.shape[1],
            "n_rows": len(ids),
        }
        return self._connection.execute(_INSERT, values).rowcount if len(ids) else 0

    def find_known(self, key: int, ids: NDArray[np.void]) -> NDArray[np.bool_]:
        """Return which of the ids are stored already, shape (n,)."""
        is_known = np.zeros(len(ids), np.bool_)
        found = self._one(_FIND_KNOWN, {"key": key, "ids": ids.tobytes(), "n_rows": len(ids)})
        if found is not None and found[0] is not None:
            is_known[[int(index) for index in found[0].split(",")]] = True
        return is_known

    def add_to_tally(self, key: int, n_reports: int, counts: NDArray[np.int64]) -> None:
        """Add to a survey's tally: `counts` of all questions, one behind the other."""
        row = self._one("SELECT support_counts FROM tallies WHERE survey_key = ?", key)
        assert row is not None  # noqa: S101  # written together with the survey
        total = np.frombuffer(row[0], COUNT_DTYPE) + counts
        self._connection.execute(
            "UPDATE tallies SET n_reports = n_reports + ?, support_counts = ? WHERE survey_key = ?",
            (n_reports, total.astype(COUNT_DTYPE).tobytes(), key),
        )

    def find_fingerprint(self, survey_id: str) -> str | None:
        """Return the fingerprint of the survey that has this id, if one has."""
        row = self._one("SELECT fingerprint FROM surveys WHERE survey_id = ?", survey_id)
        return None if row is None else row[0]

    def insert_survey(self, survey: Survey) -> None:
        """Insert a survey, open, and its tally of no reports."""
        cursor = self._connection.execute(
            "INSERT INTO surveys (survey_id, fingerprint, definition) VALUES (?, ?, ?)",
            (survey.id, survey.fingerprint, survey.canonical),
        )
        n_counts = sum(question.mechanism.n_values for question in survey.questions)
        zeros = np.zeros(n_counts, COUNT_DTYPE).tobytes()
        self._connection.execute("INSERT INTO tallies VALUES (?, 0, ?)", (cursor.lastrowid, zeros))

    def close_survey(self, key: int) -> None:
        """Let a survey take no more reports."""
        self._connection.execute("UPDATE surveys SET is_open = 0 WHERE survey_key = ?", (key,))

    def insert_token(self, token_hash: bytes, role: str, label: str) -> None:
        """Insert a token's hash."""
        self._connection.execute("INSERT INTO tokens VALUES (?, ?, ?)", (token_hash, role, label))

    def delete_token(self, token_hash: bytes) -> None:
        """Delete a token's hash, if it is there."""
        self._connection.execute("DELETE FROM tokens WHERE token_hash = ?", (token_hash,))

    def _one(self, question: str, values: Any) -> tuple[Any, ...] | None:
        given = values if isinstance(values, dict) else (values,)
        row: tuple[Any, ...] | None = self._connection.execute(question, given).fetchone()
        return row


def pack_counts(counts: Mapping[str, NDArray[np.int64]], survey: Survey) -> NDArray[np.int64]:
    """Return all questions' counts, one behind the other."""
    return np.concatenate([counts[question.id] for question in survey.questions])


def unpack_counts(survey: Survey, packed: bytes) -> dict[str, NDArray[np.int64]]:
    """Return each question's counts from the bytes that are stored."""
    widths = [question.mechanism.n_values for question in survey.questions]
    parts = np.split(np.frombuffer(packed, COUNT_DTYPE).astype(np.int64), np.cumsum(widths)[:-1])
    return {question.id: part for question, part in zip(survey.questions, parts, strict=True)}
