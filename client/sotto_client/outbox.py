"""The outbox: noisy reports that wait for the collector, always sent as the same bytes.

They are kept as these bytes, without the invitation, which the ledger keeps: what is deleted here may leave copies.
"""

import json
import sqlite3
from dataclasses import asdict, dataclass
from typing import Any

from sotto_protocol import Problem
from sotto_protocol.report import with_invitation


@dataclass(frozen=True, slots=True)
class Waiting:
    """A report to be sent: `body` to `url`, which is a collector's or a relay's.

    `not_before`, in seconds since 1970: no attempt before; `is_held`: because the collector asked for it.
    `delay_until`: no first attempt before.
    """

    receipt: str
    url: str
    survey_id: str
    body: bytes
    n_attempts: int = 0
    not_before: float = 0.0
    is_held: bool = False
    delay_until: float = 0.0


_NEEDS_INVITATION = ("invitation_required", "invitation_invalid")


@dataclass(frozen=True, slots=True)
class Rejected:
    """A report that the collector refused for good, with its reason. It stays charged: it was sent."""

    receipt: str
    url: str
    survey_id: str
    body: bytes
    n_attempts: int
    problem: Problem

    @property
    def needs_invitation(self) -> bool:
        """Whether another invitation can mend it: see `SurveyClient.resend`."""
        return needs_invitation(self.problem)


def needs_invitation(problem: Problem) -> bool:
    """Whether a report was refused for its invitation alone."""
    return problem.code in _NEEDS_INVITATION


class Outbox:
    """The reports of a state, read and written inside one of its transactions."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def put(self, receipt: str, url: str, survey_id: str, body: bytes, delay_until: float = 0.0) -> None:
        """Add a report, without its invitation; it waits as long as the collector asked this device to stay away."""
        self._connection.execute(
            "INSERT INTO outbox (receipt, url, survey_id, body, not_before, is_held, delay_until) "
            "SELECT ?1, ?2, ?3, ?4, coalesce(max(not_before), 0), count(*) > 0, ?5 "
            "FROM outbox WHERE url = ?2 AND is_held AND rejected IS NULL",
            (receipt, url, survey_id, body, delay_until),
        )

    def waiting(self) -> list[Waiting]:
        """Return what waits, the least often tried first: no report can keep the others back."""
        rows = self._connection.execute(
            "SELECT invitation, body, receipt, url, outbox.survey_id, n_attempts, not_before, is_held, delay_until "
            "FROM outbox LEFT JOIN ledger USING (receipt) WHERE rejected IS NULL ORDER BY n_attempts, receipt"
        )
        return [_read_waiting(*row) for row in rows]

    def rejected(self) -> list[Rejected]:
        """Return what was refused for good."""
        rows = self._connection.execute(
            "SELECT receipt, url, survey_id, body, n_attempts, rejected "
            "FROM outbox WHERE rejected IS NOT NULL ORDER BY receipt"
        )
        return [
            Rejected(receipt, url, survey_id, body, n_attempts, _read_problem(text))
            for receipt, url, survey_id, body, n_attempts, text in rows
        ]

    def acknowledge(self, receipt: str) -> None:
        """Forget a report that the collector has."""
        self._connection.execute("DELETE FROM outbox WHERE receipt = ?", (receipt,))

    def postpone(self, report: Waiting, not_before: float, is_held: bool) -> None:
        """Count a failed attempt, and leave the report's collector alone until then, whatever waits for it."""
        self._connection.execute("UPDATE outbox SET n_attempts = n_attempts + 1 WHERE receipt = ?", (report.receipt,))
        self._connection.execute(
            "UPDATE outbox SET not_before = ?, is_held = ? WHERE url = ?", (not_before, is_held, report.url)
        )

    def reject(self, receipt: str, problem: Problem) -> None:
        """Keep a report aside for good."""
        self._connection.execute(
            "UPDATE outbox SET rejected = ?, n_attempts = n_attempts + 1 WHERE receipt = ?",
            (json.dumps(asdict(problem)), receipt),
        )

    def readmit(self, receipt: str) -> None:
        """Let a refused report wait again."""
        self._connection.execute("UPDATE outbox SET rejected = NULL WHERE receipt = ?", (receipt,))


def _read_waiting(
    invitation: bytes | None, body: bytes, receipt: str, url: str, survey_id: str, *times: Any
) -> Waiting:
    sent = with_invitation(body, invitation) if invitation else body
    return Waiting(receipt, url, survey_id, sent, *times)  # is_held as 0 or 1, SQLite's booleans


def _read_problem(text: str) -> Problem:
    return Problem(**json.loads(text))
