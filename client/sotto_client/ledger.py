"""The budget: what this device has spent of its respondent's privacy, and what it may still spend.

Epsilons are added up (basic composition), in exact decimals, and nothing is ever taken back.
"""

import math
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import ROUND_CEILING, Context, Decimal
from typing import Any

from sotto_client.errors import BudgetExceeded
from sotto_client.receipt import Receipt

_SELECT = "SELECT fingerprint, survey_id, epsilon, day, receipt, secret, record FROM ledger"
# Zeros of the same length overwrite the very bytes on the disk, and rows are only ever added at the end. What SQLite
# deletes, or moves from page to page, can leave copies behind, in spite of secure_delete.
_FORGET = "UPDATE ledger SET secret = zeroblob(length(secret)), record = zeroblob(length(record)) WHERE receipt = ?"
_EXACT = Context(prec=100, rounding=ROUND_CEILING)  # the app may have set another context


@dataclass(frozen=True, slots=True)
class Limits:
    """`max_epsilon` for one survey id, ever; `max_period_epsilon` for all surveys in `period_days` days; nats, > 0."""

    max_epsilon: Decimal
    max_period_epsilon: Decimal
    period_days: int

    @staticmethod
    def of(max_epsilon: float | Decimal, max_period_epsilon: float | Decimal, period_days: int) -> "Limits":
        """Return checked limits. Raises ValueError unless epsilons are finite and > 0, days in [1, 36500]."""
        if type(period_days) is not int or not 1 <= period_days <= 36500:
            raise ValueError(f"period_days ({period_days!r:.40}) must be an integer in [1, 36500].")
        most = _epsilon("max_epsilon", max_epsilon)
        return Limits(most, _epsilon("max_period_epsilon", max_period_epsilon), period_days)


@dataclass(frozen=True, slots=True)
class Entry:
    """One report that was made: `epsilon` in nats, `day` in UTC.

    `secret` made the noise of `record`, the noisy answers; both are forgotten when the report is delivered.
    """

    fingerprint: str
    survey_id: str
    epsilon: Decimal
    day: date
    receipt: str
    secret: bytes | None
    record: bytes | None

    def to_receipt(self) -> Receipt:
        """Return what the respondent keeps."""
        return Receipt(self.receipt, self.survey_id, self.fingerprint, self.epsilon)


class Ledger:
    """The entries of a state, read and written inside one of its transactions."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def entries(self) -> list[Entry]:
        """Return all entries, in order of day."""
        return [_entry(row) for row in self._connection.execute(f"{_SELECT} ORDER BY day, fingerprint")]

    def find(self, fingerprint: str) -> Entry | None:
        """Return the report that this device made of a survey, None if it made none."""
        row = self._connection.execute(f"{_SELECT} WHERE fingerprint = ?", (fingerprint,)).fetchone()
        return None if row is None else _entry(row)

    def forget(self, receipt: str) -> None:
        """Wipe what could tell which answers a report was made of; what it took stays."""
        self._connection.execute(_FORGET, (receipt,))

    def charge(self, entry: Entry, limits: Limits) -> None:
        """Add an entry. Raises BudgetExceeded, and adds nothing, when it takes more than a limit leaves.

        The period ends on the entry's day. Entries of later days count too: a clock that went back frees no budget. (A
        clock that is put forward does: the device has no other.)
        """
        earlier = self.entries()
        start = entry.day - timedelta(days=min(limits.period_days, entry.day.toordinal()) - 1)
        of_survey = _total(old.epsilon for old in earlier if old.survey_id == entry.survey_id)
        of_period = _total(old.epsilon for old in earlier if old.day >= start)
        _require(entry, "max_epsilon", limits.max_epsilon, of_survey, f"for survey {entry.survey_id}")
        _require(entry, "max_period_epsilon", limits.max_period_epsilon, of_period, f"for {limits.period_days} days")
        self._connection.execute(
            "INSERT INTO ledger (fingerprint, survey_id, epsilon, day, receipt, secret, record) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                entry.fingerprint,
                entry.survey_id,
                str(entry.epsilon),
                entry.day.isoformat(),
                entry.receipt,
                entry.secret,
                entry.record,
            ),
        )


def _entry(row: tuple[Any, ...]) -> Entry:
    fingerprint, survey_id, epsilon, day, receipt, secret, record = row
    known = (secret, record) if any(secret) else (None, None)
    return Entry(fingerprint, survey_id, Decimal(epsilon), date.fromisoformat(day), receipt, *known)


def _require(entry: Entry, name: str, limit: Decimal, spent: Decimal, scope: str) -> None:
    left = _EXACT.subtract(limit, spent)
    if entry.epsilon > left:
        raise BudgetExceeded(
            f"answering survey {entry.survey_id} would spend epsilon {_shown(entry.epsilon)}, but {name} "
            f"({_shown(limit)}) leaves {_shown(max(left, Decimal(0)))} {scope}.",
            needed=entry.epsilon,
            left=max(left, Decimal(0)),
            limit=name,
        )


def _total(epsilons: Iterable[Decimal]) -> Decimal:
    total = Decimal(0)
    for epsilon in epsilons:
        total = _EXACT.add(total, epsilon)
    return total


def _epsilon(name: str, value: float | Decimal) -> Decimal:
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float | Decimal)
        or not math.isfinite(value)
        or value <= 0
    ):
        raise ValueError(f"{name} ({value!r:.40}) must be finite and > 0.")
    return Decimal(str(value))


def _shown(epsilon: Decimal) -> str:
    return format(float(epsilon), ".4f").rstrip("0").rstrip(".")
