"""A collector that was changed: `python planted.py CHANGE serve --db ...`. Most are bugs, for the tests to find."""

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from sotto_client.cli import main
from sotto_collector.intake import tidying, writer
from sotto_collector.intake.counting import Outcome
from sotto_collector.store import inbox, sqlite, sqlite_engine
from sotto_collector.store.dialect import Dialect

LATE_S = 0.3
"""How much later than its acknowledgement a collector commits that acknowledges too early."""


def acknowledge_early() -> None:
    """Acknowledge before the commit, which then comes a little late."""
    commit = writer.Writer._commit

    def finish_first(self: Any, group: list[Any]) -> list[Any]:
        for waiting in group:
            waiting.finish(Outcome(len(waiting.batch), 0))
        time.sleep(LATE_S)
        return commit(self, group)

    writer.Writer._commit = finish_first
    writer._finish = lambda group, results: None


def count_repeats() -> None:
    """Count every report as new, whether or not it is stored."""

    def forgetful(cls: type[Dialect]) -> None:
        insert = cls.insert

        def count_all(self: Any, connection: Any, key: int, ids: Any, records: Any) -> Any:
            insert(self, connection, key, ids, records)
            return np.ones(len(ids), np.bool_)

        cls.insert = count_all  # type: ignore[method-assign]

    from sotto_collector.store.postgres import PostgresDialect

    forgetful(sqlite.SqliteDialect)
    forgetful(PostgresDialect)


def _sync(mode: str) -> None:
    configure = sqlite_engine.configure

    def configure_less(connection: Any) -> Any:
        configure(connection).execute(f"PRAGMA synchronous = {mode}")
        return connection

    sqlite_engine.configure = sqlite.configure = configure_less


def commit_asynchronously() -> None:
    """Take the server's word for it that it will write soon."""
    from sotto_collector.store import postgres_engine

    create = postgres_engine.create_engine

    def create_less(url: Any, **options: Any) -> Any:
        arguments = options["connect_args"]
        arguments["options"] = arguments["options"].replace("synchronous_commit=on", "synchronous_commit=off")
        return create(url, **options)

    postgres_engine.create_engine = create_less


def hoard() -> None:
    """Keep four kilobytes of every report, and a descriptor of every second request."""
    write, hoarded = writer.Writer.write, []

    def keep(self: Any, batch: Any) -> Any:
        hoarded.append(bytearray(b"x" * 4096 * len(batch)))
        if len(hoarded) % 3 == 0:
            hoarded.append(Path("/dev/null").open())  # noqa: SIM115  # the leak
        return write(self, batch)

    writer.Writer.write = keep


def move_often() -> None:
    """Move reports out of the inbox all the time: no bug, but small numbers."""
    inbox.LEAST_REPORTS = 100
    inbox.SLICE_REPORTS = 20


def tidy_often() -> None:
    """Tidy up twice a second: no bug, but less to wait for."""
    tidying.TURN_S, tidying.GATHER_S = 0.5, 0.1


def never_serve() -> None:
    """Let workers wait for what does not come, and their parent not for long."""
    from sotto_collector.serving import workers

    workers.READY_S = 0.5
    workers.be_worker = lambda *_: time.sleep(3600)  # type: ignore[assignment]  # it never returned either


def stop_soon() -> None:
    """Give workers a second to stop: no bug, but less to wait for."""
    from sotto_collector.serving import workers

    workers.STOP_S = 1.0


CHANGES: dict[str, Callable[[], None]] = {
    "acknowledge-early": acknowledge_early,
    "count-repeats": count_repeats,
    "sync-normal": lambda: _sync("NORMAL"),
    "sync-off": lambda: _sync("OFF"),
    "commit-asynchronously": commit_asynchronously,
    "hoard": hoard,
    "never-serve": never_serve,
    "stop-soon": stop_soon,
    "move-often": move_often,
    "tidy-often": tidy_often,
}

if __name__ == "__main__":
    CHANGES[sys.argv.pop(1)]()
    main()
