"""Which journals a store's collectors have begun, and how much of each it has: a backup says what is missing in it."""

from sqlalchemy import Connection, insert, select, update

from sotto_collector.store.schema import journals


def known_bytes(connection: Connection) -> dict[bytes, int]:
    """Return how long each journal that was begun was with the last act that the store has, by its id."""
    rows = connection.execute(select(journals.c.journal_id, journals.c.n_bytes))
    return {bytes(journal_id): n_bytes for journal_id, n_bytes in rows}


def lock_journal(connection: Connection, journal_id: bytes) -> int:
    """Let nobody else write acts into a journal until the transaction ends; return how much of it the store has."""
    of = select(journals.c.n_bytes).where(journals.c.journal_id == journal_id).with_for_update()
    return int(connection.execute(of).scalar_one())


def know_bytes(connection: Connection, journal_id: bytes, n_bytes: int) -> None:
    """Note how long a journal is, with acts of which the store has all; it may be a new one."""
    this = update(journals).where(journals.c.journal_id == journal_id).values(n_bytes=n_bytes)
    if not connection.execute(this).rowcount:
        connection.execute(insert(journals).values(journal_id=journal_id, n_bytes=n_bytes))
