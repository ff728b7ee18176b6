"""PostgreSQL: any number of collectors on any number of machines share it."""

import re
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache, partial
from typing import Any

import numpy as np
import psycopg
from numpy.typing import NDArray
from sqlalchemy import ClauseElement, Connection, Table, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, OperationalError, SQLAlchemyError

from sotto_collector.errors import StoreError
from sotto_collector.store import postgres_statements as statements
from sotto_collector.store.dialect import Dialect, Ids
from sotto_collector.store.postgres_engine import make_engine
from sotto_collector.store.postgres_locks import lock_tables
from sotto_collector.store.postgres_rows import copy_rows
from sotto_collector.store.retally import KEPT_SINCE, retally
from sotto_collector.store.timeouts import SilentServerError, Timeouts, WatchedConnection
from sotto_collector.store.upgrade import HEAD, check_schema, is_empty, migrate, read_revision, refuse_missing

LOCK_SPACE = 0x534F5454
"""The first number of our advisory locks; the second is a survey's key, or 0 for the schema and for new surveys."""
WORK_MS = 3000
"""A statement may take this long, plus the busy timeout: it may have to wait for a lock."""
SILENCE_S = 2.0
"""The server's response must have come so many seconds after its own limit for a statement."""
MOST_OFTEN_BYTES = 8 * 2**20
"""A larger table beside the reports is not given a new file with every turn of tidying."""
MOST_FULL_BYTES = 160 * 2**20
"""A larger table of reports is not given a new file: others would wait for it."""
N_READERS = 8
WAIT_MS = 200
N_CLEARINGS = 25
"""So often, WAIT_MS each, an upgrade tries to get hold of the server's samples."""
_TRANSIENT = {"40001", "40P01", "55P03"}  # serialization, deadlock, lock not available
_NOT_UNIQUE = "23505"
_LOCKED = "55P03"
_TWICE = {"tallies", "tokens", "invitations"}
"""Where a duplicate key is worth another try: two began a shard at once, or a commit was not confirmed but done."""
_GONE = {"57P01", "57P02", "57P03"}  # the server ended this session, or all; a new connection may do


class PostgresDialect(Dialect):
    """A database by its URL. Commits are synchronous, whatever the server's default."""

    driver_error = psycopg.Error
    for_update = " FOR UPDATE"

    def __init__(self, url: str, busy_timeout_ms: int) -> None:
        """Connect. Raises StoreError where the URL cannot be read, or the server does not respond."""
        try:
            parsed = make_url(url)
        except (ArgumentError, ValueError):  # ValueError: a port that is no number; both quote what may be a password
            raise StoreError("db must be postgresql://user@host:port/name; it cannot be read.") from None
        where = {name: value for name, value in parsed.query.items() if name in ("host", "port")}
        self.name = parsed.set(password=None, query=where).render_as_string()
        self._busy_timeout_ms = busy_timeout_ms
        self._is_clean = True
        self._statement_ms = busy_timeout_ms + WORK_MS
        self._timeouts = Timeouts(self._statement_ms / 1000 + SILENCE_S)
        make = partial(
            make_engine,
            parsed.set(drivername="postgresql+psycopg"),
            self._timeouts,
            lock_ms=busy_timeout_ms,
            statement_ms=self._statement_ms,
        )
        self.write_engine = make(pool_size=2, is_reading=False)
        self.read_engine = make(pool_size=N_READERS, is_reading=True)
        event.listen(self.write_engine, "connect", _make_staging)
        try:
            self.read_engine.connect().close()
        except SQLAlchemyError as fault:
            raise StoreError(f"db ({self.name}) must be a PostgreSQL that responds: {self.reason(fault)}.") from fault

    def reason(self, fault: Exception) -> str:
        cause = getattr(fault, "orig", None) or fault
        primary = cause.diag.message_primary if isinstance(cause, psycopg.Error) else None
        known = next((words for sign, words in _WORDS if re.search(sign, str(cause))), type(cause).__name__)
        return primary or known

    def close(self) -> bool:
        self.write_engine.dispose()
        self.read_engine.dispose()
        return self._is_clean

    def hurry(self) -> None:
        self._timeouts.is_hurried = True

    def take_time(self, connection: Connection) -> None:
        _raw(connection).takes_time = True
        connection.exec_driver_sql("SET LOCAL statement_timeout = 0")

    def prepare(self, connection: Connection, *, create: bool) -> bool:
        self.take_time(connection)
        self.lock_survey(connection, 0, alone=True)
        is_new = is_empty(connection)
        if is_new and not create:
            raise refuse_missing(self.name)
        if is_new:
            migrate(connection)
        check_schema(connection, self.name)
        return is_new

    def upgrade(self) -> tuple[str, str]:
        with self.write_engine.begin() as connection:
            self.take_time(connection)
            connection.exec_driver_sql(
                "SET LOCAL lock_timeout = 0"
            )  # another upgrade is waited for, and holds nobody up
            self.execute(connection, statements.LOCK, space=LOCK_SPACE, key=statements.UPGRADING)
            if is_empty(connection):
                raise refuse_missing(self.name)
            before = read_revision(connection) or "0000"
            if "0001" <= before < HEAD:
                lock_tables(connection, self._busy_timeout_ms)
                connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{self._busy_timeout_ms}ms'")
                migrate(connection)
                if before < KEPT_SINCE:
                    retally(self, connection)
            check_schema(connection, self.name)
        self._clear_samples()
        return before, HEAD

    def _clear_samples(self) -> None:
        """Clear samples of reports, which schema 0005 has deleted, and which are dead rows until then.

        The server skips it for all but the owner. Raises StoreError where others use the table all the time.
        """
        with self._alone() as alone:
            if alone is None:  # another upgrade does so, or a collector of this schema tidies
                return
            if not any(self._vacuum(alone, "VACUUM (FULL)", "pg_statistic") for _ in range(N_CLEARINGS)):
                raise StoreError(
                    f"db ({self.name}) has schema {HEAD} now, but its pg_statistic is in use, and may hold samples of "
                    "reports: run sotto db upgrade again, or VACUUM (FULL) pg_statistic as its owner."
                )

    def lock_survey(self, connection: Connection, key: int, *, alone: bool) -> None:
        self.execute(connection, statements.LOCK if alone else statements.LOCK_SHARED, space=LOCK_SPACE, key=key)

    def lock_tidying(self, connection: Connection) -> None:
        self.execute(connection, "SELECT pg_advisory_xact_lock(:space, -1)", space=LOCK_SPACE)

    def execute(self, connection: Connection, statement: str, **values: object) -> list[tuple[Any, ...]]:
        with _raw(connection).cursor() as cursor:
            cursor.execute(_spell(statement), values, binary=True)
            return cursor.fetchall() if cursor.description else []

    def stream(
        self, connection: Connection, statement: ClauseElement, n_rows: int
    ) -> Generator[list[tuple[Any, ...]], None, None]:
        compiled = statement.compile(dialect=connection.dialect)
        with _raw(connection).cursor(name="stream", binary=True) as cursor:  # a server-side cursor: the rows stay there
            cursor.execute(str(compiled).encode(), compiled.params)
            while rows := cursor.fetchmany(n_rows):
                yield rows

    def append(self, connection: Connection, table: Table, rows: Sequence[tuple[Any, ...]]) -> None:
        columns = ", ".join(table.columns.keys())
        with _raw(connection).cursor() as cursor, cursor.copy(f"COPY {table.name} ({columns}) FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)

    def insert(self, connection: Connection, key: int, ids: Ids, records: NDArray[np.uint8]) -> NDArray[np.bool_]:
        """Copy the rows into this connection's temporary table, then insert the new ones; sorted, against deadlocks."""
        part = connection.info["n_parts"] = connection.info.get("n_parts", 0) % 2**31 + 1
        with _raw(connection).cursor() as cursor:
            with cursor.copy("COPY staging FROM STDIN (FORMAT BINARY)") as copy:
                copy.write(copy_rows(part, ids, records))
            inserted = cursor.execute(statements.INSERT, {"key": key, "part": part}, binary=True).fetchall()
            # Looked up afterwards: what another collector moves out of the inbox just now can be inserted there again.
            known = cursor.execute(statements.KNOWN, {"key": key, "part": part}, binary=True).fetchall()
            if known:
                cursor.execute(statements.TAKE_BACK, {"key": key, "ids": [row[0] for row in known]})
        if not known and len(inserted) == len(ids):
            return np.ones(len(ids), np.bool_)
        new = {row[0] for row in inserted} - {row[0] for row in known}
        return np.fromiter((report_id in new for report_id in _split(ids)), np.bool_, len(ids))

    def find(self, connection: Connection, key: int, ids: Ids) -> dict[int, bytes]:
        with _raw(connection).cursor() as cursor:
            cursor.execute(statements.FIND, {"key": key, "ids": _split(ids)}, binary=True)
            known = dict(cursor.fetchall())
        return {index: known[report_id] for index, report_id in enumerate(_split(ids)) if report_id in known}

    def move(self, connection: Connection, key: int, low: bytes, high: bytes) -> None:
        self.execute(connection, statements.LOCK_INBOX, space=LOCK_SPACE)
        self.execute(connection, statements.MOVE, key=key, low=low, high=high)

    def is_transient(self, fault: BaseException) -> bool:
        cause = fault.orig if isinstance(fault, DBAPIError) else fault
        if isinstance(cause, SilentServerError):
            return False
        if not isinstance(cause, psycopg.Error):
            return False
        if cause.sqlstate == _NOT_UNIQUE:
            return cause.diag.table_name in _TWICE
        is_gone = isinstance(cause, psycopg.OperationalError) and cause.sqlstate in (None, *_GONE)
        return is_gone or cause.sqlstate in _TRANSIENT

    def count_bytes(self) -> int:
        return self._count_bytes("reports") + self._count_bytes("inbox")

    def _count_bytes(self, table: str) -> int:
        with self.read_engine.connect() as connection:
            return int(connection.exec_driver_sql(f"SELECT pg_total_relation_size('{table}')").scalar_one())

    def check_room(self, min_free_bytes: int) -> None:
        """Nothing: the server's disk cannot be seen from here."""

    def settle(self, connection: Connection, keys: Sequence[int]) -> None:
        self.execute(connection, statements.LOCK_INBOX, space=LOCK_SPACE)
        self.execute(connection, statements.SETTLE, keys=list(keys))

    def clean(self, *, large_tables: bool = True, reports: bool = True) -> bool:
        """Give tables new files, without traces of deleted rows; a very large table of reports is only vacuumed.

        The server's write-ahead log is its own.
        """
        self._is_clean = False
        with self._alone() as connection:
            if connection is None:
                return False
            most = None if large_tables else MOST_OFTEN_BYTES
            tables = [
                "inbox",
                *(table for table in statements.SIDE_TABLES if most is None or self._count_bytes(table) <= most),
            ]
            if reports and self._count_bytes("reports") <= MOST_FULL_BYTES:
                tables.append("reports")
            self._is_clean = self._vacuum(connection, "VACUUM (FULL)", *tables) and (
                not reports or "reports" in tables or self._vacuum(connection, "VACUUM", "reports")
            )
        return self._is_clean

    def rewrite(self) -> bool:
        """Rewrite reports in the order of their ids, in one transaction, unless another collector does."""
        with self._alone() as connection:
            if connection is not None:
                connection.exec_driver_sql(statements.REWRITE)
                if self._count_bytes("issued_tokens") <= MOST_OFTEN_BYTES:
                    connection.exec_driver_sql(statements.REWRITE_ISSUED)
            return connection is not None

    @contextmanager
    def _alone(self) -> Iterator[Connection | None]:
        """Yield a connection in autocommit, without time limits; None while another collector tidies.

        Its statements are not tried again, as others may wait for them. So dead connections are found before.
        """
        with suppress(OperationalError), self.write_engine.connect() as connection:  # a dead one drops the whole pool
            connection.exec_driver_sql("SELECT 1")
        with self.write_engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            is_alone = self.execute(connection, statements.TRY_ALONE, space=LOCK_SPACE) == [(True,)]
            try:
                if is_alone:
                    self.check_revision(connection)
                    _raw(connection).takes_time = True
                    connection.exec_driver_sql("SET statement_timeout = 0")
                yield connection if is_alone else None
            finally:
                if is_alone and not connection.invalidated:  # else its session is gone
                    connection.exec_driver_sql(f"SET statement_timeout = {self._statement_ms}")
                    self.execute(connection, statements.NO_MORE_ALONE, space=LOCK_SPACE)

    def _vacuum(self, connection: Connection, command: str, *tables: str) -> bool:
        """Run a command on each of the tables; return False where somebody else holds one."""
        connection.exec_driver_sql(f"SET lock_timeout = '{WAIT_MS}ms'")  # others queue behind one that waits
        try:
            for table in tables:
                connection.exec_driver_sql(f"{command} {table}")
        except OperationalError as fault:
            if getattr(fault.orig, "sqlstate", None) != _LOCKED:
                raise
            return False
        finally:
            if not connection.invalidated:
                connection.exec_driver_sql(f"SET lock_timeout = '{self._busy_timeout_ms}ms'")
        return True

    def after_copy(self, connection: Connection) -> None:
        connection.exec_driver_sql(
            "SELECT setval(pg_get_serial_sequence('surveys', 'survey_key'), "
            "(SELECT coalesce(max(survey_key), 0) + 1 FROM surveys), false)"
        )

    def check_integrity(self) -> None:
        """Nothing: the server checks its own files."""

    def begin_snapshot(self, connection: Connection) -> None:
        connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        self.take_time(connection)


# Where the server sends no message, the driver's may quote the URL: only these are repeated.
_WORDS = (
    ("role .* does not exist", "the role does not exist"),
    ("database .* does not exist", "the database does not exist"),
    ("could not translate host|resolve host", "the host is not known"),
    *((words, words) for words in ("Connection refused", "authentication failed", "timeout expired", "No such file")),
    ("no response in time", "no response in time"),
    ("server closed the connection|connection is (closed|lost)", "the server closed the connection"),
    ("database .* not currently accepting connections", "the database takes no connections"),
    ("database system is (starting|shutting|in recovery|not)", "the server is starting or shutting down"),
    ("too many clients|remaining connection slots", "the server has no connection left"),
    ("QueuePool limit", "no connection is free"),
)


def _make_staging(raw: Any, _: object) -> None:
    raw.execute("CREATE TEMP TABLE staging (part int, report_id bytea, packed bytea) ON COMMIT DELETE ROWS")
    raw.commit()


@cache
def _spell(statement: str) -> bytes:
    """Return a statement with :names in psycopg's spelling."""
    return re.sub(r"(?<!:):([a-z_]+)", r"%(\1)s", statement).encode()


def _raw(connection: Connection) -> WatchedConnection:
    raw = connection.connection.driver_connection
    assert isinstance(raw, WatchedConnection)  # noqa: S101  # the engine's driver
    return raw


def _split(ids: Ids) -> list[bytes]:
    joined = ids.tobytes()
    return [joined[start : start + 16] for start in range(0, len(joined), 16)]
