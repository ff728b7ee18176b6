"""The writer on SQLite: locks, a full disk, and the write-ahead log, which is in the order of the commits."""

import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from collecting import SURVEY, TIMEOUT_S, check_store, make_batch, make_reports, publish_here
from house import open_house
from sotto_collector.errors import StoreUnavailableError
from sotto_collector.intake.counting import Outcome
from sotto_collector.intake.writer import Writer
from sotto_collector.store import Store
from watched_writer import WatchedWriter


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "survey.db"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    with closing(Store(path, busy_timeout_ms=50)) as opened:
        yield opened
    check_store(path)


@pytest.fixture
def writer(store: Store) -> Iterator[WatchedWriter]:
    with closing(WatchedWriter(store, max_queued_reports=1000)) as opened:
        yield opened


def test_lock_held_by_another_process_too_long_is_an_error_and_then_over(
    path: Path, store: Store, writer: WatchedWriter
) -> None:
    stored = publish_here(store)
    reports = make_reports(5)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreUnavailableError, match="locked"):
            writer.write(make_batch(stored, reports))
        other.execute("ROLLBACK")
    assert writer.write(make_batch(stored, reports)) == Outcome(5, 0)


def test_collector_that_cannot_empty_the_log_at_its_end_says_so(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A reader holds the state of before: the log stays, with the order of commits in it."""
    caplog.set_level("ERROR", logger="sotto_collector")
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        with open_house(path, busy_timeout_ms=50) as house:
            other.execute("BEGIN")
            other.execute("SELECT count(*) FROM reports").fetchall()
            assert house.send(SURVEY, make_reports(5)).status_code == 200
        assert [record.getMessage() for record in caplog.records] == [
            "another program uses the database, so traces of the order of commits cannot be removed"
        ]
        assert Store(path, busy_timeout_ms=50).close() is False
    assert Store(path).close() is True


def test_full_disk_is_an_error_for_every_waiting_batch_and_then_over(store: Store, writer: WatchedWriter) -> None:
    """The page limit stands for the disk's: SQLite reports both as SQLITE_FULL."""
    stored = publish_here(store)
    writer.write(make_batch(stored, make_reports(10)))
    reports = make_reports(900)
    with store.transaction() as transaction:
        n_pages = transaction.connection.exec_driver_sql("PRAGMA page_count").scalar_one()
        transaction.connection.exec_driver_sql(f"PRAGMA max_page_count = {n_pages}")
    with pytest.raises(StoreUnavailableError, match="full"):
        writer.write(make_batch(stored, reports))
    assert store.read_tally(stored).n_reports == len(store.read_reports(stored)) == 10
    assert writer.write(make_batch(stored, reports)) == Outcome(900, 0)


def wait_for_empty_log(path: Path) -> None:
    """Return once the write-ahead log is empty; polled, for SQLite announces nothing."""
    deadline = time.monotonic() + TIMEOUT_S
    while Path(f"{path}-wal").stat().st_size > 0:
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_idle_writer_empties_the_log_which_is_in_the_order_of_commits(
    path: Path, store: Store, writer: WatchedWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    folds: list[bool] = []
    clean = store.clean

    def watched(**how: bool) -> bool:
        folds.append(clean(**how))
        return folds[-1]

    monkeypatch.setattr(store, "clean", watched)
    stored = publish_here(store)
    writer.write(make_batch(stored, make_reports(5)))
    assert Path(f"{path}-wal").stat().st_size > 0 or folds  # the check can fail
    wait_for_empty_log(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM reports").fetchall()
        writer.write(make_batch(stored, make_reports(5)))
        deadline = time.monotonic() + TIMEOUT_S
        while False not in folds:
            assert time.monotonic() < deadline
            time.sleep(0.01)
    wait_for_empty_log(path)


def test_log_that_a_killed_collector_left_is_emptied(path: Path, store: Store) -> None:
    publish_here(store)
    assert Path(f"{path}-wal").stat().st_size > 0
    with closing(Writer(store, max_queued_reports=1000)):
        wait_for_empty_log(path)


def test_log_that_cannot_be_emptied_is_logged_once_and_tried_again(
    path: Path,
    store: Store,
    writer: WatchedWriter,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    tried = threading.Semaphore(0)

    def fail(**_: bool) -> bool:
        tried.release()
        raise StoreUnavailableError("the disk is on fire.")

    monkeypatch.setattr("sotto_collector.intake.tidying.GATHER_S", 0.01)
    monkeypatch.setattr("sotto_collector.intake.tidying.TURN_S", 0.01)
    with monkeypatch.context() as patched:
        patched.setattr(store, "clean", fail)
        stored = publish_here(store)
        for _ in range(3):  # reports that are counted between two tries are no end of the fault
            assert writer.write(make_batch(stored, make_reports(5))) == Outcome(5, 0)
            assert tried.acquire(timeout=TIMEOUT_S)
        messages = [record.getMessage() for record in caplog.records]
    assert messages == ["the store cannot be tidied now, and still shows the order of commits: the disk is on fire."]
    wait_for_empty_log(path)
