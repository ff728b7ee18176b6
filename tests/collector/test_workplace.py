"""The private folder of a restore into PostgreSQL: whatever ends one, no copy of the reports outlives the next."""

import os
import signal
import stat
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import pytest

import starting
from collecting import SMALL, TIMEOUT_S, count_here, make_reports, publish_here
from sotto_collector.errors import StoreError
from sotto_collector.store import Store
from sotto_collector.store.redo import Wishes
from sotto_collector.store.restore import restore_copy
from sotto_collector.store.workplace import private_folder

DIE = """
import os, signal, sys
from sqlalchemy import Engine, event
from sotto_client.cli import main

@event.listens_for(Engine, "commit")
def end(connection):  # the copy is there, and is being redone
    os.kill(os.getpid(), int(sys.argv[1]))

signal.signal(signal.SIGHUP, signal.SIG_DFL)  # ignored where this test's program was started by nohup
main(sys.argv[2:])
"""


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    monkeypatch.setattr(tempfile, "tempdir", None)
    (tmp_path / "temporary").mkdir()
    return tmp_path / "temporary"


@pytest.mark.parametrize(
    "number",
    [
        pytest.param(signal.SIGTERM, marks=pytest.mark.rare),
        pytest.param(signal.SIGHUP, marks=pytest.mark.rare),
        signal.SIGKILL,
    ],
)
def test_no_copy_of_a_restore_that_was_ended_outlives_the_next(
    number: signal.Signals, postgres_empty: str, tmp_path: Path, temporary: Path
) -> None:
    backup = tmp_path / "backup.db"
    with closing(Store(backup)) as store:
        count_here(store, publish_here(store, SMALL), make_reports(30, SMALL))
    words = ["db", "restore", "--from", str(backup), "--db", postgres_empty]
    command = [sys.executable, "-c", DIE, str(int(number)), *words]
    done = starting.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    is_killed = number == signal.SIGKILL
    assert done.returncode == (-number if is_killed else 128 + number), done.stderr
    left = [*temporary.iterdir()]
    assert len(left) == is_killed
    if is_killed:
        assert stat.S_IMODE(left[0].stat().st_mode) == 0o700
        assert (left[0] / "restored.db").exists()
    assert restore_copy(str(backup), postgres_empty, Wishes()).surveys[0].n_reports == 30
    assert [*temporary.iterdir()] == []


def test_folder_that_others_may_read_or_that_is_a_link_is_not_removed(temporary: Path) -> None:
    names = [f"sotto-restore-{os.geteuid()}{end}.unfinished" for end in ("", "-open", "-link")]
    for name in names[:2]:
        (temporary / name).mkdir()
        (temporary / name / "theirs").touch()
        (temporary / name).chmod(0o750)
    (temporary / "elsewhere").mkdir(mode=0o700)
    (temporary / "elsewhere" / "theirs").touch()
    (temporary / names[2]).symlink_to(temporary / "elsewhere")
    with private_folder() as folder:
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert [*folder.iterdir()] == []
    assert {path.name for path in temporary.iterdir()} == {*names, "elsewhere"}
    assert len([*temporary.glob("*/theirs")]) == 4


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_folder_of_another_user_is_neither_removed_nor_in_the_way(temporary: Path) -> None:
    folder = temporary / "sotto-restore-0.unfinished"
    folder.mkdir(mode=0o700)
    os.chown(folder, 65534, 65534)
    with private_folder() as own:
        assert own != folder
    assert [*temporary.iterdir()] == [folder]


def test_two_restores_have_a_folder_each_and_what_a_killed_one_left_goes(temporary: Path) -> None:
    left = [temporary / f"sotto-restore-{os.geteuid()}{end}.unfinished" for end in ("", "-of-one-killed")]
    for folder in left:  # the first as versions before this one called it
        folder.mkdir(mode=0o700)
        (folder / "restored.db").touch()
    with private_folder() as one:
        (one / "restored.db").touch()
        with private_folder() as other:
            assert {one, other} == {*temporary.iterdir()}
        assert (one / "restored.db").exists()
    assert [*temporary.iterdir()] == []


def test_folder_that_another_restore_removes_before_it_is_held_is_made_anew(
    temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, removed = tempfile.mkdtemp, list[str]()

    def make(**words: str) -> str:
        folder = real(**words)
        if not removed:
            removed.append(folder)
            Path(folder).rmdir()
        return folder

    monkeypatch.setattr(tempfile, "mkdtemp", make)
    with private_folder() as folder:
        assert folder.exists()
        assert str(folder) not in removed


def test_folder_of_temporary_files_that_is_not_there_is_said(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    temporary.rmdir()
    with (
        pytest.raises(StoreError, match=r"TMPDIR \(.*temporary\) must be a folder to write and lock in"),
        private_folder(),
    ):
        pass
