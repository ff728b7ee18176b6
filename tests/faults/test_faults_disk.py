"""A disk that is full: refused, said beforehand, and over as soon as there is room. (RLIMIT_FSIZE: test_serve.py.)"""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from collecting import SMALL, Served, make_reports, serve
from crowd import Crowd, wait_until

DISK_BYTES = 8_000_000
MIN_FREE_BYTES = 1_500_000


@contextmanager
def small_disk(folder: Path) -> Iterator[Path]:
    """Mount a disk of eight megabytes until the block ends; skip the test where that is not allowed."""
    folder.mkdir()
    options = f"size={DISK_BYTES},mode=700"
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
    """Send until the disk is full; return whether that was said before."""
    is_warned = False
    for _ in range(DISK_BYTES // 10_000):
        is_warned |= not is_ready(served)
        reports = make_reports(1000, SMALL)
        crowd.sent |= {report.id: report for report in reports}
        status, headers, document = served.send(reports, SMALL)
        if status != 200:
            assert (status, headers["Retry-After"], document["code"]) == (503, "5", "store_unavailable")
            return is_warned
        crowd.acknowledged |= {report.id for report in reports}
    raise AssertionError("the disk is never full")


def test_full_disk_is_said_beforehand_refused_with_503_and_over_without_a_restart(tmp_path: Path) -> None:
    crowd = Crowd()
    with small_disk(tmp_path / "disk") as disk:
        filler, db = disk / "filler", disk / "survey.db"
        filler.write_bytes(bytes(DISK_BYTES // 2))
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
