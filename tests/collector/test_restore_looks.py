"""A restore looks first: at what it is to copy, at the room for it, at who else restores; and is noticed and noted."""

import json
import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import starting
from collecting import SMALL, TIMEOUT_S, count_here, make_reports, publish_here
from house import open_house
from sotto_client.cli import main
from sotto_collector import collector as collector_module
from sotto_collector.collector import RESTORED_BENEATH
from sotto_collector.errors import StoreError
from sotto_collector.journal import read_journal
from sotto_collector.store import Store, restore, source_file
from sotto_collector.store.copy import copy_store
from sotto_collector.store.journaling import keep_journal
from sotto_collector.store.redo import Wishes
from sotto_collector.store.restore import restore_copy

pytestmark = pytest.mark.later("postgres", "thorough")  # it looks at what a restore wrote


def run(*words: object) -> Result:
    return CliRunner().invoke(main, ["db", *map(str, words)])


def status(db: object) -> dict[str, Any]:
    result = run("status", "--db", db, "--json")
    assert result.exit_code == 0, result.output
    said: dict[str, Any] = json.loads(result.stdout)
    return said


@pytest.fixture
def backup(tmp_path: Path) -> Path:
    """A backup of 30 reports, of which the journal `acts` says that one was erased since."""
    with closing(Store(tmp_path / "first.db")) as store:
        keep_journal(store, str(tmp_path / "acts"))
        stored, reports = publish_here(store, SMALL), make_reports(30, SMALL)
        count_here(store, stored, reports)
        copy_store(store, str(tmp_path / "backup.db"))
        assert store.erase_report(stored, reports[0].id)
    return tmp_path / "backup.db"


@pytest.fixture
def target(request: pytest.FixtureRequest, empty_db: str, tmp_path: Path) -> str:
    return empty_db if empty_db.startswith("postgresql:") else str(tmp_path / "new.db")


def test_restore_in_place_beneath_a_collector_is_noticed_and_told_to_devices(
    db: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(collector_module, "KNOWN_S", 0)
    with open_house(db, SMALL) as house, caplog.at_level(logging.WARNING, "sotto_collector"):

        def mark() -> str:
            return str(house.http.get(f"/v1/surveys/{SMALL.id}").headers["Sottovoce-Restored"])

        marks = [mark()]
        for _ in range(2):
            assert run("restore", "--in-place", "--db", db).exit_code == 0
            marks += [mark(), mark()]
    assert (marks[0], marks[1] == marks[2], marks[3] == marks[4], len({*marks})) == ("0", True, True, 3)
    assert [record.message for record in caplog.records].count(RESTORED_BENEATH) == 2


def make_hostile(folder: Path) -> Iterator[tuple[Path | str, str]]:
    """Yield what is no backup, and what is said of it."""
    os.mkfifo(folder / "pipe")
    (folder / "folder").mkdir()
    (folder / "text").write_bytes(b"minutes of the meeting " * 500)
    with (folder / "huge").open("wb") as file:
        file.truncate(2**40)  # takes no room itself
    yield "/dev/zero", "must be a file; it is a device"
    yield folder / "pipe", "must be a file; it is a pipe"
    yield folder / "folder", "must be a file; it is a folder"
    yield folder / "text", "is not a database of SQLite's"
    yield folder / "huge", "is not a database of SQLite's"


def test_what_is_no_backup_is_refused_before_a_byte_of_it_is_copied(
    target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.copyfileobj", None)
    for hostile, said in make_hostile(tmp_path):
        result = run("restore", "--from", hostile, "--db", target)
        assert (result.exit_code, result.stderr.count("\n")) == (1, 1), result.output
        assert result.stderr.startswith(f"Error: backup ({hostile}) must be a ")
        assert said in result.stderr
    assert not Path(target).exists()


def test_journal_and_sum_that_are_no_files_are_refused(backup: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    result = run("restore", "--from", backup, "--db", tmp_path / "new.db", "--journal", tmp_path / "pipe")
    assert (result.exit_code, "journal" in result.stderr, "it is a pipe" in result.stderr) == (1, True, True)
    Path(f"{backup}.sha256").symlink_to("/dev/zero")
    result = run("restore", "--from", backup, "--db", tmp_path / "new.db")
    assert (result.exit_code, "backup.db.sha256) must be a file; it is a device" in result.stderr) == (1, True)


def test_backup_that_there_is_no_room_for_is_refused_before_a_byte_of_it_is_copied(
    backup: Path, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    n_bytes, usage = backup.stat().st_size, source_file.shutil.disk_usage(backup.parent)
    monkeypatch.setattr("shutil.copyfileobj", None)
    monkeypatch.setattr(source_file.shutil, "disk_usage", lambda _: usage._replace(free=n_bytes - 1))
    with pytest.raises(StoreError, match=rf"has {n_bytes:,} bytes, and .* has room for {n_bytes - 1:,}. Free some"):
        restore_copy(str(backup), target, Wishes())
    assert not Path(target).exists()


@contextmanager
def at_work(backup: Path, target: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A restore that is at work as the block begins, and ends well after it."""
    command = [sys.executable, "-c", PAUSED, "db", "restore", "--from", str(backup), "--db", target]
    with starting.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        try:
            assert process.stdout.readline() == "at work\n"
            yield
            process.stdin.write("\n")
            process.stdin.flush()
            assert process.wait(TIMEOUT_S) == 0
        finally:
            process.kill()


PAUSED = """
import sys
from sotto_client.cli import main
from sotto_collector.store import restore

def pause(work, real=restore._upgrade):
    print("at work", flush=True)
    sys.stdin.readline()
    real(work)

restore._upgrade = pause
main(sys.argv[1:])
"""


def test_two_restores_on_a_machine_are_both_right(
    backup: Path, target: str, tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Into different databases: neither waits for the other, nor removes what that has made so far."""
    other = str(request.getfixturevalue("postgres_db" if target.startswith("postgresql:") else "tmp_path"))
    if target.startswith("postgresql:"):
        with closing(Store(other)) as store, store.dialect.write_engine.begin() as connection:
            connection.exec_driver_sql("DROP SCHEMA public CASCADE")
            connection.exec_driver_sql("CREATE SCHEMA public")
    else:
        other = str(tmp_path / "other.db")
    with at_work(backup, target, monkeypatch):
        assert restore_copy(str(backup), other, Wishes()).surveys[0].n_reports == 30
    for db in (target, other):
        assert status(db)["surveys"][0]["n_reports"] == 30


def test_two_restores_to_one_file_are_one_that_is_right_and_one_that_is_refused(
    backup: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = str(tmp_path / "new.db")
    with at_work(backup, target, monkeypatch), pytest.raises(StoreError, match="is being made by another command"):
        restore_copy(str(backup), target, Wishes())
    assert status(target)["surveys"][0]["n_reports"] == 30
    assert not [*tmp_path.glob("*.unfinished*")]


def test_status_says_that_a_restore_is_whole(backup: Path, target: str, tmp_path: Path) -> None:
    assert status(backup)["last_restore"] is None
    restore_copy(str(backup), target, Wishes([read_journal(tmp_path / "acts")]))
    last = status(target)["last_restore"]
    assert (last["n_acts"], last["is_checked"]) == (1, True)
    said = run("status", "--db", target).stdout
    assert (
        f"1; the last on {last['day']} did 1 act of the journals again. It is complete, and the tallies equal" in said
    )
    if target.startswith("postgresql:"):
        again = run("restore", "--from", backup, "--db", target)
        assert "it already has a store. sotto db status says whether a restore made it" in again.stderr


def test_status_says_that_a_restore_in_place_was_ended_before_it_was_checked(
    backup: Path, db: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(_: Store) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(restore, "check_integrity", die)
        assert run("restore", "--in-place", "--db", db).exit_code == 1
    assert status(db)["last_restore"]["is_checked"] is False
    said = run("status", "--db", db).stdout
    assert "It ended before the tallies were compared with the reports: run sotto recount" in said
    assert run("restore", "--in-place", "--db", db).exit_code == 0
    assert status(db)["last_restore"]["is_checked"] is True


def test_status_of_a_file_that_a_restore_did_not_finish_says_so(tmp_path: Path) -> None:
    (tmp_path / "new.db.unfinished").write_bytes(b"half of it")
    said = run("status", "--db", tmp_path / "new.db")
    assert said.exit_code == 1
    assert "was stopped before the end, or is still running" in said.stderr
