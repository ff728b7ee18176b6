"""The databases that rows are written to, a row a kind: how each is opened, and where its SQL differs."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from sotto_estimator.errors import SourceError
from sotto_protocol.extras import MissingExtra

WAIT_S = 30
"""How long to wait for another writer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseKind:
    """A kind of database, behind Python's usual interface for them.

    `module`: its driver, with its `extra`. `name_of(to)`: what messages call it, without a password; raises
    SourceError. `connect(driver, to)`: a connection. `begin`: statements that begin a transaction which waits for other
    writers. `exists`: the query whether a table is there. `mark`: that of a parameter. `time_type`, `time_of`: the type
    of a column of times, and a time as its value. `is_busy(fault)`: whether to try again.
    """

    words: str
    module: str
    extra: str
    name_of: Callable[[str], str]
    connect: Callable[[Any, str], Any]
    begin: tuple[str, ...]
    exists: str
    mark: str
    time_type: str
    time_of: Callable[[datetime], object]
    is_busy: Callable[[Exception], bool] = lambda _: False

    def driver(self) -> Any:
        """Return the module of its driver. Raises MissingExtra."""
        if find_spec(self.module) is None:
            raise MissingExtra(self.words, self.extra, self.module)
        return import_module(self.module)


def kind_of_database(to: str) -> DatabaseKind:
    """Return the kind of a database, by its URL or by the ending of its file. Raises SourceError."""
    if to.startswith(("postgresql://", "postgres://")):
        return POSTGRES
    scheme = to.partition("://")[0] if "://" in to else ""
    if scheme in ("sqlite", "duckdb"):
        raise SourceError(f"to must be the path of a file for {scheme}, such as results.{scheme}, not a URL.")
    kind = None if scheme else _BY_ENDING.get(Path(to).suffix.lower())
    if kind is None:
        endings = ", ".join(_BY_ENDING)
        given = f"a URL that begins with {scheme}://" if scheme else Path(to).name
        raise SourceError(f"to ({given}) must begin with postgresql://, or be a file that ends in {endings}.")
    return kind


def _name_of_server(to: str) -> str:
    """Return server and database of a URL. A password with an @ is cut elsewhere than was meant: it is not repeated."""
    conninfo = import_module("psycopg.conninfo")
    hint = "Put a password into PGPASSWORD, or write its signs as %40 for @."
    wrong = SourceError(f"to must be postgresql://USER@HOST:PORT/DATABASE. {hint}")
    try:
        parts = conninfo.conninfo_to_dict(to)
    except import_module("psycopg").Error:
        raise wrong from None
    host, port, name = (str(parts.get(part, "")) for part in ("host", "port", "dbname"))
    if "@" in f"{host}{port}{name}" or not (port or "0").replace(",", "0").isdigit():
        raise wrong
    return f"postgresql://{host}{f':{port}' * bool(port)}/{name}"


def _connect_server(driver: Any, to: str) -> Any:
    given = import_module("psycopg.conninfo").conninfo_to_dict(to)
    return driver.connect(to, autocommit=True, **{} if "connect_timeout" in given else {"connect_timeout": WAIT_S})


def _iso(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="microseconds")


POSTGRES = DatabaseKind(
    words="PostgreSQL",
    module="psycopg",
    extra="postgres",
    name_of=_name_of_server,
    connect=_connect_server,
    begin=("BEGIN", "SELECT pg_advisory_xact_lock(hashtext('sotto_estimates'))"),
    exists="SELECT 1 WHERE to_regclass(%s) IS NOT NULL",
    mark="%s",
    time_type="TIMESTAMPTZ",
    time_of=lambda at: at,
)
SQLITE = DatabaseKind(
    words="SQLite",
    module="sqlite3",
    extra="estimator",
    name_of=str,
    connect=lambda driver, to: driver.connect(to, timeout=WAIT_S, isolation_level=None),
    begin=("BEGIN IMMEDIATE",),
    exists="SELECT 1 FROM sqlite_master WHERE name = ?",
    mark="?",
    time_type="TEXT",
    time_of=_iso,
)
DUCKDB = DatabaseKind(
    words="DuckDB",
    module="duckdb",
    extra="duckdb",
    name_of=str,
    connect=lambda driver, to: driver.connect(to),
    begin=("BEGIN",),
    exists="SELECT 1 FROM information_schema.tables WHERE table_name = ?",
    mark="?",
    time_type="TIMESTAMP",
    time_of=lambda at: at.astimezone(UTC).replace(tzinfo=None),
    # Another process has the file open; or another thread of this one writes, and may have inserted the same key.
    is_busy=lambda fault: any(of in str(fault).lower() for of in ("conflict", "primary key")),
)
_BY_ENDING = {".sqlite": SQLITE, ".sqlite3": SQLITE, ".db": SQLITE, ".duckdb": DUCKDB}
