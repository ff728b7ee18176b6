"""A database file that is moved, removed, replaced or cut short under a collector: it says so, and
acknowledges nothing.

What it had acknowledged is in the file, wherever that is; it goes on once the file is back.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from collecting import SMALL, Served, make_reports, prepare, serve, wait_until
from crowd import Crowd, check_stored

HEALTH = ("/healthz", "/readyz")


def read_health(served: Served) -> list[int]:
    """Return what every route of health answers, from as many workers as there may be."""
    return [served.ask("GET", path)[0] for path in HEALTH * 8]


@contextmanager
def missing(db: Path, how: str, kept: Path) -> Iterator[None]:
    """Take a database's file from its path until the block ends; `kept` is where it is meanwhile."""
    if how == "moved":
        db.rename(kept)
    else:
        os.link(db, kept)
        if how == "removed":
            db.unlink()
        else:
            other = db.with_name("other.db")
            prepare(other, SMALL)
            other.rename(db)
    yield
    kept.rename(db)


@pytest.mark.parametrize(
    ("how", "workers"),
    [
        ("moved", "2"),
        ("removed", "1"),
        ("replaced", "2"),
        pytest.param("moved", "1", marks=pytest.mark.rare),
        pytest.param("removed", "2", marks=pytest.mark.rare),
        pytest.param("replaced", "1", marks=pytest.mark.rare),
    ],
)
def test_file_that_is_gone_under_load_is_said_and_takes_nothing_acknowledged_with_it(
    tmp_path: Path, how: str, workers: str
) -> None:
    crowd, db, kept = Crowd(n_clients=4), tmp_path / "survey.db", tmp_path / "kept.db"
    with serve(db, "--workers", workers, survey=SMALL) as served:
        with crowd.at_work(served):
            crowd.wait_for(8)
            with missing(db, how, kept):
                crowd.wait_for_status(503, 40)
                assert {*read_health(served)} == {503}
                shutil.copy(kept, tmp_path / "alone.db")  # without its log: all that matters is in the file
                check_has(tmp_path / "alone.db", crowd)
                if how == "replaced":
                    shutil.copy(db, tmp_path / "intruder.db")
            wait_until(lambda: {*read_health(served)} == {200})
            crowd.wait_for(8)
        crowd.finish(db, served)
        assert served.stop()[0] == 0
    crowd.check(db)
    if how == "replaced":
        assert not check_stored(tmp_path / "intruder.db", SMALL)


def check_has(db: Path, crowd: Crowd) -> None:
    """Hold that a file has all that was acknowledged, while clients are still refused."""
    acknowledged = set(crowd.acknowledged)
    assert acknowledged
    assert acknowledged <= check_stored(db, SMALL).keys()


def test_file_that_is_moved_while_nobody_sends_is_found_out_at_the_stop(tmp_path: Path) -> None:
    """Its log is at the old path: what is acknowledged goes from there into the file, where that is."""
    db, kept, reports = tmp_path / "survey.db", tmp_path / "kept.db", make_reports(50, SMALL)
    with serve(db, survey=SMALL) as served:
        assert served.send(reports, SMALL)[0] == 200
        db.rename(kept)
        code, _, err = served.stop()
    assert code == 1
    assert "was moved, removed or replaced" in err
    assert check_stored(kept, SMALL).keys() == {report.id for report in reports}


@pytest.mark.parametrize(
    ("share", "workers"),
    [
        (0, "1"),
        (0.5, "2"),
        pytest.param(0, "2", marks=pytest.mark.rare),
        pytest.param(0.5, "1", marks=pytest.mark.rare),
    ],
)
def test_file_that_was_cut_short_is_said_and_nothing_acknowledged(tmp_path: Path, share: float, workers: str) -> None:
    """A page that is gone would end a process that maps the file, so it is not touched."""
    db, spare, reports = tmp_path / "survey.db", tmp_path / "spare", make_reports(2000, SMALL)
    with serve(db, "--workers", workers, survey=SMALL) as served:
        for _ in range(8):  # every worker has looked at the file
            assert served.send(reports, SMALL)[0] == 200
            assert {*read_health(served)} == {200}
        wait_until(lambda: not (tmp_path / "survey.db-wal").stat().st_size)
        assert {*read_health(served)} == {200}
        shutil.copy(db, spare)
        os.truncate(db, int(db.stat().st_size * share))
        assert {*read_health(served)} == {503}
        for _ in range(8):
            assert served.send(make_reports(10, SMALL), SMALL)[0] == 503
        assert {*read_health(served)} == {503}
        assert served.process.poll() is None
    assert check_stored(spare, SMALL).keys() == {report.id for report in reports}


def test_log_that_was_removed_is_said_and_takes_nothing_acknowledged_with_it(tmp_path: Path) -> None:
    db, reports = tmp_path / "survey.db", make_reports(50, SMALL)
    with serve(db, survey=SMALL) as served:
        assert served.send(reports, SMALL)[0] == 200
        (tmp_path / "survey.db-wal").unlink()
        refused = make_reports(30, SMALL)
        for start in range(0, 30, 10):
            assert served.send(refused[start : start + 10], SMALL)[0] == 503
            assert {*read_health(served)} == {503}
        served.kill()
    with serve(db, survey=SMALL) as served:
        assert served.send(reports, SMALL)[2] == {"counted": 0, "duplicates": 50, "conflicting": 0}
    stored = check_stored(db, SMALL).keys()
    assert stored >= {report.id for report in reports}
    assert stored <= {report.id for report in reports + refused[:10]}  # the first may have come before it was noticed
