"""The budget: what this device has spent of its respondent's privacy, and what it may still spend.

Epsilons are added up (basic composition), in exact decimals, and nothing is ever taken back. In a survey of several
waves every answer has a pot of its own: its reports share their noise, so what they take together is no sum. (In one
with `asked_in`, each report has noise of its own, unless it has `epsilon_forever`: there epsilons are added up.) To
recognise an answer, the ledger keeps a tag of it beside the secret, for as long as the secret: whoever reads the state
meanwhile can try every answer against the tags. That is the price of the pots, and surveys of one wave do not pay it.
What each wave took would show for ever in which of them an answer changed, so it is forgotten with the secret: the
ledger keeps the survey's sum.

The invitation to a survey is kept here and not in the outbox, because only here can it be overwritten in place.
"""

import math
import sqlite3
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import ROUND_CEILING, Context, Decimal
from itertools import compress, repeat
from typing import TYPE_CHECKING, Any

from sotto_client.database import expect, reading
from sotto_client.errors import BudgetExceeded
from sotto_client.receipt import Receipt
from sotto_client.tokens import Tokens
from sotto_protocol.documents import MAX_DECIMALS, decimal_text
from sotto_protocol.words import epsilon_above, epsilon_below

if TYPE_CHECKING:
    from sotto_protocol.survey import Survey

MAX_EPSILON = 8.0
"""What a device lets one survey take, unless its app says otherwise; in nats."""
MAX_PERIOD_EPSILON = 16.0
"""What it lets all surveys take in PERIOD_DAYS days."""
PERIOD_DAYS = 30
TAG_BYTES = 32
"""What one answer of a survey of several waves is known again by (`sotto_client.permanent.tag_answer`)."""

_COLUMNS = "fingerprint, wave, waves, survey_id, epsilon, day, receipt, secret, marks, invitation"
_SELECT = f"SELECT {_COLUMNS} FROM ledger"  # noqa: S608  # our own names
_INSERT = f"INSERT INTO ledger ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"  # noqa: S608
# Zeros of the same length overwrite the very bytes on the disk, and rows are only ever added at the end. What SQLite
# deletes, or moves from page to page, can leave copies behind, in spite of secure_delete.
_FORGET = (
    "UPDATE ledger SET secret = zeroblob(length(secret)), marks = zeroblob(length(marks)), epsilon = ? "
    "WHERE fingerprint = ?"
)
_KNOWN = "SELECT DISTINCT fingerprint FROM ledger WHERE secret <> zeroblob(length(secret))"
_ADMIT = """
UPDATE ledger SET invitation = :good WHERE length(invitation) = length(:good)
    AND (receipt = :receipt OR fingerprint = :fingerprint AND invitation = :bad AND :bad <> zeroblob(length(:bad)))
"""
# Of surveys that this device takes part in no more, once none of their reports waits, or is kept to be sent again.
_RELEASE = """
UPDATE ledger SET invitation = zeroblob(length(invitation))
WHERE invitation <> zeroblob(length(invitation)) AND secret = zeroblob(length(secret)) AND fingerprint NOT IN
    (SELECT fingerprint FROM ledger JOIN outbox USING (receipt) WHERE rejected IS NULL
     UNION ALL SELECT fingerprint FROM ledger JOIN sent USING (receipt))
"""
_EXACT = Context(prec=100, rounding=ROUND_CEILING)  # the app may have set another context
_LAST_DECIMAL = Decimal(1).scaleb(-MAX_DECIMALS)
_EPSILON_WIDTH = 30  # characters, of each: so that a sum overwrites in place what it is the sum of


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
    """One report that was made, in a wave up to `waves`, the device's last: `epsilon` in nats, `day` in UTC.

    `secret` made the noise, and `marks` tell the answers from others (`sotto_client.reporting.mark_answers`). Both are
    forgotten when the report of the last wave is delivered, and `epsilon` is then what all reports of the survey took
    together, in each of their entries. `invitation`: 16 bytes, until no report of the survey needs it any more; None in
    an open one.
    """

    fingerprint: str
    wave: int
    waves: int
    survey_id: str
    epsilon: Decimal
    day: date
    receipt: str
    secret: bytes | None
    marks: bytes | None
    invitation: bytes | None = field(default=None, repr=False)

    @property
    def is_summed(self) -> bool:
        """Whether `epsilon` is the sum of all waves."""
        return self.secret is None and self.waves > 1

    def to_receipt(self) -> Receipt:
        """Return what the respondent keeps."""
        return Receipt(self.receipt, self.survey_id, self.fingerprint, self.epsilon, self.wave, self.is_summed)


class Ledger:
    """The entries of a state, read and written inside one of its transactions."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def entries(self) -> list[Entry]:
        """Return all entries, in order of day."""
        with reading("ledger"):
            return [_entry(row) for row in self._connection.execute(f"{_SELECT} ORDER BY day, fingerprint, wave")]

    def find(self, fingerprint: str) -> dict[int, Entry]:
        """Return the reports that this device made of a survey, by wave."""
        rows = self._connection.execute(f"{_SELECT} WHERE fingerprint = ? ORDER BY wave", (fingerprint,))
        with reading("ledger"):
            return {entry.wave: entry for entry in map(_entry, rows)}

    def receipt_of(self, receipt: str) -> Receipt | None:
        """Return a report's receipt, as it is now; None where the ledger has no such report."""
        rows = self._connection.execute(f"{_SELECT} WHERE receipt = ?", (receipt,))
        with reading("ledger"):
            return next((_entry(row).to_receipt() for row in rows.fetchall()), None)

    def settle(self, receipt: str, *, ends_survey: bool = False) -> None:
        """Note that a report waits no more; to be called after the outbox has noted it.

        After the last wave's report, or one to which the collector said that the survey is over (`ends_survey`), the
        secret and the marks of the survey are wiped; after the last report that waits then, the invitation.
        """
        self._forget("receipt = ? AND (wave = waves OR ?)", receipt, ends_survey)

    def forget(self, survey_id: str) -> None:
        """Wipe what could tell which answers the reports of a survey were made of, in all its versions.

        What they took stays, as one sum for each version. The invitation is wiped too, or, if reports wait that need
        it, after the last of them.
        """
        self._forget("survey_id = ?", survey_id)

    def end(self, fingerprint: str) -> None:
        """Forget one version of a survey, as `forget` does: the collector has it no more."""
        self._forget("fingerprint = ?", fingerprint)

    def admit(self, receipt: str, invitation: bytes | None) -> bool:
        """Replace a report's invitation, and the same one in other waves; False if the report had none.

        With None the report keeps what it has: False if its invitation is wiped.
        """
        row = self._connection.execute("SELECT fingerprint, invitation FROM ledger WHERE receipt = ?", [receipt])
        for fingerprint, bad in row.fetchall():
            if invitation is None:
                return not bad or any(bad)
            values = {"good": invitation, "bad": bad, "receipt": receipt, "fingerprint": fingerprint}
            return self._connection.execute(_ADMIT, values).rowcount > 0
        return False

    def is_known(self, fingerprint: str) -> bool:
        """Return whether the secret of this version's noise is still there."""
        return any(entry.secret is not None for entry in self.find(fingerprint).values())

    def sum_up(self, fingerprint: str) -> None:
        """Wipe a version's secret and marks, and put the sum of its charges in the place of each; only once."""
        total = _total(entry.epsilon for entry in self.find(fingerprint).values())
        self._connection.execute(_FORGET, (write_epsilon(total), fingerprint))

    def _forget(self, condition: str, *values: object) -> None:
        for (fingerprint,) in self._connection.execute(f"{_KNOWN} AND {condition}", values).fetchall():
            self.sum_up(fingerprint)
        self.release()

    def release(self) -> None:
        """Wipe the invitations that no report needs any more."""
        self._connection.execute(_RELEASE)
        Tokens(self._connection).release()

    def charge(self, entry: Entry, limits: Limits, least: Decimal = Decimal(0)) -> None:
        """Add an entry. Raises BudgetExceeded, and adds nothing, when it takes more than a limit leaves.

        `least`: what a limit must leave even where the entry takes less. So whether a device takes part in a survey
        with `draw` does not depend on what it drew.

        The period ends on the entry's day. Entries of later days count too: a clock that went back frees no budget. (A
        clock that is put forward does: the device has no other.) A sum counts on the day of its last report: nobody
        knows any more what the earlier ones took.
        """
        earlier = _charges(self.entries())
        start = entry.day - timedelta(days=min(limits.period_days, entry.day.toordinal()) - 1)
        of_survey = _total(old.epsilon for old in earlier if old.survey_id == entry.survey_id)
        of_period = _total(old.epsilon for old in earlier if old.day >= start)
        needed, days = max(entry.epsilon, least), f"for {limits.period_days} days"
        _require(entry, needed, "max_epsilon", limits.max_epsilon, of_survey, f"for survey {entry.survey_id}")
        _require(entry, needed, "max_period_epsilon", limits.max_period_epsilon, of_period, days)
        numbers = entry.fingerprint, entry.wave, entry.waves, entry.survey_id, write_epsilon(entry.epsilon)
        kept = entry.secret, entry.marks, entry.invitation or b""
        self._connection.execute(_INSERT, (*numbers, entry.day.isoformat(), entry.receipt, *kept))


def epsilon_of_report(survey: "Survey", marks: bytes, earlier: Sequence[Entry], drawn: Sequence[bool] = ()) -> Decimal:
    """Return what one more report takes, after the `earlier` ones of this survey; in nats, exact.

    `drawn`, of a survey with `draw`: the same questions in every report. It takes what those take, and no more.

    It is what all reports take, this one too, beyond what the earlier ones were charged: if a version before charged
    them too much, that counts. The n reports of one answer take `Question.epsilon_of(n)`. So an answer that is given in
    every wave never takes more than its `epsilon_forever`; a changed one begins a pot of its own, and one that comes
    back goes on with the pot that it had.

    Called inside a transaction of the state. Raises sqlite3.DatabaseError for tags that are damaged.
    """
    asked = compress(survey.questions, drawn or repeat(True))
    last_wave = earlier[0].waves if earlier and survey.asked_in else survey.waves
    if any(entry.waves != last_wave for entry in earlier):
        raise sqlite3.DatabaseError("its ledger is damaged")
    if not earlier or not survey.keeps_noise:
        return _total(question.epsilon_of(1) for question in asked)
    given = [_tags(marks), *(_tags(entry.marks or b"") for entry in earlier)]
    if len({*map(len, given)}) > 1:
        raise sqlite3.DatabaseError("its ledger is damaged")
    pots = ((question, Counter(answers)) for question, answers in zip(asked, zip(*given, strict=True), strict=True))
    taken = _total(question.epsilon_of(n_reports) for question, found in pots for n_reports in found.values())
    more = _EXACT.subtract(taken, _total(entry.epsilon for entry in earlier))
    return max(more, Decimal(0)) or Decimal(0)  # rather than 0E-12


def write_epsilon(epsilon: Decimal | str) -> str:
    """Return an epsilon as it is kept: with 12 decimals, after blanks up to 30 characters.

    >>> write_epsilon("2.25")
    '                2.250000000000'
    """
    return f"{_EXACT.quantize(Decimal(epsilon), _LAST_DECIMAL):>{_EPSILON_WIDTH}f}"


def _charges(entries: Iterable[Entry]) -> list[Entry]:
    """Return every charge once, of entries in order of day: of those of one sum the last."""
    by_sum = {entry.fingerprint if entry.is_summed else entry.receipt: entry for entry in entries}
    return list(by_sum.values())


def _tags(marks: bytes) -> list[bytes]:
    return [marks[start : start + TAG_BYTES] for start in range(0, len(marks), TAG_BYTES)]


def _entry(row: tuple[Any, ...]) -> Entry:
    expect(row, str, int, int, str, str, str, str, bytes, bytes, bytes)
    fingerprint, wave, waves, survey_id, epsilon, day, receipt, secret, marks, invitation = row
    if not 1 <= wave <= waves:
        raise ValueError("a wave is none of its survey's.")
    spent = Decimal(decimal_text(_charged(epsilon))), date.fromisoformat(day)
    if not any(secret):
        secret = marks = None
    admitting = invitation if any(invitation) else None
    return Entry(fingerprint, wave, waves, survey_id, *spent, receipt, secret, marks, admitting)


def _charged(text: str) -> Decimal:
    charged = Decimal(text)
    if not 0 <= charged < 10**_EPSILON_WIDTH:
        raise ValueError("a charge is no epsilon.")
    return charged


def _require(entry: Entry, needed: Decimal, name: str, limit: Decimal, spent: Decimal, scope: str) -> None:
    left = max(_EXACT.subtract(limit, spent), Decimal(0))
    if needed > left:
        raise BudgetExceeded(
            f"answering survey {entry.survey_id} would spend epsilon {epsilon_above(needed)}, but {name} "
            f"({decimal_text(limit)}) leaves {epsilon_below(left)} {scope}.",
            needed=needed,
            left=left,
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
