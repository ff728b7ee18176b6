"""The private folder of a restore into PostgreSQL: whatever ends one, no copy of the reports outlives the next."""

import os
import signal
import stat
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import pytest

from collecting import SMALL, TIMEOUT_S, count_here, make_reports, publish_here
from sotto_collector.errors import StoreError
from sotto_collector.store import Store
from sotto_collector.store.redo import Wishes
from sotto_collector.store.restore import restore_copy
from sotto_collector.store.workplace import private_folder

DIE = """
import os, sys
from sqlalchemy import Engine, event
from sotto_client.cli import main

@event.listens_for(Engine, "commit")
def end(connection):  # the copy is there, and is being redone
    os.kill(os.getpid(), int(sys.argv[1]))

main(sys.argv[2:])
"""


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    monkeypatch.setattr(tempfile, "tempdir", None)
    (tmp_path / "temporary").mkdir()
    return tmp_path / "temporary"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_no_copy_of_a_restore_that_was_ended_outlives_the_next(
    number: signal.Signals, postgres_empty: str, tmp_path: Path, temporary: Path
) -> None:
    backup = tmp_path / "backup.db"
    with closing(Store(backup)) as store:
        count_here(store, publish_here(store, SMALL), make_reports(30, SMALL))
    words = ["db", "restore", "--from", str(backup), "--db", postgres_empty]
    command = [sys.executable, "-c", DIE, str(int(number)), *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    is_killed = number == signal.SIGKILL
    assert done.returncode == (-number if is_killed else 128 + number), done.stderr
    left = [*temporary.iterdir()]
    assert len(left) == is_killed
    if is_killed:
        assert stat.S_IMODE(left[0].stat().st_mode) == 0o700
        assert (left[0] / "restored.db").exists()
    assert restore_copy(str(backup), postgres_empty, Wishes()).surveys[0].n_reports == 30
    assert [*temporary.iterdir()] == []


def test_folder_that_others_may_read_or_that_is_a_link_is_refused_and_stays(temporary: Path) -> None:
    with private_folder() as folder:
        assert [folder] == [*temporary.iterdir()]
    folder.mkdir()
    folder.chmod(0o750)
    (folder / "theirs").touch()
    with pytest.raises(StoreError, match="a folder that nobody else can read"), private_folder():
        pass
    assert (folder / "theirs").exists()
    folder.rename(temporary / "elsewhere")
    folder.symlink_to(temporary / "elsewhere")
    with pytest.raises(StoreError, match="must be a folder that can be made"), private_folder():
        pass
    assert (temporary / "elsewhere" / "theirs").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_folder_of_another_user_is_refused(temporary: Path) -> None:
    folder = temporary / "sotto-restore-0.unfinished"
    folder.mkdir(mode=0o700)
    os.chown(folder, 65534, 65534)
    with pytest.raises(StoreError, match="it is another's"), private_folder():
        pass


def test_two_restores_do_not_share_it(temporary: Path) -> None:
    with private_folder() as folder:
        (folder / "restored.db").touch()
        with pytest.raises(StoreError, match="another restore works in"), private_folder():
            pass
        assert (folder / "restored.db").exists()
    assert [*temporary.iterdir()] == []
