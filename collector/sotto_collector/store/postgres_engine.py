"""Engines for PostgreSQL: pools of watched connections, whose sessions have the settings that a store relies on."""

from sqlalchemy import URL, Engine, create_engine, event
from sqlalchemy.pool import ConnectionPoolEntry

from sotto_collector.store.timeouts import Timeouts, WatchedConnection

GONE_MS = 30_000  # a server whose machine is silent for so long is taken for gone


def make_engine(
    url: URL, timeouts: Timeouts, *, pool_size: int, is_reading: bool, lock_ms: int, statement_ms: int
) -> Engine:
    """Return an engine; `lock_ms` is the most that a statement waits for a lock, `statement_ms` for its end."""
    settings = {"synchronous_commit": "on", "lock_timeout": lock_ms, "statement_timeout": statement_ms}
    engine = create_engine(
        url,
        pool_size=pool_size,
        max_overflow=pool_size,
        pool_timeout=lock_ms / 1000,
        pool_pre_ping=is_reading,  # the server may have been restarted; a write is tried again
        hide_parameters=True,
        isolation_level="READ COMMITTED",
        connect_args={
            "tcp_user_timeout": GONE_MS,
            "keepalives_idle": GONE_MS // 3000,
            "application_name": "sottovoce",
            "options": " ".join(f"-c {name}={value}" for name, value in settings.items()),
        },
    )
    event.listen(engine, "do_connect", lambda _, __, arguments, options: timeouts.connect(*arguments, **options))
    event.listen(engine, "checkin", _reset)
    return engine


def _reset(raw: WatchedConnection | None, record: ConnectionPoolEntry) -> None:
    """Reset a connection that returns to the pool, or drop it where it was lost."""
    if raw is not None and raw.closed:
        record.invalidate()
    elif raw is not None:
        raw.takes_time = False
