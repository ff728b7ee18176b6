"""Backups that cannot be made, or are no longer whole: one line says why, and nothing that was there is touched."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner

from collecting import check_store, count_here, execute, make_reports, publish_here, tally_of
from newer_program import NEWER, upgrade_as_newer
from sotto_client.cli import main
from sotto_collector.errors import StoreError
from sotto_collector.store import Store
from sotto_collector.store.copy import copy_store

pytestmark = pytest.mark.later("postgres", "thorough")  # test_copied_rows.py has both

REPORTS = make_reports(1200)


def run(*arguments: object) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    return result.exit_code, result.stdout, result.stderr


def fill(db: str | Path) -> None:
    with closing(Store(db)) as store:
        count_here(store, publish_here(store), REPORTS)


def refuse_backup(db: object, target: object) -> str:
    """Return the one line that `sotto backup` says as it refuses."""
    code, out, err = run("backup", "--db", db, "--to", target)
    assert (code, out, err.count("\n")) == (1, "", 1), (code, out, err)
    return err


def cut(path: Path, n_bytes: int) -> None:
    with path.open("rb+") as file:
        file.truncate(n_bytes)


def flip(path: Path) -> None:
    """Flip a bit of a report: another answer is reported."""
    content = bytearray(path.read_bytes())
    content[content.index(REPORTS[600].record) + 1] ^= 1
    path.write_bytes(content)


def be_foreign(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE theirs (x)")


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (Path.unlink, "there is none"),
        (lambda path: cut(path, 0), "there is none"),
        (lambda path: cut(path, 100), "malformed|not a database|cut short"),
        (lambda path: cut(path, path.stat().st_size // 2), "malformed|cut short"),
        (lambda path: cut(path, path.stat().st_size - 4096), "malformed|cut short"),
        (lambda path: path.write_bytes(b"no database" * 1000), "not a database"),
        (be_foreign, "another program's"),
        (flip, "the tally of habits differs from its reports|a stored report of survey habits is damaged"),
    ],
    ids=["missing", "empty", "its header", "half", "but a page", "text", "foreign", "a bit"],
)
def test_source_that_is_no_whole_database_is_refused_and_stays_as_it_was(
    tmp_path: Path, spoil: Callable[[Path], None], said: str
) -> None:
    db, target = tmp_path / "survey.db", tmp_path / "backup.db"
    fill(db)
    spoil(db)
    before = db.read_bytes() if db.exists() else None
    err = refuse_backup(db, target)
    assert any(words in err for words in said.split("|")), err
    assert (db.read_bytes() if db.exists() else None) == before
    assert {path.name for path in tmp_path.iterdir()} <= {"survey.db", "survey.db-wal", "survey.db-shm"}


def test_source_of_a_newer_version_is_refused_by_its_schema(db: str, tmp_path: Path) -> None:
    fill(db)
    upgrade_as_newer(db, tmp_path)
    assert f"it has {NEWER}, which a newer sottovoce wrote" in refuse_backup(db, tmp_path / "backup.db")
    assert not (tmp_path / "backup.db").exists()


def test_folder_that_is_not_there_is_named(db: str, tmp_path: Path) -> None:
    assert "No such file or directory" in refuse_backup(db, tmp_path / "nowhere" / "backup.db")


def test_target_that_is_a_file_of_any_kind_stays(db: str, tmp_path: Path) -> None:
    target = tmp_path / "theirs"
    target.write_bytes(b"theirs")
    assert refuse_backup(db, target) == f"Error: the copy ({target}) must be a new file; there is one already.\n"
    assert target.read_bytes() == b"theirs"


@pytest.mark.few(3)
@pytest.mark.parametrize("command", [("backup", "--db"), ("db", "restore", "--from")], ids=["backup", "restore"])
@pytest.mark.parametrize("suffix", ["-wal", "-shm", "-journal"])
@pytest.mark.parametrize("is_late", [False, True], ids=["before", "meanwhile"])
def test_target_beside_the_log_of_one_that_was_there_is_refused(
    tmp_path: Path, command: tuple[str, ...], suffix: str, is_late: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite would play what is in the log into the new file: it would be the old database again, or malformed."""
    db, log = tmp_path / "survey.db", tmp_path / f"new.db{suffix}"
    fill(db)

    def leave(*_: object) -> None:
        log.write_bytes(b"left by one that was killed")

    if is_late:  # as the copy is held to its reports
        monkeypatch.setattr("sotto_collector.store.copy.check_integrity", leave)
        monkeypatch.setattr("sotto_collector.store.restore.check_integrity", leave)
    else:
        leave()
    code, out, err = run(*command, db, "--to" if command[0] == "backup" else "--db", tmp_path / "new.db")
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert f"must be a new file; {log} is there: move it away." in err
    assert [path for path in tmp_path.iterdir() if path.name.startswith("new")] == [log]
    assert log.read_bytes() == b"left by one that was killed"


def test_target_of_another_program_gets_no_tables_of_ours(db: str, postgres_empty: str) -> None:
    fill(db)
    with psycopg.connect(postgres_empty, autocommit=True) as other:
        other.execute("CREATE TABLE theirs (x int)")
        assert "it has another program's tables" in refuse_backup(db, postgres_empty)
        tables = other.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
    assert tables == [("theirs",)]


def test_target_that_goes_away_midway_is_an_error_and_takes_the_next_copy(
    store: Store, postgres_empty: str, postgres_url: str
) -> None:
    count_here(store, stored := publish_here(store), REPORTS)
    name = postgres_empty.rpartition("/")[2]

    def end_sessions(_: int) -> None:
        with psycopg.connect(postgres_url, autocommit=True) as server:
            server.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", (name,))

    with pytest.raises(StoreError, match=r"^the copy \(PostgreSQL\) was not made: .*(closed|terminat)"):
        copy_store(store, postgres_empty, end_sessions)
    assert store.read_tally(stored) == tally_of(stored.survey, REPORTS)
    assert copy_store(store, postgres_empty) > len(REPORTS)
    check_store(postgres_empty)


def test_copy_whose_counts_are_not_those_of_its_reports_is_not_kept(store: Store, tmp_path: Path) -> None:
    """A backup is counted again once it is written: what it would not restore is no backup."""
    count_here(store, publish_here(store), REPORTS)
    execute(store, "UPDATE tallies SET n_reports = 7")
    with pytest.raises(StoreError, match="the tally of habits differs from its reports"):
        copy_store(store, str(tmp_path / "copy.db"))
    assert not [path for path in tmp_path.iterdir() if path.name.startswith("copy")]


def test_older_program_refuses_what_a_newer_has_upgraded_and_changes_nothing(db: str, tmp_path: Path) -> None:
    """There is no way back: what is to be done instead is said."""
    fill(db)
    upgrade_as_newer(db, tmp_path)
    for command in (("db", "upgrade"), ("recount",)):
        code, out, err = run(*command, "--db", db)
        assert (code, out, err.count("\n")) == (1, "", 1)
        assert f"it has {NEWER}, which a newer sottovoce wrote. Install that version, or restore a backup" in err
