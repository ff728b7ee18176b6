"""Migrations: an old database is refused until it is upgraded, and then keeps everything; a newer one is refused."""

import os
import random
import signal
import sqlite3
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from click.testing import CliRunner
from sqlalchemy import and_, event, inspect, select, text, update

import starting
from collecting import (
    INVITED_WAVES,
    SMALL,
    SURVEY,
    TIMEOUT_S,
    count_here,
    invite_reports,
    make_reports,
    publish_here,
    tally_of,
)
from old_schemas import ANALYST_HASH, BEFORE_CLOCKS, BEFORE_DRAFTS, BEFORE_RESTORES, BEFORE_STRATA, Reports, make_old
from sotto_client.cli import main
from sotto_collector.errors import StoreError
from sotto_collector.intake.counting import Outcome
from sotto_collector.invitations import count_invitations, make_invitations
from sotto_collector.journal import read_journal
from sotto_collector.store import Store, StoredToken, TokenTable, upgrade as upgrade_module
from sotto_collector.store.about import note_backup, read_about
from sotto_collector.store.databases import locate
from sotto_collector.store.journaling import keep_journal
from sotto_collector.store.journals import known_reaches
from sotto_collector.store.recount import check_integrity
from sotto_collector.store.releases import read_released
from sotto_collector.store.schema import metadata, releases, store as store_table, tallies
from sotto_collector.store.transaction import unpack_row
from sotto_collector.store.upgrade import HEAD
from sotto_collector.tokens import create_token, find_token

N_KILLS = 20 if os.environ.get("SOTTO_TEST_FULL") else 3
WIDE_COUNTS = np.dtype("<i8")
"""How counts were stored up to schema 0006."""
_SINCE_CLOCKS = ("last_day", "restored_on", "n_restored_acts", "is_restore_checked", "last_drill_day")
OLD = pytest.mark.parametrize("number", [1, 2])


def some_reports(n_reports: int = 70) -> Reports:
    return {"habits": make_reports(n_reports), "small": make_reports(30, SMALL)}


def upgrade(db: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, ["db", "upgrade", "--db", db])
    return result.exit_code, result.output


def widen_counts(db: str) -> None:
    """Write all counts as schema 0006 had them."""
    dialect = locate(db).open()
    try:
        with dialect.write_engine.begin() as connection:
            for table in (tallies, releases):
                for row in connection.execute(select(table)).mappings().all():
                    counts = unpack_row(1, row["n_reports"], row["counts"]).counts.astype(WIDE_COUNTS).tobytes()
                    this = and_(*(column == row[column.name] for column in table.primary_key))
                    connection.execute(update(table).where(this).values(counts=counts))
    finally:
        dialect.close()


def execute(db: str, *statements: str) -> None:
    """Change a database behind the store's back."""
    dialect = locate(db).open()
    try:
        with dialect.write_engine.begin() as connection:
            for statement in statements:
                connection.execute(text(statement))
    finally:
        dialect.close()


def describe(db: str) -> dict[str, Any]:
    """Return every table's columns, keys and constraints, and how they differ from what the program means."""
    dialect = locate(db).open()
    try:
        with dialect.read_engine.connect() as connection:
            context = MigrationContext.configure(connection, opts={"compare_type": True})
            inspector = inspect(connection)
            names = inspector.get_table_names()
            columns = [[{**row, "type": str(row["type"])} for row in inspector.get_columns(name)] for name in names]
            keys = [(inspector.get_pk_constraint(name)["constrained_columns"]) for name in names]
            referred = [[row["referred_table"] for row in inspector.get_foreign_keys(name)] for name in names]
            checks = [sorted(row["sqltext"] for row in inspector.get_check_constraints(name)) for name in names]
            unique = [[row["column_names"] for row in inspector.get_unique_constraints(name)] for name in names]
            described = zip(names, columns, keys, referred, checks, unique, strict=True)
            return {
                "tables": sorted(described, key=lambda row: row[0]),
                "difference": compare_metadata(context, metadata),
            }
    finally:
        dialect.close()


def check_everything_is_kept(store: Store, reports: Reports) -> None:
    check_integrity(store)
    for survey in (SURVEY, SMALL):
        stored = publish_here(store, survey)
        assert dict(store.read_reports(stored)) == {report.id: report.record for report in reports[survey.id]}
        assert store.read_tally(stored) == store.read_tally(stored, 1) == tally_of(survey, reports[survey.id])
        assert stored.is_open == (survey is SURVEY)
        assert (stored.cors_origins, stored.reports_per_minute) == ((), None)
    assert TokenTable(store).find(ANALYST_HASH) == StoredToken(ANALYST_HASH, "analyst", "bob", None, None)


@pytest.mark.later("postgres", "thorough")
@OLD
def test_database_of_an_earlier_schema_is_refused_with_what_to_do(empty_db: str, number: int) -> None:
    make_old(empty_db, number, some_reports())
    with pytest.raises(StoreError, match=rf"must have schema {HEAD}; it has 000{number}: run sotto db upgrade\.$"):
        Store(empty_db)


@pytest.mark.later("postgres", "thorough")
@OLD
def test_upgraded_database_keeps_everything_and_counts_on(empty_db: str, number: int) -> None:
    reports = some_reports()
    make_old(empty_db, number, reports)
    assert upgrade(empty_db) == (0, f"schema 000{number} -> {HEAD}\n")
    for _ in range(2):  # and is opened again as any other
        with closing(Store(empty_db)) as store:
            check_everything_is_kept(store, reports)
    assert upgrade(empty_db) == (0, f"schema {HEAD}\n")
    with closing(Store(empty_db)) as store:
        more, stored = make_reports(5), publish_here(store)
        assert count_here(store, stored, reports["habits"][:9] + more) == [Outcome(5, 9, 0)]
        assert store.read_tally(stored) == tally_of(SURVEY, reports["habits"] + more)
        assert store.add_survey(publish_here(store, SMALL).survey) is False
        check_integrity(store)


@OLD
def test_upgraded_database_has_the_tables_of_a_new_one_and_of_the_program(
    empty_db: str, number: int, tmp_path: Path
) -> None:
    make_old(empty_db, number, {"habits": make_reports(3), "small": []})
    upgrade(empty_db)
    upgraded = describe(empty_db)
    if empty_db.startswith("postgresql:"):
        execute(empty_db, "DROP SCHEMA public CASCADE", "CREATE SCHEMA public")
    else:
        empty_db = str(tmp_path / "new.db")
    Store(empty_db).close()
    new = describe(empty_db)
    assert new["difference"] == []
    assert upgraded["difference"] == []
    assert [table[0] for table in new["tables"]] == sorted([*metadata.tables, "alembic_version"])
    assert upgraded == new


def test_upgraded_file_can_be_erased_and_rewritten(tmp_path: Path) -> None:
    db, reports = str(tmp_path / "survey.db"), some_reports()
    make_old(db, 1, reports)
    upgrade(db)
    with closing(Store(db)) as store:
        stored = publish_here(store)
        assert store.erase_report(stored, reports["habits"][0].id)
        store.close_survey(stored.key)
        store.erase_survey(stored.key)
        store.rewrite()
        check_integrity(store)
        assert [found.survey.id for found in store.list_surveys()] == ["small"]


def test_upgraded_file_says_its_schema_to_programs_of_before(tmp_path: Path) -> None:
    """Versions before Alembic compare user_version, and say that a newer sottovoce wrote a file of a larger one."""
    for number, name in ((1, "old.db"), (0, "new.db")):
        if number:
            make_old(str(tmp_path / name), number, some_reports())
            upgrade(str(tmp_path / name))
        Store(tmp_path / name).close()
        with closing(sqlite3.connect(tmp_path / name)) as connection:
            assert connection.execute("PRAGMA user_version").fetchone() == (int(HEAD),)
            assert connection.execute("PRAGMA application_id").fetchone() == (1397707860,)


@pytest.mark.later("postgres", "thorough")
def test_upgrade_from_the_last_schema_keeps_tokens_and_gives_them_a_role_more(empty_db: str) -> None:
    Store(empty_db).close()
    execute(
        empty_db,
        "DROP TABLE tokens",
        "CREATE TABLE tokens (token_hash BLOB PRIMARY KEY, role TEXT NOT NULL CHECK (role IN ('admin', 'analyst')), "
        "label TEXT NOT NULL, survey_id TEXT, expires_s BIGINT)".replace("BLOB", binary_of(empty_db)),
        f"INSERT INTO tokens VALUES ({literal_of(empty_db, ANALYST_HASH)}, 'analyst', 'bob', 'habits', 99)",  # noqa: S608  # a test's
        *BEFORE_STRATA,
        "UPDATE alembic_version SET version_num = '0003'",
    )
    assert upgrade(empty_db) == (0, f"schema 0003 -> {HEAD}\n")
    with closing(Store(empty_db)) as store:
        table = TokenTable(store)
        assert table.list() == [StoredToken(ANALYST_HASH, "analyst", "bob", "habits", 99)]
        assert find_token(table, create_token(table, "monitor")) is not None
        assert find_token(table, create_token(table, "reader", survey_id="habits", expires_in_s=60)) is not None


def binary_of(db: str) -> str:
    return "BYTEA" if db.startswith("postgresql:") else "BLOB"


def literal_of(db: str, content: bytes) -> str:
    return f"decode('{content.hex()}', 'hex')" if db.startswith("postgresql:") else f"x'{content.hex()}'"


def test_migrations_load_nothing_that_may_change() -> None:
    """What they do is what they did: today's surveys, tallies and schema are not theirs."""
    folder = Path(upgrade_module.__file__).with_name("migrations") / "versions"
    for path in folder.glob("schema_*.py"):
        assert "sotto_" not in path.read_text(), path.name


@pytest.mark.later("postgres", "thorough")
@OLD
def test_upgrades_at_once_are_one(empty_db: str, number: int) -> None:
    reports = some_reports()
    make_old(empty_db, number, reports)

    with ThreadPoolExecutor(4) as pool:
        assert (
            sorted(pool.map(lambda _: locate(empty_db).upgrade(), range(4)))
            == [(f"000{number}", HEAD)] + [(HEAD, HEAD)] * 3
        )
    with closing(Store(empty_db)) as store:
        check_everything_is_kept(store, reports)


def test_newer_schema_is_refused_to_open_and_to_upgrade(db: str) -> None:
    Store(db).close()
    execute(db, "UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(StoreError, match=f"must have schema {HEAD}; it has 9999, which a newer sottovoce wrote"):
        Store(db)
    code, said = upgrade(db)
    assert (code, said.count("\n")) == (1, 1)
    assert "it has 9999, which a newer sottovoce wrote" in said


@pytest.mark.parametrize(
    "statement", ["ALTER TABLE tokens DROP COLUMN expires_s", "DROP TABLE invitations", "DROP TABLE inbox"]
)
def test_half_migrated_database_is_refused_with_what_it_lacks(db: str, statement: str) -> None:
    Store(db).close()
    execute(db, statement)
    with pytest.raises(StoreError, match=r"it is half-migrated and lacks (tokens\.expires_s|invitations\.|inbox\.)"):
        Store(db)
    assert upgrade(db)[0] == 1


@pytest.mark.later("postgres", "thorough")
def test_upgrade_that_fails_leaves_the_database_as_it_was(empty_db: str, monkeypatch: pytest.MonkeyPatch) -> None:
    reports = some_reports()
    make_old(empty_db, 1, reports)

    def fail(*_: object) -> None:
        raise StoreError("the disk is on fire.")

    with monkeypatch.context() as patched:
        patched.setattr("sotto_collector.store.sqlite.check_schema", fail)  # the last that is done before the commit
        patched.setattr("sotto_collector.store.postgres.check_schema", fail)
        assert upgrade(empty_db) == (1, "Error: the disk is on fire.\n")
    with pytest.raises(StoreError, match="it has 0001: run sotto db upgrade"):
        Store(empty_db)
    assert upgrade(empty_db)[0] == 0
    with closing(Store(empty_db)) as store:
        check_everything_is_kept(store, reports)


def test_upgrading_makes_no_database(tmp_path: Path) -> None:
    code, said = upgrade(str(tmp_path / "typo.db"))
    assert (code, said.count("\n"), "there is none" in said) == (1, 1, True)
    assert list(tmp_path.iterdir()) == []


UPGRADE_AND_DIE = """
import os, signal, sys
from sqlalchemy import Engine, event
from sotto_collector.store.databases import locate

db, deadly = sys.argv[1], int(sys.argv[2])
n_statements = 0
dialect = locate(db).open()

@event.listens_for(dialect.write_engine, "before_cursor_execute")
@event.listens_for(dialect.write_engine, "commit")
def count(*_):
    global n_statements
    n_statements += 1
    if n_statements == deadly:
        os.kill(os.getpid(), signal.SIGKILL)

dialect.upgrade()
print(n_statements, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
"""Upgrades a database, and dies before its statement of this number, or after the commit."""


def upgrade_and_die(db: str, deadly: int) -> int:
    """Return how many statements were made, 0 where it died on the way."""
    command = [sys.executable, "-c", UPGRADE_AND_DIE, db, str(deadly)]
    done = starting.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr
    return int(done.stdout or 0)


@pytest.mark.thorough
def test_upgrade_that_is_killed_is_whole_or_not_begun(empty_db: str) -> None:
    """Killed before a statement, at the commit, and after it; then upgraded, and everything is there."""
    reports, chance = some_reports(200), random.Random(24)  # noqa: S311  # when to kill, no secret
    make_old(empty_db, 1, reports)
    n_statements = count_statements(empty_db)
    last = n_statements + 1  # it dies after the commit: at the end, or before what is cleared then
    for deadly in [*(chance.randint(2, n_statements - 1) for _ in range(N_KILLS - 2)), n_statements, last]:
        n_done = upgrade_and_die(empty_db, deadly)
        assert n_done == 0 or deadly == last
        if deadly < last:
            with pytest.raises(StoreError, match="it has 0001: run sotto db upgrade"):
                Store(empty_db)
    assert upgrade(empty_db) == (0, f"schema {HEAD}\n")
    with closing(Store(empty_db)) as store:
        check_everything_is_kept(store, reports)


def count_statements(db: str) -> int:
    """Return how many statements the upgrade takes, the commit being one, by one that is rolled back at its end."""
    dialect, n_statements = locate(db).open(), [1]
    event.listen(dialect.write_engine, "before_cursor_execute", lambda *_: n_statements.append(1))
    event.listen(dialect.write_engine, "commit", stop)
    with pytest.raises(ZeroDivisionError):
        dialect.upgrade()
    dialect.close()
    return sum(n_statements)


def stop(_: object) -> None:
    raise ZeroDivisionError


@pytest.mark.later("postgres", "thorough")
def test_upgrade_to_strata_keeps_tallies_releases_and_invitations(empty_db: str) -> None:
    survey = replace(INVITED_WAVES, min_reports=5)
    with closing(Store(empty_db)) as store:
        stored = publish_here(store, survey)
        reports = invite_reports(store, stored, make_reports(12, survey, 1))
        spare = make_invitations(store, stored, 3)
        count_here(store, stored, reports[:9])
        given = read_released(store, stored)
        count_here(store, stored, reports[9:])
    widen_counts(empty_db)
    execute(empty_db, *BEFORE_STRATA, "UPDATE alembic_version SET version_num = '0005'")
    with pytest.raises(StoreError, match=r"it has 0005: run sotto db upgrade\.$"):
        Store(empty_db)
    assert upgrade(empty_db) == (0, f"schema 0005 -> {HEAD}\n")
    with closing(Store(empty_db)) as store:
        check_integrity(store)
        assert store.read_tally(stored) == tally_of(survey, reports) == store.read_tally(stored, 1)
        assert read_released(store, stored) == given
        assert given.n_reports == 9
        assert count_invitations(store, stored) == {1: 3, 2: 15, 3: 15}
        more = [replace(report, invitation=spare[0]) for report in make_reports(1, survey, 2)]
        assert count_here(store, stored, more) == [Outcome(1, 0, 0)]
        check_integrity(store)


@pytest.mark.later("postgres", "thorough")
def test_upgrade_to_narrow_counts_keeps_tallies_and_releases(empty_db: str) -> None:
    survey = replace(SURVEY, min_reports=5)
    with closing(Store(empty_db)) as store:
        stored = publish_here(store, survey)
        reports = make_reports(700, survey)
        count_here(store, stored, reports[:600])
        given = read_released(store, stored)
    widen_counts(empty_db)
    execute(empty_db, *BEFORE_DRAFTS, "UPDATE alembic_version SET version_num = '0006'")
    assert upgrade(empty_db) == (0, f"schema 0006 -> {HEAD}\n")
    with closing(Store(empty_db)) as store:
        assert read_released(store, stored) == given
        count_here(store, stored, reports[600:])
        check_integrity(store)
        assert store.read_tally(stored) == tally_of(survey, reports)


@pytest.mark.later("postgres", "thorough")
def test_upgrade_to_restores_names_the_store_and_knows_of_no_restore(empty_db: str) -> None:
    with closing(Store(empty_db)) as store:
        reports = make_reports(20)
        count_here(store, publish_here(store), reports)
        with store.reader() as connection:
            before = read_about(connection)
    execute(empty_db, *BEFORE_RESTORES, "UPDATE alembic_version SET version_num = '0008'")
    with pytest.raises(StoreError, match=r"it has 0008: run sotto db upgrade\.$"):
        Store(empty_db)
    assert upgrade(empty_db) == (0, f"schema 0008 -> {HEAD}\n")
    with closing(Store(empty_db)) as store:
        with store.reader() as connection:
            after = read_about(connection)
        assert after[1:] == before[1:] == (0, 0, None)
        assert (len(after.identity), after.identity != before.identity) == (16, True)
        assert store.read_tally(publish_here(store)) == tally_of(SURVEY, reports)
        check_integrity(store)


@pytest.mark.later("postgres", "thorough")
def test_upgrade_to_clocks_keeps_what_the_store_knew_of_itself_and_knows_no_day(empty_db: str, tmp_path: Path) -> None:
    with closing(Store(empty_db)) as store:
        reports = make_reports(20)
        count_here(store, publish_here(store), reports)
        note_backup(store, "2026-11-23")
        keep_journal(store, str(journal := tmp_path / "acts.journal"))
        assert store.erase_report(publish_here(store), reports[0].id)
        with store.reader() as connection:
            before = read_about(connection)
    execute(empty_db, *BEFORE_CLOCKS, "UPDATE alembic_version SET version_num = '0009'")
    with pytest.raises(StoreError, match=r"it has 0009: run sotto db upgrade\.$"):
        Store(empty_db)
    assert upgrade(empty_db) == (0, f"schema 0009 -> {HEAD}\n")
    with closing(Store(empty_db)) as store:
        with store.reader() as connection:
            assert read_about(connection) == before
            assert connection.execute(select(*(store_table.c[name] for name in _SINCE_CLOCKS))).one() == (None,) * 5
            assert [(reach.n_acts, reach.digest) for reach in known_reaches(connection).values()] == [(None, None)]
        assert keep_journal(store, str(journal)) == 0
        with store.reader() as connection:
            assert [*known_reaches(connection).values()] == [read_journal(journal).reach]
        assert store.read_tally(publish_here(store)) == tally_of(SURVEY, reports[1:])
        check_integrity(store)


@pytest.mark.later("postgres", "thorough")
def test_upgrade_to_drafts_keeps_surveys_published_and_takes_drafts(empty_db: str) -> None:
    with closing(Store(empty_db)) as store:
        stored, small = publish_here(store), publish_here(store, SMALL)
        store.set_survey(stored.key, cors_origins="https://clinic.example", reports_per_minute=9)
        store.close_survey(small.key)
        reports = make_reports(20)
        count_here(store, stored, reports)
    execute(empty_db, *BEFORE_DRAFTS, "UPDATE alembic_version SET version_num = '0007'")
    with pytest.raises(StoreError, match=r"it has 0007: run sotto db upgrade\.$"):
        Store(empty_db)
    assert upgrade(empty_db) == (0, f"schema 0007 -> {HEAD}\n")
    with closing(Store(empty_db)) as store:
        listed = [(found.survey.id, found.is_open, found.is_draft) for found in store.list_surveys()]
        assert listed == [("habits", True, False), ("small", False, False)]
        kept = publish_here(store)
        assert (kept.key, kept.cors_origins, kept.reports_per_minute) == (stored.key, ("https://clinic.example",), 9)
        assert count_here(store, kept, reports[:5] + make_reports(2)) == [Outcome(2, 5, 0)]
        assert store.put_draft(replace(SURVEY, id="next"))
        check_integrity(store)
