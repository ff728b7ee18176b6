"""Which journals a store's collectors have begun: a backup says which ones tell what was done after it."""

from pathlib import Path

from sqlalchemy import Connection, insert, select

from sotto_collector.errors import JournalError
from sotto_collector.journal import Journal
from sotto_collector.store.about import read_about
from sotto_collector.store.schema import journals
from sotto_collector.store.store import Store
from sotto_collector.store.transaction import Transaction


def keep_journal(store: Store, path: str, *, begins: bool = False) -> None:
    """Write from now on what the operator does into a journal, before it is committed; "" is none.

    `begins`: a further one may be begun. Raises JournalError where the file is no journal of this store's, and of a
    store that has one where none is given, or one that is not there.
    """
    with store.reader() as connection:
        identity, begun = read_about(connection).identity, read_journals(connection)
    if not path:
        if begun:
            raise JournalError("journal must be given (--journal FILE): this database has one, which must go on.")
        return
    if begun and not begins and not _is_there(Path(path)):
        raise JournalError(
            f"journal ({path}) is not there, and this database has one, which must go on; `sotto db journal {path} "
            "--db ..` begins a further one."
        )
    store.journal = Journal(Path(path), identity)
    store.run(lambda transaction: _register(transaction, bytes.fromhex(store.journal.head.journal)))  # type: ignore[union-attr]


def _is_there(path: Path) -> bool:
    try:
        return path.stat().st_size > 0
    except FileNotFoundError:
        return False
    except OSError:
        return True  # what is wrong with it is said as it is opened


def read_journals(connection: Connection) -> set[bytes]:
    """Return the ids of the journals that were begun."""
    return {bytes(journal_id) for journal_id in connection.execute(select(journals.c.journal_id)).scalars()}


def _register(transaction: Transaction, journal_id: bytes) -> None:
    transaction.lock_ids()  # of two workers that begin at once one finds it there
    if journal_id not in read_journals(transaction.connection):
        transaction.connection.execute(insert(journals).values(journal_id=journal_id))
