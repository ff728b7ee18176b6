"""A place where no copy can be made, or no old one deleted, is said in a line, and nothing is left there."""

import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

import starting
from collecting import TIMEOUT_S
from sotto_collector.settings import Settings
from sotto_collector.store import Store
from sotto_collector.units import Service

SOTTO = (sys.executable, "-c", "from sotto_client.cli import main; main()")
AS_NOBODY = """
import os
from sotto_client.cli import main
with open(os.devnull, "w") as sink:
    stdout, out = os.dup(1), os.dup2(sink.fileno(), 1)
main(["backup", "--db", "{source}", "--to", "{copied}"], standalone_mode=False)  # all is loaded, that he may not read
os.dup2(stdout, 1)
os.setgroups([])
os.setgid({uid})
os.setuid({uid})
main()
"""
as_root = pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("runuser"), reason="root alone becomes another user")


@pytest.fixture
def source(tmp_path: Path) -> Path:
    Store(tmp_path / "survey.db").close()
    return tmp_path / "survey.db"


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user may enter."""
    folder = Path(tempfile.mkdtemp(prefix="sotto-places-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def refuse(*words: object) -> str:
    """Return the one line that a command says as it refuses."""
    command = [*SOTTO, *map(str, words)]
    done = starting.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1), done.stderr
    return done.stderr


def test_a_path_below_a_file_is_refused(source: Path, tmp_path: Path) -> None:
    below = tmp_path / "file" / "new.db"
    below.parent.write_bytes(b"")
    said = f"({below}) must be a new file that can be made there: Not a directory.\n"
    assert refuse("backup", "--db", source, "--to", below) == f"Error: the copy {said}"
    assert refuse("db", "restore", "--from", source, "--db", below) == f"Error: db {said}"
    assert "must be an existing folder" in refuse("backup", "--db", source, "--to", below, "--keep", 2)


def test_an_older_copy_that_cannot_be_deleted_is_named(source: Path, tmp_path: Path) -> None:
    copies = tmp_path / "copies"
    (copies / "2020-01-01.db").mkdir(parents=True)
    said = refuse("backup", "--db", source, "--to", copies, "--keep", 1)
    assert said.startswith(f"Error: an older copy ({copies / '2020-01-01.db'}) cannot be deleted: ")
    with closing(Store(copies / f"{Store(source).today()}.db", create=False)) as copy:
        assert not copy.is_new


@pytest.mark.thorough
@as_root
@pytest.mark.parametrize("mode", [0o700, pytest.param(0o755, marks=pytest.mark.rare)])
def test_a_folder_of_another_user_is_refused(open_folder: Path, mode: int, monkeypatch: pytest.MonkeyPatch) -> None:
    own, others, copied = (open_folder / name for name in ("own", "others", "copied.db"))
    own.mkdir()
    Store(own / "survey.db").close()
    others.mkdir(mode=mode)
    for path in (own, own / "survey.db"):
        shutil.chown(path, "nobody")
    become = AS_NOBODY.format(uid=pwd.getpwnam("nobody").pw_uid, source=own / "survey.db", copied=copied)
    for words in (
        ("backup", "--db", own / "survey.db", "--to", others / "new.db"),
        ("backup", "--db", own / "survey.db", "--to", others, "--keep", 2),
        ("db", "restore", "--from", own / "survey.db", "--db", others / "new.db"),
    ):
        copied.unlink(missing_ok=True)
        monkeypatch.setattr(f"{__name__}.SOTTO", (sys.executable, "-c", become))
        assert "Permission denied" in refuse(*words)
    assert not [*others.iterdir()]


@as_root
def test_the_script_stops_where_a_folder_is_there_that_the_user_cannot_write_to(open_folder: Path) -> None:
    """As where a disk was just mounted. What is missing is made; what is the user's already stays."""
    state, copies = open_folder / "state", open_folder / "disk"
    settings = Settings(db=str(state / "survey.db"))
    service = Service(Path("/opt/sotto"), "nobody", settings, copies)
    made = service.make_script().partition("set -eu\n")[2].partition("\ncat >")[0]

    def run() -> tuple[int, str]:
        done = subprocess.run(["sh", "-euc", made], capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
        return done.returncode, done.stderr

    copies.mkdir()
    assert run() == (1, f"{copies} must be a folder that nobody can write to: chown nobody: {copies}\n")
    assert state.owner() == "nobody"
    shutil.chown(copies, "nobody")
    assert run() == (0, "")
    assert copies.stat().st_uid == pwd.getpwnam("nobody").pw_uid
