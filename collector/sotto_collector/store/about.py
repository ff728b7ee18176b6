"""What a store knows of itself: which it is, how often it was restored, the day of its last backup."""

from typing import NamedTuple

from sqlalchemy import Connection, select, update

from sotto_collector.store import schema
from sotto_collector.store.store import Store


class About(NamedTuple):
    """The one row of the table `store`.

    `identity`: 16 random bytes, the same in its backups. `restore_mark`: 0, or what the last restore has drawn, in
    [1, 2^31 - 1]: devices that see another one than before send again what they kept. `last_backup_day`: such as
    2026-12-31, None where there was none; of a backup its own.
    """

    identity: bytes
    n_restores: int
    restore_mark: int
    last_backup_day: str | None


class LastRestore(NamedTuple):
    """The last restore: on which day it was, how many acts its journals had, whether it was held to the recount."""

    day: str
    n_acts: int
    is_checked: bool


def read_about(connection: Connection) -> About:
    """Return what a store knows of itself."""
    columns = schema.store.c
    row = connection.execute(
        select(columns.identity, columns.n_restores, columns.restore_mark, columns.last_backup_day)
    ).one()
    return About(bytes(row[0]), *row[1:])


def note_backup(of: Store, day: str) -> None:
    """Note on which day the last backup was made: a day, as no moment is stored. Raises StoreUnavailableError."""
    of.run(lambda transaction: note_day(transaction.connection, day))


def note_drill(of: Store, day: str) -> None:
    """Note on which day a backup was last restored for trial. Raises StoreUnavailableError."""
    of.run(lambda transaction: transaction.connection.execute(update(schema.store).values(last_drill_day=day)))


def note_day(connection: Connection, day: str) -> None:
    """Note it in an open transaction."""
    connection.execute(update(schema.store).values(last_backup_day=day))


def note_restore(connection: Connection, done: LastRestore) -> None:
    """Note what a restore has done, in its transaction; what the backup's collector had waited is no matter of ours."""
    values = {"restored_on": done.day, "n_restored_acts": done.n_acts, "is_restore_checked": int(done.is_checked)}
    connection.execute(update(schema.store).values(values | {"waited_s": 0}))


def note_checked(connection: Connection) -> None:
    """Note that the last restore's tallies are what its reports say."""
    connection.execute(update(schema.store).values(is_restore_checked=1))


def read_restore(connection: Connection) -> LastRestore | None:
    """Return what is known of the last restore; None where there was none, or one by an earlier program."""
    columns = schema.store.c
    asked = select(columns.restored_on, columns.n_restored_acts, columns.is_restore_checked)
    day, n_acts, is_checked = connection.execute(asked).one()
    return None if day is None else LastRestore(day, n_acts, bool(is_checked))
