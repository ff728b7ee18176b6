"""The SHA-256 beside a backup: what no look at a database could find is refused, by its name."""

import shutil
import subprocess
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from collecting import SMALL, count_here, make_reports, publish_here
from sotto_client.cli import main
from sotto_collector.store import Store

REPORTS = make_reports(40, SMALL)


@pytest.fixture
def backup(file_made: Path, tmp_path: Path) -> Path:
    db = Path(shutil.copy(file_made, tmp_path / "survey.db"))
    with closing(Store(db)) as store:
        count_here(store, publish_here(store, SMALL), REPORTS)
    assert run("backup", "--db", db, "--to", tmp_path / "backup.db") == (0, "")
    return tmp_path / "backup.db"


def run(*words: object) -> tuple[int, str]:
    """Return how a command ended, and its errors."""
    done = CliRunner().invoke(main, [str(word) for word in words])
    is_said = done.exception is None or isinstance(done.exception, SystemExit)
    assert is_said, done.exception
    return done.exit_code, "".join(line for line in done.stderr.splitlines(keepends=True) if line.startswith("Error"))


def flip(backup: Path) -> None:
    """Flip a bit of the id of a report: its receipt is another, and nothing else tells."""
    content = bytearray(backup.read_bytes())
    assert content.count(REPORTS[7].id) == 1
    content[content.index(REPORTS[7].id) + 15] ^= 1
    backup.write_bytes(content)


def test_backup_has_its_sum_as_sha256sum_reads_it_and_keeps_it_when_it_is_looked_at(backup: Path) -> None:
    backup.unlink()
    Path(f"{backup}.sha256").write_text("of the one that was there")
    assert run("backup", "--db", backup.parent / "survey.db", "--to", backup) == (0, "")
    for _ in range(2):
        subprocess.run(["sha256sum", "--check", "--strict", "backup.db.sha256"], cwd=backup.parent, check=True)
        assert run("recount", "--db", backup) == (0, "")
    assert run("db", "restore", "--from", backup, "--db", backup.parent / "new.db") == (0, "")
    assert {path.name for path in backup.parent.glob("*.sha256*")} == {"backup.db.sha256"}


def test_one_bit_of_a_receipt_is_refused_and_nothing_is_made(backup: Path) -> None:
    target, summed = backup.parent / "new.db", Path(f"{backup}.sha256")
    flip(backup)
    restore = "db", "restore", "--from", backup, "--db", target
    assert run(*restore) == (
        1,
        f"Error: backup ({backup}) must have the SHA-256 in {summed}: it is damaged, or was changed. "
        f"If you changed it on purpose, move {summed} away.\n",
    )
    for content in (b"", b"\xff" * 80, b"0" * 64):
        summed.write_bytes(content)
        assert run(*restore) == (
            1,
            f"Error: backup ({backup}) cannot be checked: {summed} must be a line of sha256sum.\n",
        )
    summed.unlink()
    summed.mkdir()
    assert run(*restore) == (1, f"Error: sum ({summed}) must be a file; it is a folder.\n")
    assert not target.exists()
    summed.rmdir()
    assert run(*restore) == (0, "")
