"""Databases as earlier versions made them: the files of schemas 1 and 2, and the same revisions on PostgreSQL."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
from alembic import command
from sqlalchemy import create_engine, make_url

from collecting import SMALL, SURVEY, tally_of
from sotto_collector.store.upgrade import _config
from sotto_protocol import Report

APPLICATION_ID = 1397707860
ANALYST_HASH = b"h" * 32
BEFORE_BLIND = tuple(f"DROP TABLE {table}" for table in ("issued_tokens", "token_keys"))
"""From the schema of now to that of 0012."""
BEFORE_GATEWAYS = (*BEFORE_BLIND, *(f"DROP TABLE {table}" for table in ("gateway_identity", "gateway_keys")))
"""From the schema of now to that of 0011."""
BEFORE_CLOCKS = (
    *BEFORE_GATEWAYS,
    *(
        f"ALTER TABLE store DROP COLUMN {column}"
        for column in ("last_day", "restored_on", "n_restored_acts", "is_restore_checked", "last_drill_day", "waited_s")
    ),
    *(f"ALTER TABLE journals DROP COLUMN {column}" for column in ("n_acts", "digest")),
)
"""From the schema of now to that of 0009."""
BEFORE_RESTORES = (
    *BEFORE_GATEWAYS,
    *(f"DROP TABLE {table}" for table in ("store", "journals", "release_floors", "refused_surveys")),
    *(f"ALTER TABLE surveys DROP COLUMN {column}" for column in ("erase_on", "erased_on", "n_erased")),
)
"""From the schema of now to that of 0008."""
BEFORE_DRAFTS = (*BEFORE_RESTORES, "ALTER TABLE surveys DROP COLUMN preview")
"""From the schema of now to that of 0007."""
BEFORE_STRATA = (
    *BEFORE_DRAFTS,
    "ALTER TABLE tallies RENAME COLUMN cell TO wave",
    "ALTER TABLE releases RENAME COLUMN cell TO wave",
    "ALTER TABLE invitations DROP COLUMN stratum",
)
"""From the schema of now to that of 0005."""

_BOTH = """
CREATE TABLE surveys (
  survey_key INTEGER PRIMARY KEY,
  survey_id TEXT NOT NULL UNIQUE,
  fingerprint TEXT NOT NULL CHECK (length(fingerprint) = 64),
  definition BLOB NOT NULL, -- the canonical JSON
  is_open INTEGER NOT NULL DEFAULT 1 CHECK (is_open IN (0, 1))
);

CREATE TABLE tokens (
  token_hash BLOB PRIMARY KEY CHECK (length(token_hash) = 32), -- SHA-256; the token itself is shown once and forgotten
  role TEXT NOT NULL CHECK (role IN ('admin', 'analyst')),
  label TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE reports (
  survey_key INTEGER NOT NULL REFERENCES surveys,
  report_id BLOB NOT NULL CHECK (length(report_id) = 16), -- drawn on the device, random
  packed BLOB NOT NULL,
  PRIMARY KEY (survey_key, report_id)
) WITHOUT ROWID;
"""
SCHEMA_1 = f"""{_BOTH}
CREATE TABLE tallies (
  survey_key INTEGER PRIMARY KEY REFERENCES surveys,
  n_reports INTEGER NOT NULL CHECK (n_reports >= 0),
  support_counts BLOB NOT NULL -- int64, little-endian, the questions' counts one behind the other
);
"""
"""What sottovoce 0.1.0 made a new file with."""
SCHEMA_2 = f"""{_BOTH}
-- With a rowid: every commit writes a tally anew, in place, which takes two thirds of the time of a row without.
CREATE TABLE tallies (
  survey_key INTEGER NOT NULL REFERENCES surveys,
  wave INTEGER NOT NULL CHECK (wave >= 1),
  n_reports INTEGER NOT NULL CHECK (n_reports >= 0),
  support_counts BLOB NOT NULL, -- int64, little-endian, the questions' counts one behind the other
  PRIMARY KEY (survey_key, wave)
);
"""
"""What its successor made a new file with."""
SCHEMAS = {1: SCHEMA_1, 2: SCHEMA_2}

Reports = dict[str, list[Report]]


def make_old(db: str, number: int, reports: Reports) -> None:
    """Make a database of schema 1 or 2, with reports by survey id: habits, which is open, and small, which is not."""
    if db.startswith("postgresql:"):
        _make_old_postgres(db, number, reports)
    else:
        make_old_file(Path(db), number, reports)


def make_old_file(path: Path, number: int, reports: Reports) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.executescript(
            f"{SCHEMAS[number]} PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {number}"
        )
        connection.execute("PRAGMA journal_mode = WAL")
        for table, rows in _rows(number, reports).items():
            marks = ", ".join("?" * len(rows[0])) if rows else ""
            connection.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)  # noqa: S608  # a test's


def _make_old_postgres(url: str, number: int, reports: Reports) -> None:
    engine = create_engine(make_url(url).set(drivername="postgresql+psycopg"))
    with engine.begin() as connection:
        command.upgrade(_config(connection), f"{number:04}")
    engine.dispose()
    with psycopg.connect(url) as raw, raw.cursor() as cursor:
        for table, rows in _rows(number, reports).items():
            marks = ", ".join(["%s"] * len(rows[0])) if rows else ""
            cursor.executemany(f"INSERT INTO {table} VALUES ({marks})".encode(), rows)  # noqa: S608  # a test's


def _rows(number: int, reports: Reports) -> dict[str, list[tuple[Any, ...]]]:
    rows: dict[str, list[tuple[Any, ...]]] = {"surveys": [], "reports": [], "tallies": []}
    for key, survey in enumerate((SURVEY, SMALL), 1):
        sent = reports[survey.id]
        rows["surveys"].append((key, survey.id, survey.fingerprint, survey.canonical, key % 2))
        rows["reports"] += [(key, report.id, report.record) for report in sent]
        counts = tally_of(survey, sent).support_counts
        packed = b"".join(counts[question.id].astype("<i8").tobytes() for question in survey.questions)
        wave = (1,) if number > 1 else ()
        rows["tallies"].append((key, *wave, len(sent), packed))
    return {name: some for name, some in rows.items() if some} | {"tokens": [(ANALYST_HASH, "analyst", "bob")]}
