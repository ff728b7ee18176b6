"""The outbox: noisy reports that wait for the collector, always sent as the same bytes.

They are kept without the invitation, which is in the ledger: what is deleted here may leave copies on the disk.
"""

import json
import random
import sqlite3
import time
from dataclasses import dataclass, replace
from typing import Any

from sotto_client.database import expect, reading
from sotto_client.tokens import WISH_COLUMNS, Wish, read_wish
from sotto_client.verdict import NEEDS_INVITATION, SURVEY_UNKNOWN
from sotto_client.via import Via
from sotto_protocol.invitation import with_invitation
from sotto_protocol.problem import Problem

_OF_PROBLEM = ("status", "code", "detail", "where")
"""What is kept of why a report was refused."""


@dataclass(frozen=True, slots=True)
class Posting:
    """How a client posts its reports: where, how long they may first wait, for how many days they are kept then.

    `relay`: the one that its app named; "" if it named none.
    """

    url: str
    max_delay_s: float = 0.0
    resend_days: int = 0
    relay: str = ""

    def draw_delay_end(self) -> float:
        """Return a moment, uniform on the next `max_delay_s` seconds; 0, which is past, without a delay."""
        return time.time() + random.SystemRandom().uniform(0, self.max_delay_s) if self.max_delay_s else 0.0


@dataclass(frozen=True, slots=True)
class WaitingReport:
    """A report to be sent: `body` to `url`, which is a collector's or a relay's.

    Moments are in seconds since 1970. `not_before`: no attempt before; `is_held`: because the collector asked for it.
    `delay_until`: no first attempt before. `unknown_s`: for how many seconds its collector has only said that it does
    not know the survey, last at `unknown_at` (see `sotto_client.verdict.lengthen`). `wish`: for the token that it still
    lacks, in a survey with blind invitations.
    """

    receipt: str
    url: str
    survey_id: str
    body: bytes
    n_attempts: int = 0
    not_before: float = 0.0
    is_held: bool = False
    delay_until: float = 0.0
    unknown_s: float = 0.0
    unknown_at: float = 0.0
    via: Via | None = None
    wish: Wish | None = None


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
        return self.problem.code in NEEDS_INVITATION

    @property
    def is_unknown(self) -> bool:
        """Whether the collector did not know the survey, for a week; `SurveyClient.resend` can try it again."""
        return self.problem.code in SURVEY_UNKNOWN


class Outbox:
    """The reports of a state, read and written inside one of its transactions."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def put(
        self,
        receipt: str,
        url: str,
        survey_id: str,
        body: bytes,
        delay_until: float = 0.0,
        days_left: int = 0,
        restored: int = 0,
        seen: str | None = None,
        via: str = "",
    ) -> None:
        """Add a report, without its invitation; it waits as long as the collector asked this device to stay away.

        `days_left`: for how long it is kept after its delivery; `restored`, `seen`: see `sotto_client.sent.SentReport`.
        `via`: `Via.to_text` of an oblivious survey's.
        """
        self._connection.execute(
            "INSERT INTO outbox (receipt, url, survey_id, body, not_before, is_held, delay_until, "
            "days_left, restored, seen, via) "
            "SELECT ?1, ?2, ?3, ?4, coalesce(max(not_before), 0), count(*) > 0, ?5, ?6, ?7, ?8, ?9 "
            "FROM outbox WHERE url = ?2 AND is_held AND rejected IS NULL",
            (receipt, url, survey_id, body, delay_until, days_left, restored, seen, via),
        )

    def waiting(self) -> list[WaitingReport]:
        """Return what waits, the least often tried first: no report can keep the others back."""
        rows = self._connection.execute(
            "SELECT coalesce(invitation, x''), receipt, url, outbox.survey_id, body, n_attempts, not_before, is_held, "
            "delay_until, unknown_s, unknown_at, via "
            "FROM outbox LEFT JOIN ledger USING (receipt) WHERE rejected IS NULL ORDER BY n_attempts, receipt"
        )
        with reading("outbox"):
            waiting, wishes = [_read_waiting(*row) for row in rows], self._wishes()
            return [replace(report, wish=wishes.get(report.receipt)) for report in waiting] if wishes else waiting

    def _wishes(self) -> dict[str, Wish]:
        """Return what waiting reports lack, by receipt."""
        rows = self._connection.execute(
            f"SELECT receipt, {WISH_COLUMNS} FROM tokens JOIN outbox USING (receipt) "  # noqa: S608  # our own names
            "WHERE NOT is_signed AND rejected IS NULL"
        )
        return {receipt: read_wish(*row) for receipt, *row in rows}

    def rejected(self) -> list[Rejected]:
        """Return what was refused for good."""
        rows = self._connection.execute(
            "SELECT receipt, url, survey_id, body, n_attempts, rejected "
            "FROM outbox WHERE rejected IS NOT NULL ORDER BY receipt"
        )
        with reading("outbox"):
            return [_read_rejected(*row) for row in rows]

    def acknowledge(self, receipt: str) -> bool:
        """Forget a report that the collector has; False where it was forgotten before."""
        return self._connection.execute("DELETE FROM outbox WHERE receipt = ?", (receipt,)).rowcount > 0

    def postpone(self, report: WaitingReport, not_before: float, is_held: bool, *, alone: bool = False) -> None:
        """Count a failed attempt; leave the report's address alone until `not_before`, or, `alone`, only the report."""
        self._connection.execute("UPDATE outbox SET n_attempts = n_attempts + 1 WHERE receipt = ?", (report.receipt,))
        self._connection.execute(
            "UPDATE outbox SET not_before = ?, is_held = ? WHERE url = ? AND (receipt = ? OR NOT ?)",
            (not_before, is_held, report.url, report.receipt, alone),
        )

    def note_unknown(self, receipt: str, unknown_s: float, unknown_at: float) -> None:
        """Note for how long a report's collector has only said that it does not know the survey; 0 if it has not."""
        self._connection.execute(
            "UPDATE outbox SET unknown_s = ?, unknown_at = ? WHERE receipt = ?", (unknown_s, unknown_at, receipt)
        )

    def reject(self, receipt: str, problem: Problem) -> Rejected | None:
        """Keep a report aside for good, and return it; None where it does not wait any more."""
        changed = self._connection.execute(
            "UPDATE outbox SET rejected = ?, n_attempts = n_attempts + 1 WHERE receipt = ? AND rejected IS NULL",
            (json.dumps({name: getattr(problem, name) for name in _OF_PROBLEM}), receipt),
        )
        return next((kept for kept in self.rejected() if kept.receipt == receipt), None) if changed.rowcount else None

    def readmit(self, receipt: str) -> None:
        """Let a refused report wait again."""
        self._connection.execute(
            "UPDATE outbox SET rejected = NULL, n_attempts = 0, unknown_s = 0, unknown_at = 0 WHERE receipt = ?",
            (receipt,),
        )


def _read_waiting(invitation: bytes, *row: Any) -> WaitingReport:
    expect((invitation, *row), bytes, str, str, str, bytes, int, float, int, float, float, float, str)
    report = replace(WaitingReport(*row[:-1]), via=Via.from_text(row[-1]))  # is_held as 0 or 1, SQLite's booleans
    return replace(report, body=with_invitation(report.body, invitation)) if invitation else report


def _read_rejected(*row: Any) -> Rejected:
    expect(row, str, str, str, bytes, int, str)
    receipt, url, survey_id, body, n_attempts, text = row
    problem = Problem(**json.loads(text))
    expect((problem.status, problem.code, problem.detail, problem.where), int, str, str, str)
    return Rejected(receipt, url, survey_id, body, n_attempts, problem)
