"""Restore: a backup becomes a store again, what was done after it is done again, and releases go on safely."""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

from sqlalchemy.exc import SQLAlchemyError

from sotto_collector.durable_files import sync_folder
from sotto_collector.errors import StoreError
from sotto_collector.store.copy import check_new, copy_store, unfinished
from sotto_collector.store.databases import POSTGRES, open_dialect
from sotto_collector.store.recount import check_integrity
from sotto_collector.store.redo import Redone, Wishes, find_doomed, redo
from sotto_collector.store.retention import erase_due
from sotto_collector.store.store import Store
from sotto_collector.store.upgrade import HEAD, REVISIONS, is_empty, read_revision
from sotto_collector.store.workplace import private_folder

COPIED_BYTES = 2**20


def restore_copy(backup: str, target: str, wishes: Wishes, told: Callable[[int], None] = lambda _: None) -> Redone:
    """Make a store of a backup, in a new file or an empty PostgreSQL; it appears once it is whole.

    A file of an earlier schema is upgraded in the copy; a PostgreSQL of one is refused. The backup stays as it is.
    Raises StoreError.
    """
    _check_new(target)
    with _workplace(target) as work:
        _copy_backup(backup, work)
        with _named(work, backup):
            _upgrade(work)
            store = Store(work, create=False)
            try:
                store.dialect.check_integrity()
                redone = _redo(store, wishes)
                store.rewrite()
                if target.startswith(POSTGRES):
                    copy_store(store, target, told)
            finally:
                is_whole = store.close()
        if not target.startswith(POSTGRES):
            if not is_whole:  # what was done again is in its log, which would be lost as it is renamed
                raise StoreError(f"db ({target}) must be read by nobody before it is whole.")
            check_new(Path(target), "db")
            work.rename(target)
            sync_folder(Path(target).absolute().parent)
    return redone


def restore_in_place(db: str, wishes: Wishes) -> Redone:
    """Do the same with a store that its own database has brought back, as PostgreSQL to a point in time.

    All or nothing, in one transaction, but for the reports whose day is past. No collector may run. Raises StoreError.
    """
    with closing(Store(db, create=False)) as store:
        return _redo(store, wishes)


def _redo(store: Store, wishes: Wishes) -> Redone:
    """Do again what was done, and what a survey's day has asked for since; hold the tallies to the reports."""
    with store.reader() as connection:
        doomed = find_doomed(connection, store.list_surveys(), wishes.journals)
    if doomed:
        wishes.confirm(doomed)
    redone = store.run(lambda transaction: redo(transaction, store.list_surveys(), wishes))
    past: dict[str, int] = {}
    erase_due(store, past.__setitem__)
    check_integrity(store)
    return replace(redone, past=past)


def _check_new(target: str) -> None:
    """Raise StoreError where there is anything already."""
    if not target.startswith(POSTGRES):
        check_new(Path(target), "db")
        return
    with closing(open_dialect(target)) as dialect, dialect.read_engine.connect() as connection:
        if not is_empty(connection):
            raise StoreError(f"db ({dialect.name}) must be a new database; there is a store in it.")


@contextmanager
def _workplace(target: str) -> Iterator[Path]:
    """Yield where the copy is made: beside the new file, or in a private folder that is removed again."""
    if target.startswith(POSTGRES):
        with private_folder() as folder:
            yield folder / "restored.db"
        return
    with unfinished(Path(target), "db") as path:
        yield path


def _copy_backup(backup: str, work: Path) -> None:
    if backup.startswith(POSTGRES):
        _check_upgraded(backup)
        with closing(Store(backup, create=False)) as source:
            copy_store(source, str(work))
        return
    try:
        for suffix in ("", "-wal"):  # a backup that is a file of a collector that was killed has a log
            if suffix == "" or Path(f"{backup}{suffix}").exists():
                _copy_privately(f"{backup}{suffix}", f"{work}{suffix}")
    except OSError as fault:
        raise StoreError(f"backup ({backup}) cannot be copied to {work}: {fault.strerror}.") from fault


def _check_upgraded(backup: str) -> None:
    """Raise StoreError for a PostgreSQL of an earlier schema: its rows cannot be copied as they are."""
    with closing(open_dialect(backup)) as dialect, dialect.read_engine.connect() as connection:
        revision = read_revision(connection)
        if revision in REVISIONS[:-1]:
            raise StoreError(
                f"backup ({dialect.name}) must have schema {HEAD}, as a PostgreSQL's; it has {revision}: "
                "restore from a copy of it (createdb --template), after sotto db upgrade there."
            )


def _copy_privately(source: str, target: str) -> None:
    """Copy a file into a new one that nobody else can read, from its first byte on."""
    made = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(made, "wb") as to, Path(source).open("rb") as file:
        shutil.copyfileobj(file, to, COPIED_BYTES)


def _upgrade(work: Path) -> None:
    """Bring the copy to this program's schema."""
    with closing(open_dialect(work, create=False)) as dialect:
        try:
            dialect.check_integrity()
            dialect.upgrade()
        except (dialect.driver_error, SQLAlchemyError) as fault:
            raise StoreError(f"db ({dialect.name}) must be a whole backup: {dialect.reason(fault)}.") from fault


@contextmanager
def _named(work: Path, backup: str) -> Iterator[None]:
    """Say of the backup what is wrong with the copy of it."""
    try:
        yield
    except StoreError as fault:
        said = str(fault).replace(f"db ({work})", f"backup ({backup})")
        raise StoreError(said) from fault
