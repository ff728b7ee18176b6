"""Restore: a backup becomes a store again, what was done after it is done again, and releases go on safely."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace

from sqlalchemy.exc import SQLAlchemyError

from sotto_collector.errors import StoreError
from sotto_collector.store.about import note_checked, read_about
from sotto_collector.store.backup import check_sum
from sotto_collector.store.copy import copy_store
from sotto_collector.store.databases import locate
from sotto_collector.store.facts import SINCE
from sotto_collector.store.gateway import renew_restored
from sotto_collector.store.recount import check_integrity
from sotto_collector.store.redo import Redone, Wishes, find_doomed, redo
from sotto_collector.store.retention import believe_day, erase_due, find_doubt, find_due, read_seen
from sotto_collector.store.schema import store as about
from sotto_collector.store.store import Store


def restore_copy(backup: str, target: str, wishes: Wishes, told: Callable[[int], None] = lambda _: None) -> Redone:
    """Make a store of a backup, in a new file or an empty PostgreSQL; it appears once it is whole.

    A file of an earlier schema is upgraded in the copy; a PostgreSQL of one is refused. The backup stays as it is.
    Raises StoreError.
    """
    location = locate(target)
    with location.workplace() as work:
        _copy(backup, work)
        with _blaming(backup, work):
            _upgrade(work)
            store = Store(work, create=False)
            try:
                store.dialect.check_integrity()
                redone = _redo(store, wishes)
                store.rewrite()
                if not location.is_file:
                    copy_store(store, target, told)
            finally:
                is_whole = store.close()
        if location.is_file and not is_whole:  # what was done again is in its log, which would be lost as it is renamed
            raise StoreError(f"db ({target}) must not be opened before it is complete.")
    return redone


def copy_upgraded(backup: str, to: str) -> bytes | None:
    """Make a store of a backup in a new file, of this program's schema, and do nothing else.

    Return the backup's `About.identity`, None where its schema is from before there was one. Raises StoreError.
    """
    _copy(backup, to)
    with _blaming(backup, to):
        identity = locate(to).glance(
            lambda connection, revision: read_about(connection).identity if revision >= SINCE[about] else None
        )
        _upgrade(to)
    return identity


def restore_in_place(db: str, wishes: Wishes) -> Redone:
    """Do the same with a store that its own database has brought back, as PostgreSQL to a point in time.

    All or nothing, in one transaction, but for the reports whose day is past. No collector may run. Raises StoreError.
    """
    with closing(Store(db, create=False)) as store:
        return _redo(store, wishes)


def _redo(store: Store, wishes: Wishes) -> Redone:
    """Do again what was done, and what a survey's day has asked for since; hold the tallies to the reports.

    While the clock is in doubt nothing is erased and no day is noted: the collector waits, and then erases. Nobody can
    read these reports meanwhile.
    """
    with store.reader() as connection:
        doomed = find_doomed(connection, store.list_surveys(), wishes.journals)
        last_day = read_seen(connection).last_day
    if doomed:
        wishes.confirm(doomed)
    redone = store.run(lambda transaction: redo(transaction, store.list_surveys(), wishes))
    past: dict[str, int] = {}
    due = find_due(store)
    doubt = find_doubt(store.today(), last_day, due)
    if doubt is None:
        erase_due(store, past.__setitem__)
        store.run(believe_day)
    check_integrity(store)
    store.run(lambda transaction: note_checked(transaction.connection))
    renew_restored(store)
    return replace(redone, past=past, past_left=tuple(each.survey_id for each in due) if doubt else (), doubt=doubt)


@contextmanager
def _blaming(backup: str, work: str) -> Iterator[None]:
    """Say of the backup what is wrong with its copy."""
    try:
        yield
    except StoreError as fault:
        raise type(fault)(str(fault).replace(f"db ({work})", f"backup ({backup})")) from fault


def _copy(backup: str, work: str) -> None:
    """Copy a backup as it is, held to its sum where it has one."""
    if locate(backup).copy_files(work):
        check_sum(backup, work)
    else:
        with closing(Store(backup, create=False)) as source:
            copy_store(source, work)


def _upgrade(work: str) -> None:
    """Bring the copy to this program's schema."""
    with closing(locate(work).open(create=False)) as dialect:
        try:
            dialect.check_integrity()
            dialect.upgrade()
        except (dialect.driver_error, SQLAlchemyError) as fault:
            raise StoreError(f"db ({dialect.name}) must be a complete backup: {dialect.reason(fault)}.") from fault
