"""A collector's journal, kept: it is opened, and the store does again what it says and the store does not know."""

from pathlib import Path

from sotto_collector.errors import JournalError
from sotto_collector.journal import ErasedSurvey, Journal, Reach, ReadJournal, read_journal
from sotto_collector.store.about import read_about
from sotto_collector.store.journals import know_reach, known_reaches, lock_journal
from sotto_collector.store.redo import redo_acts
from sotto_collector.store.refused import refuse_surveys
from sotto_collector.store.store import Store
from sotto_collector.store.transaction import Transaction


def keep_journal(store: Store, path: str, *, begins: bool = False) -> int:
    """Write from now on what the operator does into a journal, before it is committed; "" is none.

    What it has beyond the store's last act is done again first: a process died before the commit, or the database is
    an older one, as a backup. Returns how many acts that were. `begins`: a further journal may be begun.

    Raises JournalError where the file is no journal of this store's, or an older copy; of a store that has one where
    none is given, or one that is not there; where a whole survey would have to be erased again.
    """
    with store.reader() as connection:
        identity, begun = read_about(connection).identity, known_reaches(connection)
    if not path:
        if begun:
            raise JournalError(
                "journal must be given (--journal FILE): this database has one, which must be continued."
            )
        return 0
    if begun and not begins and not _is_there(Path(path)):
        raise JournalError(
            f"journal ({path}) does not exist, but this database has a journal, which must be continued. Give that "
            f"one. Only if it is lost, begin another with `sotto db journal {path} --db ..`."
        )
    journal = Journal(Path(path), identity)
    n_acts = store.run(lambda transaction: _catch_up(store, transaction, journal, Path(path)))
    store.journal = journal
    return n_acts


def _is_there(path: Path) -> bool:
    try:
        return path.stat().st_size > 0
    except FileNotFoundError:
        return False
    except OSError:
        return True  # what is wrong with it is said as it is opened


def _catch_up(store: Store, transaction: Transaction, journal: Journal, path: Path) -> int:
    """Do what the journal says and the store does not know; return how many acts that were."""
    connection, journal_id = transaction.connection, bytes.fromhex(journal.head.journal)
    transaction.lock_ids()  # of two workers that begin at once one finds it there
    if journal_id not in known_reaches(connection):
        know_reach(connection, journal_id, Reach(0))
    known = lock_journal(connection, journal_id)  # nobody is between an act's line and its commit
    read = read_journal(path)
    try:
        read.check_has(known, "this database")
    except JournalError as fault:
        raise JournalError(
            f"{fault} Give the newest. Only if it is lost, begin another with `sotto db journal FILE --db ..`."
        ) from None
    new = read.after(known.n_bytes)
    if new.acts:
        _redo(store, transaction, new)
    if read.reach != known:
        know_reach(connection, journal_id, read.reach)
    return len(new.acts)


def _redo(store: Store, transaction: Transaction, journal: ReadJournal) -> None:
    surveys = {stored.key: stored for stored in store.list_surveys()}
    for act in journal.acts:
        if isinstance(act, ErasedSurvey) and act.key in surveys:
            raise JournalError(
                f"journal ({journal.path}) says that {act.survey} was erased, but the database has it, as a backup "
                "does. `sotto db restore --in-place --journal ..` erases it."
            )
    refuse_surveys(transaction.connection, redo_acts(transaction, surveys, [journal]).refused)
