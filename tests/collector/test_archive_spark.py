"""Counting on Spark: a real one of this machine, whose executors die; the tally is equal to the bit."""

import os
import signal
import subprocess
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from archiving import export_noise, export_store
from collecting import STRINGS, count_here, make_reports, publish_here
from sotto_client.cli import main
from sotto_collector.errors import ArchiveError
from sotto_collector.store import Store

pytest.importorskip("pyspark", reason="the extra spark is not in dev: 0.5 GB, and Java")

from sotto_collector.archive.spark import recount_on_spark

pytestmark = [
    pytest.mark.rare,  # it needs Spark and Java; test_archive.py holds what executors count
    pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning", "ignore::ResourceWarning"),
    # Spark's own, of pandas and of its sockets
]


@pytest.fixture(autouse=True)
def on_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")


def test_spark_counts_what_the_database_counts(tmp_path: Path) -> None:
    with closing(Store(tmp_path / "survey.db")) as store:
        stored = publish_here(store, STRINGS)
        for wave in (1, 2):
            count_here(store, stored, make_reports(400, STRINGS, wave))
        export_store(str(tmp_path / "survey.db"), STRINGS.id, tmp_path / "archive", 6)
        expected, second = store.recount(stored), store.recount(stored, 2)
    seen = list[tuple[int, int]]()
    assert recount_on_spark(tmp_path / "archive", "local[2]", progress=lambda *now: seen.append(now)) == expected
    assert seen == [(n, 6) for n in range(1, 7)]
    result = CliRunner().invoke(main, ["tally", str(tmp_path / "archive"), "--spark", "local[2]", "--wave", "2"])
    assert result.stdout == second.to_json().decode() + "\n"


def test_damaged_file_is_named_by_the_executor_that_reads_it(tmp_path: Path) -> None:
    export_noise(tmp_path / "archive", 400, 4)
    path = tmp_path / "archive" / "part-0002-of-0004-0.parquet"
    damaged = bytearray(path.read_bytes())
    damaged[100] ^= 1
    path.write_bytes(damaged)
    with pytest.raises(ArchiveError, match=r"part-0002-of-0004-0\.parquet is not what was exported"):
        recount_on_spark(tmp_path / "archive", "local[2]")


def test_executor_that_is_killed_midway_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sotto_collector.archive.spark._FILES_PER_CORE", 4)  # jobs of 8 files
    expected = export_noise(tmp_path / "archive", 240_000, 24).tally
    killed = list[int]()

    def kill(n_done: int, n_files: int) -> None:
        if n_done == 8:
            listed = subprocess.run(["pgrep", "-f", "CoarseGrainedExecutorBackend"], capture_output=True, text=True)
            ours = [int(pid) for pid in listed.stdout.split() if _is_below(int(pid), os.getpid())]
            killed.append(min(ours))
            os.kill(killed[0], signal.SIGKILL)

    assert recount_on_spark(tmp_path / "archive", "local-cluster[2,1,1024]", progress=kill) == expected
    assert len(killed) == 1


def _is_below(pid: int, ancestor: int) -> bool:
    """Return whether a process was started by another, or by what that started."""
    while pid > 1:
        if pid == ancestor:
            return True
        try:
            pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            return False
    return False


def test_master_that_is_not_there_is_named(tmp_path: Path) -> None:
    export_noise(tmp_path / "archive", 40, 1)
    with pytest.raises(ArchiveError, match="Spark could not count: Could not parse Master URL: 'nonsense'"):
        recount_on_spark(tmp_path / "archive", "nonsense")
