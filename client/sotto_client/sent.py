"""Reports that were delivered, as they were sent: kept for some days, to be sent again if their collector loses them.

Only where the app asks for it (`resend_days`); usually nothing is kept. Each day that the device's clock shows anew
takes one of a report's days, and a jump ahead all that it passes: a clock that is set back prolongs nothing for ever.
A clock that was never set since the device has power shows a day that cannot be; then each opening of the state counts
as one. What is sent again has the days that are left, also while it waits.
"""

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal

from sotto_client.database import expect, reading
from sotto_client.ledger import Ledger
from sotto_client.outbox import Outbox

MAX_RESEND_DAYS = 365
RIGHT_SINCE = date(2026, 1, 1)
"""No clock that is right shows an earlier day."""
RESTORED_HEADER = "sottovoce-restored"
_MAX_DIGITS = 15  # what a browser's number holds

_KEEP = """
INSERT INTO sent (receipt, url, survey_id, body, days_left, seen, restored, via)
SELECT receipt, url, survey_id, body, days_left, coalesce(seen, ?), restored, via
FROM outbox WHERE receipt = ? AND days_left > 0
"""
_ALL = "SELECT receipt, url, survey_id, body, days_left, seen, restored, via FROM sent"


@dataclass(frozen=True, slots=True)
class SentReport:
    """A report that was delivered, and is kept for so many days more, counted last on the day `seen` (ISO, UTC).

    `restored`: the number of its collector's store, when it was made (see `read_restored`). `via`: as in the outbox.
    """

    receipt: str
    url: str
    survey_id: str
    body: bytes
    days_left: int
    seen: str
    restored: int
    via: str = ""


class Sent:
    """The delivered reports of a state, read and written inside one of its transactions."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def reports(self) -> list[SentReport]:
        """Return what is kept, by receipt."""
        rows = self._connection.execute(f"{_ALL} ORDER BY receipt")
        with reading("sent reports"):
            return [_read(row) for row in rows]

    def lost(self, url: str, fingerprint: str, restored: int) -> list[SentReport]:
        """Return what was delivered at an address to a store of another number: that one may have lost it."""
        kept = [report for report in self.reports() if report.url == url and report.restored != restored]
        known = [Ledger(self._connection).receipt_of(report.receipt) for report in kept]
        return [report for report, of in zip(kept, known, strict=True) if of and of.fingerprint == fingerprint]

    def keep(self, receipt: str, day: date) -> None:
        """Keep a report that waits no more, if its app asked for it; to be called before the outbox forgets it."""
        self._connection.execute(_KEEP, (day.isoformat(), receipt))

    def readmit(
        self,
        reports: list[SentReport],
        restored: int | None = None,
        draw_delay_end: Callable[[], float] = lambda: 0.0,
    ) -> None:
        """Let reports wait again, as the same bytes; for a store of this number, if it is another one.

        Each has a delay of its own, as at first: together they would show that they are one device's.
        """
        for kept in reports:
            number = kept.restored if restored is None else restored
            self._connection.execute("DELETE FROM sent WHERE receipt = ?", (kept.receipt,))
            Outbox(self._connection).put(
                kept.receipt,
                kept.url,
                kept.survey_id,
                kept.body,
                draw_delay_end(),
                kept.days_left,
                number,
                kept.seen,
                kept.via,
            )

    def drop(self, column: Literal["receipt", "fingerprint", "survey_id"], value: str) -> None:
        """Forget reports by what the ledger says of them, also those that wait again; keep no others.

        Refused ones stay, and are shown.
        """
        theirs = f"receipt IN (SELECT receipt FROM ledger WHERE {column} = ?)"  # noqa: S608  # our own names
        self._connection.execute(f"DELETE FROM sent WHERE {theirs}", (value,))  # noqa: S608
        waiting = f"rejected IS NULL AND {theirs}"
        self._connection.execute(f"DELETE FROM outbox WHERE seen IS NOT NULL AND {waiting}", (value,))  # noqa: S608
        self._connection.execute(f"UPDATE outbox SET days_left = 0 WHERE {waiting}", (value,))  # noqa: S608
        Ledger(self._connection).release()

    def sweep(self, day: date, *, opens: bool = False) -> None:
        """Count the days that have passed, and drop what has none left, in the outbox too; writes once a day.

        `opens`: as the state is opened, which counts as a day where the clock cannot be right.
        """
        is_changed = False
        for table in ("sent", "outbox"):
            for receipt, days_left, seen in self._uncounted(table, day, opens):
                left = days_left - _passed(seen, day)
                change = "DELETE FROM {}" if left <= 0 else "UPDATE {} SET days_left = :left, seen = :seen"
                counted = day if day >= RIGHT_SINCE else seen
                values = {"left": left, "seen": counted.isoformat(), "receipt": receipt}
                self._connection.execute(f"{change.format(table)} WHERE receipt = :receipt", values)
                is_changed = True
        if is_changed:
            Ledger(self._connection).release()

    def is_due(self, day: date, *, opens: bool = False) -> bool:
        """Return whether `sweep` has something to do."""
        return any(self._uncounted(table, day, opens) for table in ("sent", "outbox"))

    def _uncounted(self, table: str, day: date, opens: bool) -> list[tuple[str, int, date]]:
        is_right = day >= RIGHT_SINCE
        if not (is_right or opens):
            return []
        rows = self._connection.execute(
            f"SELECT receipt, days_left, seen FROM {table} WHERE seen <> ?",  # noqa: S608  # our own names
            (day.isoformat() if is_right else "",),
        )
        with reading("sent reports"):
            return [_read_days(row) for row in rows]


def _passed(seen: date, day: date) -> int:
    """Return how many days a report loses: those between two days, of which one alone says nothing."""
    return max(1, (day - seen).days) if min(seen, day) >= RIGHT_SINCE else 1


def read_restored(text: str | None) -> int | None:
    """Return the number that a collector's store got when it was last restored, another one each time; 0 if never.

    None where the header says nothing readable.

    >>> read_restored("917"), read_restored(None), read_restored("-1"), read_restored("9" * 16)
    (917, None, None, None)
    """
    is_number = text is not None and text.isascii() and text.isdigit() and len(text) <= _MAX_DIGITS
    return int(text) if is_number and text else None


def _read(row: tuple[Any, ...]) -> SentReport:
    expect(row, str, str, str, bytes, int, str, int, str)
    return SentReport(*row)


def _read_days(row: tuple[Any, ...]) -> tuple[str, int, date]:
    expect(row, str, int, str)
    receipt, days_left, seen = row
    return receipt, days_left, date.fromisoformat(seen)
