"""Retention: on the day that a survey promises its reports go, some at a time; their ids and counts stay.

Every step may be taken twice, and by several collectors at once: what counts is what the database says.
"""

from collections.abc import Callable
from datetime import date
from typing import NamedTuple

from sqlalchemy import Connection, and_, func, select, update

from sotto_collector import clock
from sotto_collector.store.inbox import END, cut
from sotto_collector.store.records import count_ids
from sotto_collector.store.schema import inbox, reports, store as about, surveys
from sotto_collector.store.store import Store
from sotto_collector.store.transaction import Transaction

MOST_DAYS = 3
"""A day that is at most this many days after the last day that was believed, is believed."""


class Due(NamedTuple):
    """A survey whose reports are to be gone."""

    key: int
    survey_id: str


class Erasure(NamedTuple):
    """On which day the reports of a survey went, and how many they were."""

    day: str
    n_reports: int


class Seen(NamedTuple):
    """What collectors have seen of their clocks.

    `last_day`: the last day that was believed; None where none is known. `waited_s`: how many seconds they have waited
    since their clock came into doubt. `is_pending`: whether reports are to go on a day.
    """

    last_day: str | None
    waited_s: int
    is_pending: bool


def find_erasure(connection: Connection, key: int) -> Erasure | None:
    """Return what became of a survey's reports on its day; None before it, and while some are left."""
    done = and_(surveys.c.survey_key == key, surveys.c.erased_on.is_not(None))
    row = connection.execute(select(surveys.c.erased_on, surveys.c.n_erased).where(done)).first()
    return None if row is None else Erasure(*row)


def find_last_erasure(of: Store) -> str | None:
    """Return the last day on which any survey's reports went; None where none went. Raises StoreUnavailableError."""
    with of.reader() as connection:
        day: str | None = connection.scalar(select(func.max(surveys.c.erased_on)))
        return day


def read_seen(connection: Connection) -> Seen:
    """Return what collectors have seen of their clocks."""
    columns = surveys.c
    pending = and_(columns.erase_on.is_not(None), columns.erased_on.is_(None), columns.preview.is_(None))
    is_pending = connection.execute(select(columns.survey_key).where(pending).limit(1)).first() is not None
    last_day, waited_s = connection.execute(select(about.c.last_day, about.c.waited_s)).one()
    return Seen(last_day, waited_s, is_pending)


def believe_day(transaction: Transaction) -> None:
    """Note the day that it is, as somebody believes; none where no reports are to go on one."""
    is_pending = read_seen(transaction.connection).is_pending
    transaction.connection.execute(update(about).values(last_day=transaction.today() if is_pending else None))


def find_doubt(today: str, last_day: str | None, due: list[Due]) -> str | None:
    """Return why the clock, by which it is `today`, is in doubt; None where it is not.

    `last_day`: the last day that was believed. What is due is erased for good: collectors and restores ask this first.
    """
    if last_day is None and due:
        return "no earlier day is known"
    n_days = 0 if last_day is None else (date.fromisoformat(today) - date.fromisoformat(last_day)).days
    if n_days > MOST_DAYS:
        return f"the last known day is {last_day}, {n_days} days before"
    if due and clock.is_synchronized() is False:
        return "the host says that its clock is not synchronized"
    return None


def note_wait(transaction: Transaction, waited_s: int) -> None:
    """Note how many seconds collectors have waited; 0 where the clock is in doubt no more."""
    transaction.connection.execute(update(about).values(waited_s=waited_s))


def find_due(store: Store) -> list[Due]:
    """Return the surveys whose day has come, and whose reports are not all gone. Raises StoreUnavailableError."""
    columns = surveys.c
    is_due = and_(columns.erase_on <= store.today(), columns.erased_on.is_(None), columns.preview.is_(None))
    with store.reader() as connection:
        rows = connection.execute(select(columns.survey_key, columns.survey_id).where(is_due).order_by("survey_id"))
        return [Due(*row) for row in rows]


def plan_erasure(store: Store, due: Due) -> list[tuple[int, bytes, bytes]]:
    """Return the slices of a survey's reports, as (key, from, before) of ids. Raises StoreUnavailableError."""
    with store.reader() as connection:
        n_reports = count_ids(connection, due.key)
    return cut(due.key, n_reports) if n_reports else []


def erase_slice(transaction: Transaction, key: int, low: bytes, high: bytes) -> None:
    """Erase the reports with ids in [low, high); nobody counts another one of their survey from now on."""
    transaction.lock_survey(key, alone=True)
    _erase(transaction, key, low, high)


def finish_erasure(transaction: Transaction, key: int) -> int | None:
    """Erase what is left and write down the day; return how many reports went in all, None where that was done before.

    What another collector was just rewriting, as its slice was erased, is found now.
    """
    transaction.take_time()
    transaction.lock_survey(key, alone=True)
    transaction.lock_tidying()
    _erase(transaction, key)
    this, row = surveys.c.survey_key == key, surveys.c
    is_first = and_(this, row.erased_on.is_(None))
    done = transaction.connection.execute(update(surveys).where(is_first).values(erased_on=transaction.today()))
    return transaction.connection.scalar(select(row.n_erased).where(this)) if done.rowcount else None


def erase_due(store: Store, told: Callable[[str, int], None]) -> None:
    """Erase all that is due at once; `told` is called with each survey's id and how many reports went.

    Raises StoreUnavailableError.
    """
    for due in find_due(store):
        for part in plan_erasure(store, due):
            store.run(lambda transaction, part=part: erase_slice(transaction, *part))  # type: ignore[misc]
        if (n_erased := store.run(lambda transaction, key=due.key: finish_erasure(transaction, key))) is not None:  # type: ignore[misc]
            told(due.survey_id, n_erased)


def _erase(transaction: Transaction, key: int, low: bytes = b"", high: bytes = END) -> None:
    """Empty the reports with ids in [low, high), in the direction in which they are moved; note how many they were."""
    n_erased = 0
    for table in (inbox, reports):
        columns = table.c
        kept = and_(columns.survey_key == key, func.length(columns.packed) > 0)
        these = and_(kept, columns.report_id >= low, columns.report_id < high)
        n_erased += transaction.connection.execute(update(table).where(these).values(packed=b"")).rowcount
    so_far = func.coalesce(surveys.c.n_erased, 0) + n_erased
    closed = update(surveys).where(surveys.c.survey_key == key).values(is_open=0, n_erased=so_far)
    transaction.connection.execute(closed)
