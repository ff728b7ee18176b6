"""Files that the programs of schemas 0003 to 0013 wrote, upgraded on both databases: all of them is there, and counts.

tests/data/schemas/ has them as SQL: reports in the inbox and out of it, one erased; waves, of which none takes reports
any more; a release, open invitations, tokens, settings, since 0005 a survey that keeps counts alone, since 0008 a
draft, since 0009 a journal and the day of a backup, since 0010 a second journal and a survey whose reports go on a
day, since 0012 keys of a gateway, since 0013 a key and a signature of blind invitations. Of schemas 0001 and 0002 see
test_migrations.
"""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from click.testing import CliRunner
from sqlalchemy import MetaData, Table, create_engine, delete, insert, make_url, select

from collecting import check_store, count_here, make_reports
from sotto_client.cli import main
from sotto_collector.intake.counting import Outcome
from sotto_collector.store import Store, TokenTable
from sotto_collector.store.schema import metadata
from sotto_collector.store.upgrade import HEAD, REVISIONS, _config
from sotto_collector.tokens import create_token

pytestmark = pytest.mark.later("postgres", "thorough")  # test_migrations.py has both

FILES = sorted((Path(__file__).parents[1] / "data" / "schemas").glob("*.sql"))
MADE_OTHERWISE = ("0001", "0002")
KEPT = {
    "surveys": "survey_key, survey_id, fingerprint, definition, is_open, cors_origins, reports_per_minute",
    "tokens": "token_hash, role, label, survey_id, expires_s",
    "invitations": "survey_key, code_hash, wave",
    "releases": "survey_key, n_reports",
}
"""Columns whose names are those of before, by table."""
REPORTS = "SELECT survey_key, report_id, packed FROM inbox UNION ALL SELECT survey_key, report_id, packed FROM reports"
COUNTED = "SELECT survey_key, sum(n_reports) FROM tallies GROUP BY survey_key"

_BETWEEN = pytest.mark.later("postgres", "rare"), pytest.mark.later("sqlite", "thorough")
Rows = dict[str, list[tuple[Any, ...]]]


def write_file(path: Path, dump: Path) -> Rows:
    """Write a file as an earlier program left it; return the rows that an upgrade must keep."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(dump.read_text())
        asked = {table: f"SELECT {columns} FROM {table}" for table, columns in KEPT.items()}  # noqa: S608  # a test's
        asked |= {"reports": REPORTS, "counted": COUNTED}
        return {name: sorted(connection.execute(statement), key=repr) for name, statement in asked.items()}


def write_postgres(url: str, path: Path, revision: str) -> None:
    """Make the same on PostgreSQL: the tables by the migrations, then the file's rows."""
    engine = create_engine(make_url(url).set(drivername="postgresql+psycopg"))
    with engine.begin() as target, create_engine(f"sqlite:///{path}").begin() as source:
        command.upgrade(_config(target), revision)
        there = MetaData()
        there.reflect(target)
        for name in (table.name for table in metadata.sorted_tables if table.name in there.tables):
            table = Table(name, MetaData(), autoload_with=source)
            rows = [dict(row) for row in source.execute(select(table)).mappings()]
            if name == "store":  # its one row is there with the table
                target.execute(delete(there.tables[name]))
            if rows:
                target.execute(insert(there.tables[name]), rows)
    engine.dispose()


def read_rows(db: str) -> Rows:
    """Return the same rows of an upgraded database."""
    with closing(Store(db, create=False)) as store, store.reader() as connection:
        asked = {table: f"SELECT {columns} FROM {table}" for table, columns in KEPT.items()}  # noqa: S608  # a test's
        asked |= {"reports": REPORTS, "counted": COUNTED}
        return {
            name: sorted((tuple(row) for row in connection.exec_driver_sql(statement)), key=repr)
            for name, statement in asked.items()
        }


def test_every_schema_before_this_one_has_its_file() -> None:
    """Who adds a schema adds a file that the program of before wrote."""
    assert (*MADE_OTHERWISE, *(path.stem for path in FILES)) == REVISIONS[:-1]


@pytest.mark.parametrize(
    "dump",
    [
        pytest.param(path, id=path.stem, marks=() if path in (FILES[0], FILES[-1]) else _BETWEEN)  # each adds a step
        for path in FILES
    ],
)
def test_upgraded_database_of_a_released_schema_has_everything_and_goes_on(
    empty_db: str, tmp_path: Path, dump: Path
) -> None:
    path = tmp_path / "survey.db"
    before = write_file(path, dump)
    if empty_db.startswith("postgresql:"):
        write_postgres(empty_db, path, dump.stem)
    result = CliRunner().invoke(main, ["db", "upgrade", "--db", empty_db])
    assert (result.exit_code, result.output) == (0, f"schema {dump.stem} -> {HEAD}\n")
    assert read_rows(empty_db) == before
    assert all(before.values())
    check_store(empty_db)
    with closing(Store(empty_db)) as store:
        small, strings = store.find_survey("small"), store.find_survey("strings")
        assert small is not None
        assert strings is not None
        assert (small.is_open, strings.is_open, strings.survey.waves) == (True, False, 3)
        assert count_here(store, small, make_reports(5, small.survey)) == [Outcome(5, 0, 0)]
        assert store.read_tally(small).n_reports == 40 - 1 + 5
        assert create_token(TokenTable(store), "reader", survey_id="small", expires_in_s=60)
    check_store(empty_db)
