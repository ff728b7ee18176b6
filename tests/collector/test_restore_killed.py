"""A restore that is killed, or finds no room, leaves nothing behind, and the next one is whole."""

import multiprocessing
import os
import resource
import shutil
import signal
import sqlite3
import stat
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner
from sqlalchemy import Connection, Engine, event

import starting
from collecting import SMALL, SURVEY, TIMEOUT_S, check_store, count_here, make_reports, publish_here, tally_of
from sotto_client.cli import main
from sotto_collector.errors import StoreError
from sotto_collector.journal import read_journal
from sotto_collector.store import Store, restore
from sotto_collector.store.about import read_about
from sotto_collector.store.copy import copy_store
from sotto_collector.store.databases import locate
from sotto_collector.store.journaling import keep_journal
from sotto_collector.store.redo import Wishes
from sotto_collector.store.upgrade import is_empty
from sotto_protocol import Report

DIE = """
import os, signal, sys
from sqlalchemy import Engine, event
from sotto_client.cli import main

n_statements = 0

@event.listens_for(Engine, "before_cursor_execute")
@event.listens_for(Engine, "commit")
def count(*_):
    global n_statements
    n_statements += 1
    if n_statements == int(sys.argv[1]):
        os.kill(os.getpid(), signal.SIGKILL)

main(sys.argv[2:], standalone_mode=False)
print(n_statements, file=sys.stderr)
"""
"""Runs a command, and dies before its statement of this number."""


def run(deadly: int, *words: object) -> int:
    """Return how many statements the command made, 0 where it died before one."""
    command = [sys.executable, "-c", DIE, str(deadly), "db", "restore", *map(str, words)]
    done = starting.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    assert done.returncode == (0 if deadly == 0 else -signal.SIGKILL), done.stderr
    return int(done.stderr.split()[-1]) if deadly == 0 else 0


def make_backup(folder: Path) -> tuple[Path, Path, list[Report]]:
    """Return a backup, a journal by which one of its reports was erased, and the reports that are left."""
    backup, journal, reports = folder / "backup.db", folder / "acts", make_reports(300, SMALL)
    with closing(Store(folder / "first.db")) as store:
        keep_journal(store, str(journal))
        stored = publish_here(store, SMALL)
        count_here(store, stored, reports)
        count_here(store, publish_here(store, SURVEY), make_reports(20))
        copy_store(store, str(backup))
        assert store.erase_report(stored, reports[0].id)
    return backup, journal, reports[1:]


def holds(db: str) -> tuple[int, int]:
    """Return how often a store was restored, and how many reports it has; (-1, 0) of none."""
    if not db.startswith("postgresql:") and not Path(db).exists():
        return -1, 0
    with closing(locate(db).open()) as dialect, dialect.read_engine.connect() as connection:
        if is_empty(connection):
            return -1, 0
    with closing(Store(db)) as store, store.reader() as connection:
        return read_about(connection).n_restores, store.count_all()


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("kind", "in_place"),
    [
        pytest.param("sqlite", False, id="sqlite-copy"),
        pytest.param("postgres", True, id="postgres-in place"),
        pytest.param("sqlite", True, id="sqlite-in place", marks=pytest.mark.rare),
        pytest.param("postgres", False, id="postgres-copy", marks=pytest.mark.rare),
    ],
)
def test_restore_that_is_killed_is_whole_or_not_begun(
    kind: str, in_place: bool, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    backup, journal, left = make_backup(tmp_path)
    target = str(request.getfixturevalue("postgres_empty")) if kind == "postgres" else str(tmp_path / "new.db")
    words: list[object] = ["--in-place"] if in_place else ["--from", backup]
    before = (0, 320) if in_place else (-1, 0)
    if in_place:
        with closing(Store(backup)) as store:
            copy_store(store, target)
    trial = str(tmp_path / "trial.db")
    if in_place:
        Path(trial).write_bytes(backup.read_bytes())
    n_statements = run(0, *words, "--db", trial, "--journal", journal)
    assert n_statements > 20
    for deadly in (5, n_statements // 2, n_statements - 12):
        run(deadly, *words, "--db", target, "--journal", journal)
        found = holds(target)
        assert found in (before, (1, 319))
        if found != before:  # it died after the commit, as it was checked
            assert deadly == n_statements - 12
            break
    else:
        run(0, *words, "--db", target, "--journal", journal)
    with closing(Store(target)) as store:
        assert store.read_tally(publish_here(store, SMALL)) == tally_of(SMALL, left)
    check_store(target)
    assert not [path for path in tmp_path.iterdir() if ".unfinished" in path.name]


def restore_until(n_commits: int, backup: Path, target: str, journal: Path) -> None:
    """Restore, and die as soon as PostgreSQL has committed so often and is asked for more."""
    n_seen = 0

    def see_commit(connection: Connection) -> None:
        nonlocal n_seen
        n_seen += connection.dialect.name == "postgresql"

    def die(connection: Connection, *_: object) -> None:
        if connection.dialect.name == "postgresql" and n_seen == n_commits:
            os.kill(os.getpid(), signal.SIGKILL)

    event.listen(Engine, "before_cursor_execute", die)
    event.listen(Engine, "commit", see_commit)
    restore.restore_copy(str(backup), target, Wishes([read_journal(journal)]))


def test_restore_into_postgresql_that_is_killed_leaves_no_store_that_could_be_served(
    postgres_empty: str, tmp_path: Path
) -> None:
    """Whatever was committed by then: there is nothing or all, and until there is all the same command runs again."""
    backup, journal, _ = make_backup(tmp_path)
    found, n_commits = (-1, 0), 0
    while found == (-1, 0):
        words = (n_commits, backup, postgres_empty, journal)
        dying = multiprocessing.get_context("forkserver").Process(target=restore_until, args=words)
        dying.start()
        dying.join(TIMEOUT_S)
        assert dying.exitcode == -signal.SIGKILL
        found, n_commits = holds(postgres_empty), n_commits + 1
    assert (found, n_commits) == ((1, 319), 2)
    check_store(postgres_empty)


def test_copy_is_nobody_else_s_to_read_from_its_first_byte(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the backup is the file of a collector that was killed, with its log, and both may be read by all."""
    backup = tmp_path / "hot.db"
    modes: dict[str, int] = {}
    with closing(Store(tmp_path / "first.db")) as store:
        count_here(store, publish_here(store, SMALL), make_reports(30, SMALL))
        for suffix in ("", "-wal"):
            Path(f"{backup}{suffix}").write_bytes((tmp_path / f"first.db{suffix}").read_bytes())
            Path(f"{backup}{suffix}").chmod(0o644)

    def look(copy: Callable[..., None]) -> Callable[..., None]:
        def looking(*words: object) -> None:
            for path in tmp_path.glob("new.db*"):
                modes.setdefault(path.name, stat.S_IMODE(path.stat().st_mode))
            copy(*words)

        return looking

    for name in ("copyfileobj", "copyfile"):
        monkeypatch.setattr(f"shutil.{name}", look(getattr(shutil, name)))
    monkeypatch.setattr("sotto_collector.store.restore._upgrade", look(restore._upgrade))
    restore.restore_copy(str(backup), str(tmp_path / "new.db"), Wishes())
    made = ("new.db.unfinished", "new.db.unfinished-wal", "new.db.unfinished.lock")
    assert modes == dict.fromkeys(made, 0o600)
    assert stat.S_IMODE((tmp_path / "new.db").stat().st_mode) == 0o600
    with closing(Store(tmp_path / "new.db")) as store:
        assert store.read_tally(publish_here(store, SMALL)).n_reports == 30


def test_disk_without_room_is_said_and_nothing_is_left(tmp_path: Path) -> None:
    backup, journal, _ = make_backup(tmp_path)
    names = {path.name for path in tmp_path.iterdir()}
    limits, size = resource.getrlimit(resource.RLIMIT_FSIZE), backup.stat().st_size
    for most in (size // 2, size + 100):
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, limits[1]))
        try:
            words = ["--from", str(backup), "--db", str(tmp_path / "new.db"), "--journal", str(journal)]
            result = CliRunner().invoke(main, ["db", "restore", *words])
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (1, "", 1), result.output
        assert {path.name for path in tmp_path.iterdir()} == names


def test_restore_that_somebody_reads_before_it_is_whole_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was done again is in the log of the file then, and would be lost without a word."""
    backup, journal, _ = make_backup(tmp_path)
    wishes = Wishes([read_journal(journal)])
    readers: list[sqlite3.Connection] = []

    def read(*_: object) -> None:
        readers.append(sqlite3.connect(tmp_path / "new.db.unfinished", isolation_level=None))
        readers[0].execute("BEGIN")
        assert readers[0].execute("SELECT count(*) FROM surveys").fetchone() == (2,)

    try:
        monkeypatch.setattr("sotto_collector.store.restore.check_integrity", read)
        with pytest.raises(StoreError, match=r"^db \(.*new\.db\) must not be opened before it is complete\.$"):
            restore.restore_copy(str(backup), str(tmp_path / "new.db"), wishes)
    finally:
        for reader in readers:
            reader.close()
    assert not [path for path in tmp_path.iterdir() if path.name.startswith("new")]
    monkeypatch.undo()
    assert restore.restore_copy(str(backup), str(tmp_path / "new.db"), wishes).surveys[1].n_erased == 1
    assert holds(str(tmp_path / "new.db")) == (1, 319)
