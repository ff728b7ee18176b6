"""A disk that is full: refused, said beforehand, and over as soon as there is room; the log never fills it alone."""

import os
import resource
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

import starting
from collecting import SMALL, SOTTO, TIMEOUT_S, Served, count_here, make_reports, publish_here, serve, wait_until
from crowd import Crowd, check_stored
from sotto_client.cli import main
from sotto_collector.day import today_utc
from sotto_collector.store import Store

DISK_BYTES, ROOMY_BYTES = 5_000_000, 8_000_000
MIN_FREE_BYTES = 750_000


@contextmanager
def small_disk(folder: Path, n_bytes: int = DISK_BYTES) -> Iterator[Path]:
    """Mount a disk of so many bytes until the block ends; skip the test where that is not allowed."""
    folder.mkdir()
    options = f"size={n_bytes},mode=700"
    if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder]).returncode != 0:
        pytest.skip("only root, where it may mount, can make a small disk")
    try:
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)


def is_ready(served: Served) -> bool:
    """Return whether the collector says that it can store reports."""
    return 503 not in {served.ask("GET", path)[0] for path in ("/healthz", "/readyz")}


def fill(served: Served, crowd: Crowd) -> bool:
    """Send until the disk is full; return whether that was said before, while reports were still taken."""
    is_warned = False
    for _ in range(DISK_BYTES // 10_000):
        is_well = is_ready(served)
        reports = make_reports(1000, SMALL)
        crowd.sent |= {report.id: report for report in reports}
        status, headers, document = served.send(reports, SMALL)
        if status != 200:
            assert (status, headers["Retry-After"], document["code"]) == (503, "5", "store_unavailable")
            return is_warned
        is_warned |= not is_well
        crowd.acknowledged |= {report.id for report in reports}
    raise AssertionError("the disk is never full")


def test_full_disk_is_said_beforehand_refused_with_503_and_over_without_a_restart(tmp_path: Path) -> None:
    crowd = Crowd()
    with small_disk(tmp_path / "disk", ROOMY_BYTES) as disk:
        filler, db = disk / "filler", disk / "survey.db"
        filler.write_bytes(bytes(ROOMY_BYTES - 1_250_000))  # once it is gone there is room to write everything anew
        with serve(db, "--min-free-bytes", str(MIN_FREE_BYTES), survey=SMALL) as served:
            assert is_ready(served)
            assert fill(served, crowd)
            with crowd.at_work(served):
                crowd.wait_for_status(503, 50)
                assert not is_ready(served)
                filler.unlink()
                crowd.wait_for(8)
            wait_until(lambda: is_ready(served))  # the log is emptied once nothing came for a second
            crowd.finish(db, served)
            code, _, err = served.stop()
        assert code == 0
        assert "Traceback" not in err
        crowd.check(db)
    assert crowd.statuses.keys() == {200, 503}


FILE_BYTES = 1_000_000
N_REFUSED = 20


def send_until_it_is_full(served: Served, crowd: Crowd, n_batch: int) -> None:
    """Send until every one of N_REFUSED batches, one after the other, is refused."""
    n_refused = 0
    while n_refused < N_REFUSED:
        reports = make_reports(n_batch, SMALL)
        crowd.sent |= {report.id: report for report in reports}
        status, headers, _ = served.send(reports, SMALL)
        if status == 200:
            crowd.acknowledged |= {report.id for report in reports}
        else:
            assert (status, headers["Retry-After"]) == (503, "5")
        n_refused = n_refused + 1 if status == 503 else 0


@pytest.mark.parametrize("workers", [pytest.param("1", marks=pytest.mark.rare), "2"])
def test_room_is_used_by_reports_and_not_by_the_log(tmp_path: Path, workers: str) -> None:
    """The log of what a single disk holds would be many times as long: every report changes a page of its own."""
    crowd = Crowd()
    with small_disk(tmp_path / "disk") as disk:
        filler, db = disk / "filler", disk / "survey.db"
        filler.write_bytes(bytes(1_000_000))
        with serve(db, "--workers", workers, survey=SMALL) as served:
            send_until_it_is_full(served, crowd, 300)
            assert db.stat().st_size > (DISK_BYTES - 1_000_000) / 3
            filler.unlink()
            again = [*crowd.sent][:10]
            wait_until(lambda: served.send([crowd.sent[key] for key in again], SMALL)[0] == 200)
            crowd.acknowledged |= {*again}
            wait_until(lambda: db.with_name(f"{db.name}-wal").stat().st_size == 0)  # nothing came for a second
            code, *_ = served.stop()  # 1 where there is no room to write everything anew; then the log may stay, too
            assert code or [path.name for path in disk.iterdir()] == ["survey.db"]
        for path in disk.glob("survey.db*"):
            shutil.copy(path, tmp_path)  # where there is room to fold the log, if it stayed
    crowd.check(tmp_path / db.name)


@pytest.mark.rare
def test_file_limit_that_the_log_reaches_is_no_end(tmp_path: Path) -> None:
    """The same fault on another path: no file may grow, so the log is folded until the database itself is as long."""
    crowd, db = Crowd(), tmp_path / "survey.db"
    with serve(db, survey=SMALL) as served:
        limit = FILE_BYTES, resource.RLIM_INFINITY
        resource.prlimit(served.process.pid, resource.RLIMIT_FSIZE, limit)
        send_until_it_is_full(served, crowd, 100)
        assert db.stat().st_size > FILE_BYTES / 2
        resource.prlimit(served.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
        crowd.finish(db, served)
        assert served.stop()[0] == 0
    crowd.check(db)


def test_disk_that_is_full_during_a_backup_loses_nothing_and_keeps_no_part_of_it(tmp_path: Path) -> None:
    db = tmp_path / "survey.db"
    with small_disk(tmp_path / "disk") as disk, serve(db, survey=SMALL) as served:
        filler = disk / "filler"
        filler.write_bytes(bytes(DISK_BYTES - 100_000))
        crowd = Crowd()
        with crowd.at_work(served):
            crowd.wait_for(50)
            backup = [SOTTO, "backup", "--db", db, "--to", disk / "backup.db"]
            done = starting.run(backup, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
            assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
            assert "full" in done.stderr
            assert [path.name for path in disk.iterdir()] == ["filler"]
            filler.unlink()
            crowd.wait_for(200)
            starting.run(backup, check=True, timeout=TIMEOUT_S)
        assert crowd.statuses.keys() == {200}
        crowd.finish(db, served)
        stored = check_stored(disk / "backup.db", SMALL)
        assert stored.keys() <= crowd.sent.keys()
        assert len(stored) >= 200


def test_backup_whose_log_alone_has_room_is_refused_in_a_line_by_the_name_that_was_asked_for(tmp_path: Path) -> None:
    """Then the disk is full as the copy is closed."""
    db = tmp_path / "survey.db"
    with closing(Store(db)) as store:
        count_here(store, publish_here(store, SMALL), make_reports(3000, SMALL))
    n_bytes = db.stat().st_size
    with small_disk(tmp_path / "disk") as disk:
        filler, today = disk / "filler", disk / f"{today_utc()}.db"
        for free, target, more in (
            (n_bytes * 3 // 2, disk / "backup.db", []),
            (n_bytes * 3 // 2, today, ["--keep", "2"]),
            (n_bytes // 2, today, ["--keep", "2"]),
        ):
            filler.write_bytes(bytes(DISK_BYTES - free))
            to = disk if more else target
            done = CliRunner().invoke(main, ["backup", "--db", str(db), "--to", str(to), *more])
            assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (1, "", 1), done.exception
            assert done.stderr.startswith(f"Error: the copy ({target}) was not made: ")
            assert "database or disk is full" in done.stderr
            assert "unfinished" not in done.stderr
            assert [path.name for path in disk.iterdir()] == ["filler"]
