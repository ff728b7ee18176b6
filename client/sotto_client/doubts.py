"""Versions of a survey that a collector says it does not have; once it has said so for a week, they are over."""

import sqlite3
import time
from typing import Any

from sotto_client.database import expect, reading
from sotto_client.ledger import Ledger
from sotto_client.sent import Sent
from sotto_client.verdict import UNKNOWN_FINAL_S, lengthen


class Doubts:
    """What one collector said of the versions of one survey, read and written inside a state's transaction."""

    def __init__(self, connection: sqlite3.Connection, url: str, survey_id: str) -> None:
        self._connection = connection
        self._place = url, survey_id

    def doubt(self, kept: str, unless: str = "") -> bool:
        """Note that the collector has neither the kept version nor those that were doubted before; but for `unless`.

        A version that it has not had for a week is over, and the device forgets what could undo its noise. Of the
        versions whose secret is forgotten, only the kept one's doubt is stored. Returns whether the kept one is over.
        """
        now = time.time()
        doubted = self._read()
        self._forget(unless)
        is_over = False
        for fingerprint in {kept, *doubted} - {"", unless}:
            unknown_s = lengthen(*doubted.get(fingerprint, (0.0, 0.0)), now)
            if unknown_s >= UNKNOWN_FINAL_S:
                self.believe(fingerprint)
                is_over |= fingerprint == kept
            if fingerprint == kept or Ledger(self._connection).is_known(fingerprint):
                self._write(fingerprint, unknown_s, now)
            else:
                self._forget(fingerprint)
        return is_over

    def believe(self, fingerprint: str) -> None:
        """Take a version for over: the device forgets what could undo its noise."""
        Sent(self._connection).drop("fingerprint", fingerprint)
        Ledger(self._connection).end(fingerprint)
        self._forget(fingerprint)

    def restart(self) -> None:
        """Start the week of every version again: the collector said something else."""
        for fingerprint in self._read():
            self._write(fingerprint, 0.0, 0.0)

    def _forget(self, fingerprint: str) -> None:
        place = (*self._place, fingerprint)
        self._connection.execute("DELETE FROM doubts WHERE (url, survey_id, fingerprint) = (?, ?, ?)", place)

    def _read(self) -> dict[str, tuple[float, float]]:
        rows = self._connection.execute(
            "SELECT fingerprint, unknown_s, unknown_at FROM doubts WHERE url = ? AND survey_id = ?", self._place
        )
        with reading("doubts"):
            return dict(_read_doubt(row) for row in rows)

    def _write(self, fingerprint: str, unknown_s: float, now: float) -> None:
        self._connection.execute(
            "INSERT OR REPLACE INTO doubts VALUES (?, ?, ?, ?, ?)", (*self._place, fingerprint, unknown_s, now)
        )


def _read_doubt(row: Any) -> tuple[str, tuple[float, float]]:
    expect(row, str, float, float)
    fingerprint, unknown_s, unknown_at = row
    return fingerprint, (unknown_s, unknown_at)
