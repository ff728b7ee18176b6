"""Which journals a store's collectors have begun, and how much of each it has: a backup says what is missing in it."""

from sqlalchemy import Connection, Row, insert, select, update

from sotto_collector.journal import Reach
from sotto_collector.store.schema import journals

_REACH = (journals.c.n_bytes, journals.c.n_acts, journals.c.digest)


def known_reaches(connection: Connection) -> dict[bytes, Reach]:
    """Return how far each journal that was begun went with the last act that the store has, by its id."""
    rows = connection.execute(select(journals.c.journal_id, *_REACH))
    return {bytes(row[0]): _reach(row[1:]) for row in rows}


def lock_journal(connection: Connection, journal_id: bytes) -> Reach:
    """Let nobody else write acts into a journal until the transaction ends; return how much of it the store has."""
    of = select(*_REACH).where(journals.c.journal_id == journal_id).with_for_update()
    return _reach(connection.execute(of).one())


def know_reach(connection: Connection, journal_id: bytes, reach: Reach) -> None:
    """Note how far a journal goes, with acts of which the store has all; it may be a new one."""
    values = reach._asdict()
    this = update(journals).where(journals.c.journal_id == journal_id).values(**values)
    if not connection.execute(this).rowcount:
        connection.execute(insert(journals).values(journal_id=journal_id, **values))


def _reach(row: Row[tuple[int, int | None, str | None]] | tuple[int, int | None, str | None]) -> Reach:
    return Reach(*row)
