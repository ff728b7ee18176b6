"""All tables of a PostgreSQL at once, for an upgrade: it must not wait for a collector that waits for it.

Collectors look at the schema first, in every transaction, and wait there. Those of before schema 0009 do not: so the
tables are taken in the order in which these take them, and given back where that takes long.
"""

import time

from sqlalchemy import Connection, inspect
from sqlalchemy.exc import OperationalError

ORDER = ("alembic_version", "surveys", "tokens", "invitations", "inbox", "reports", "tallies", "releases")
"""As collectors take them; they take no others before these."""
_CONFLICTS = {"55P03", "40P01"}  # lock not available, deadlock
_DEADLOCK_MS = "SELECT setting::int FROM pg_settings WHERE name = 'deadlock_timeout'"


def lock_tables(connection: Connection, wait_ms: int) -> None:
    """Lock every table until the transaction ends, once those who use one have ended theirs.

    Whoever waits for a table that is locked already gets it back before the server looks for a deadlock, and would end
    one of the two. Raises OperationalError where a table is in use for longer than `wait_ms`.
    """
    there = inspect(connection).get_table_names()
    names = ", ".join([*(name for name in ORDER if name in there), *sorted({*there} - {*ORDER})])
    try_ms = max(1, int(connection.exec_driver_sql(_DEADLOCK_MS).scalar_one()) // 2)
    deadline = time.monotonic() + wait_ms / 1000
    while True:
        try:
            with connection.begin_nested():
                connection.exec_driver_sql(f"SET LOCAL lock_timeout = {try_ms}")
                connection.exec_driver_sql(f"LOCK TABLE {names} IN ACCESS EXCLUSIVE MODE")
        except OperationalError as fault:
            if getattr(fault.orig, "sqlstate", None) not in _CONFLICTS or time.monotonic() > deadline:
                raise
        else:
            return
