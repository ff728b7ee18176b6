"""Writing estimates into a table of a database: all rows of a look, or none."""

import time
from contextlib import closing
from dataclasses import astuple, dataclass, fields
from datetime import UTC, datetime
from types import NoneType
from typing import Any, get_args

from sotto_estimator.databases.kinds import WAIT_S, DatabaseKind, kind_of_database
from sotto_estimator.databases.rows import EstimateRow, rows_of
from sotto_estimator.errors import SourceError
from sotto_estimator.shares.by_group import SideBySide
from sotto_estimator.shares.estimates import Estimates

TABLE = "sotto_estimates"
_KEY = ("look", "wave", "stratum", "question", "kind", "answer")
_TIMES = ("first_at", "last_at")
_TYPES = {str: "TEXT", int: "BIGINT", float: "DOUBLE PRECISION", bool: "BOOLEAN"}
_OF_COLLECTOR = "release_floors"
"""A table of a collector's store."""
_PAUSE_S = 0.05


@dataclass(frozen=True, slots=True)
class Written:
    """What was written: how many rows, of which look, to which database, whose name has no password."""

    n_rows: int
    look: str
    database: str

    def __str__(self) -> str:
        """Return one line."""
        return f"{self.n_rows:,} rows of look {self.look} are in table {TABLE} of {self.database}."


def write_estimates(found: Estimates | SideBySide, to: str, *, at: datetime | None = None) -> Written:
    """Write a survey's estimates into table sotto_estimates of a database, in one transaction.

    `to` is `postgresql://USER@HOST/DATABASE`, or a file that ends in .sqlite, .db or .duckdb. The table and the file
    are made if they are missing. The same counts, estimated in the same way, replace their rows: `first_at` stays, and
    `last_at` is `at`, by default now. Raises SourceError, MissingExtra.
    """
    kind, rows = kind_of_database(to), rows_of(found)
    driver = kind.driver()
    name = kind.name_of(to)
    at = at or datetime.now(UTC)
    ends = time.monotonic() + WAIT_S
    while True:
        try:
            with closing(kind.connect(driver, to)) as connection:
                _write(connection, kind, name, rows, kind.time_of(at))
            return Written(len(rows), rows[0].look, name)
        except driver.Error as fault:
            if not kind.is_busy(fault) or time.monotonic() > ends:
                reason = " ".join(str(fault).split()) or type(fault).__name__
                raise SourceError(f"estimates cannot be written to {kind.words} ({name}): {reason}") from fault
        time.sleep(_PAUSE_S)


def _write(connection: Any, kind: DatabaseKind, name: str, rows: list[EstimateRow], at: object) -> None:
    """Write all rows, or none: a connection that is closed within a transaction takes it back."""
    cursor = connection.cursor()
    for statement in kind.begin:
        cursor.execute(statement)
    if cursor.execute(kind.exists, (_OF_COLLECTOR,)).fetchone():
        raise SourceError(f"to ({name}) must not be a collector's database. Name another one for estimates.")
    columns = _columns(kind)
    if not cursor.execute(kind.exists, (TABLE,)).fetchone():
        typed = ", ".join(f"{column} {of}" for column, of in columns.items())
        cursor.execute(f"CREATE TABLE {TABLE} ({typed}, PRIMARY KEY ({', '.join(_KEY)}))")
    cursor.execute(f"SELECT * FROM {TABLE} LIMIT 0")  # noqa: S608  # names of ours
    _check_columns([column[0] for column in cursor.description], columns, name)
    cursor.executemany(_upsert(columns, kind.mark), [(*astuple(row), at, at) for row in rows])
    stale = f"DELETE FROM {TABLE} WHERE look = {kind.mark} AND last_at <> {kind.mark}"  # noqa: S608
    cursor.execute(stale, (rows[0].look, at))  # rows that another version wrote
    cursor.execute("COMMIT")


def _columns(kind: DatabaseKind) -> dict[str, str]:
    """Return the types of the columns: each member of a row, and when its look was first and last written."""
    found = {}
    for field in fields(EstimateRow):
        types = get_args(field.type) or (field.type,)
        of = next((_TYPES[of] for of in _TYPES if of in types), _TYPES[str])
        found[field.name] = of if NoneType in types else f"{of} NOT NULL"
    return found | dict.fromkeys(_TIMES, f"{kind.time_type} NOT NULL")


def _check_columns(there: list[str], columns: dict[str, str], name: str) -> None:
    if sorted(there) != sorted(columns):
        missing = ", ".join(column for column in columns if column not in there) or "none"
        other = ", ".join(column for column in there if column not in columns) or "none"
        raise SourceError(
            f"table {TABLE} of {name} has another shape: missing columns: {missing}; unknown columns: {other}. "
            "Rename or drop that table; it is then made anew."
        )


def _upsert(columns: dict[str, str], mark: str) -> str:
    updated = ", ".join(f"{column} = excluded.{column}" for column in columns if column not in (*_KEY, "first_at"))
    marks = ", ".join([mark] * len(columns))
    into = f"INSERT INTO {TABLE} ({', '.join(columns)}) VALUES ({marks})"  # noqa: S608  # names of ours
    return f"{into} ON CONFLICT ({', '.join(_KEY)}) DO UPDATE SET {updated}"
