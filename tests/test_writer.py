"""The writer: groups of batches, each report counted once, an answer only after the commit."""

import random
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from collecting import SMALL, SURVEY, TIMEOUT_S, check_store, make_batch, make_reports, publish_here
from sotto_collector.errors import BusyError, StoreUnavailableError, SurveyClosedError
from sotto_collector.store import Store, StoredSurvey
from sotto_collector.writer import Outcome, Writer, _Waiting
from sotto_protocol import Report, Tally

REPORTS = make_reports(31, SMALL)


class WatchedWriter(Writer):
    """A writer whose groups can be waited for: `groups` are their sizes, in batches."""

    def __init__(self, store: Store, *, max_queued_reports: int) -> None:
        self.groups: list[int] = []
        super().__init__(store, max_queued_reports=max_queued_reports)

    def _commit(self, group: list[_Waiting]) -> list[Outcome | Exception]:
        with self._changed:
            self.groups.append(len(group))
            self._changed.notify_all()
        return super()._commit(group)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with closing(Store(tmp_path / "survey.db", busy_timeout_ms=50)) as opened:
        yield opened
    check_store(tmp_path / "survey.db")


@pytest.fixture
def writer(store: Store) -> Iterator[WatchedWriter]:
    with closing(WatchedWriter(store, max_queued_reports=1000)) as opened:
        yield opened


def wait_until(writer: WatchedWriter, happened: Callable[[], bool]) -> None:
    """Return once the writer's queue looks like that; every change to it is announced."""
    with writer._changed:
        assert writer._changed.wait_for(happened, timeout=TIMEOUT_S)


def queue_behind_lock(
    writer: WatchedWriter, pool: ThreadPoolExecutor, stored: StoredSurvey, n_reports: int
) -> list["Future[Outcome]"]:
    """Let the writer wait for the locked store with one report, and n_reports queue behind it."""
    n_before = len(writer.groups)
    first = pool.submit(writer.count, make_batch(stored, make_reports(1)))
    wait_until(writer, lambda: len(writer.groups) > n_before)
    second = pool.submit(writer.count, make_batch(stored, make_reports(n_reports)))
    wait_until(writer, lambda: writer._n_queued >= n_reports)
    return [first, second]


def test_new_reports_are_counted(store: Store, writer: WatchedWriter) -> None:
    stored = publish_here(store)
    reports = make_reports(100)
    batch = make_batch(stored, reports)
    assert writer.count(batch) == Outcome(100, 0)
    assert dict(store.read_reports(stored)) == {report.id: report.record for report in reports}
    assert store.read_tally(stored) == Tally.of(SURVEY, batch.records)


def test_resent_reports_are_duplicates_and_the_others_of_their_batch_count(store: Store, writer: WatchedWriter) -> None:
    stored = publish_here(store)
    reports = make_reports(30)
    assert writer.count(make_batch(stored, reports[:20])) == Outcome(20, 0)
    assert writer.count(make_batch(stored, reports[10:])) == Outcome(10, 10)
    assert writer.count(make_batch(stored, reports)) == Outcome(0, 30)
    assert store.read_tally(stored).n_reports == 30


def test_of_one_id_the_first_record_stays(store: Store, writer: WatchedWriter) -> None:
    stored = publish_here(store)
    first, second, third = (Report(b"i" * 16, report.record) for report in make_reports(3))
    assert writer.count(make_batch(stored, [first, second])) == Outcome(1, 1)
    assert writer.count(make_batch(stored, [third])) == Outcome(0, 1)
    assert store.read_reports(stored) == [(first.id, first.record)]


def test_ids_that_end_in_zero_bytes_stay_different(store: Store, writer: WatchedWriter) -> None:
    stored = publish_here(store)
    ids = [bytes(16), b"a" + bytes(15), b"a" + bytes(14) + b"b", b"\xff" * 16]
    reports = [Report(key, report.record) for key, report in zip(ids, make_reports(4), strict=True)]
    assert writer.count(make_batch(stored, reports)) == Outcome(4, 0)
    assert [key for key, _ in store.read_reports(stored)] == ids


def test_same_id_in_two_surveys_is_two_reports(store: Store, writer: WatchedWriter) -> None:
    for survey in (SURVEY, SMALL):
        (report,) = make_reports(1, survey)
        assert writer.count(make_batch(publish_here(store, survey), [Report(b"i" * 16, report.record)])) == Outcome(
            1, 0
        )


def test_batches_that_wait_are_committed_together_and_each_is_told_its_own(store: Store, writer: WatchedWriter) -> None:
    stored, small = publish_here(store), publish_here(store, SMALL)
    reports = make_reports(40)
    batches = [make_batch(stored, reports[:30]), make_batch(stored, reports[20:]), make_batch(small, REPORTS)]
    with ThreadPoolExecutor(5) as pool:
        with store.transaction():
            queue_behind_lock(writer, pool, stored, 1)
            replies = [pool.submit(writer.count, batch) for batch in batches]
            wait_until(writer, lambda: len(writer._queue) == 4)
        outcomes = [reply.result(TIMEOUT_S) for reply in replies]
    assert writer.groups == [1, 4]
    assert sum(outcome.n_counted for outcome in outcomes[:2]) == 40
    assert sum(outcome.n_duplicates for outcome in outcomes[:2]) == 10
    assert outcomes[2] == Outcome(31, 0)


def test_nothing_is_answered_while_the_commit_is_pending(store: Store, writer: WatchedWriter) -> None:
    stored = publish_here(store)
    with ThreadPoolExecutor(2) as pool:
        with store.transaction():
            replies = queue_behind_lock(writer, pool, stored, 4)
            assert not any(reply.done() for reply in replies)
        assert [reply.result(TIMEOUT_S) for reply in replies] == [Outcome(1, 0), Outcome(4, 0)]


def test_closed_survey_takes_nothing_more_and_still_acknowledges_a_repeat(store: Store, writer: WatchedWriter) -> None:
    stored, small = publish_here(store), publish_here(store, SMALL)
    reports = make_reports(3)
    writer.count(make_batch(stored, reports))
    store.close_survey(stored.key)
    assert writer.count(make_batch(stored, reports[:2])) == Outcome(0, 2)
    for refused in (make_reports(3), [*reports, *make_reports(1)]):
        with pytest.raises(SurveyClosedError):
            writer.count(make_batch(stored, refused))
    assert store.read_tally(stored).n_reports == 3
    assert writer.count(make_batch(small, make_reports(2, SMALL))) == Outcome(2, 0)


def test_batch_over_the_queues_bound_is_refused_until_there_is_room(store: Store, writer: WatchedWriter) -> None:
    stored = publish_here(store)
    with ThreadPoolExecutor(2) as pool:
        with store.transaction():
            replies = queue_behind_lock(writer, pool, stored, 900)
            with pytest.raises(BusyError, match="at most 1000"):
                writer.count(make_batch(stored, make_reports(200)))
        assert [reply.result(TIMEOUT_S).n_duplicates for reply in replies] == [0, 0]
    assert writer.count(make_batch(stored, make_reports(200))) == Outcome(200, 0)


def test_one_batch_larger_than_the_bound_is_taken_when_nothing_waits(store: Store, writer: WatchedWriter) -> None:
    assert writer.count(make_batch(publish_here(store), make_reports(1500))) == Outcome(1500, 0)


def test_lock_held_by_another_process_too_long_is_an_error_and_then_over(store: Store, writer: WatchedWriter) -> None:
    stored = publish_here(store)
    reports = make_reports(5)
    with closing(sqlite3.connect(store.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreUnavailableError, match="locked"):
            writer.count(make_batch(stored, reports))
        other.execute("ROLLBACK")
    assert writer.count(make_batch(stored, reports)) == Outcome(5, 0)


def test_full_disk_is_an_error_for_every_waiting_batch_and_then_over(store: Store, writer: WatchedWriter) -> None:
    """The page limit stands for the disk's: SQLite reports both as SQLITE_FULL."""
    stored = publish_here(store)
    writer.count(make_batch(stored, make_reports(10)))
    reports = make_reports(900)
    with store.transaction() as transaction:
        n_pages = transaction._connection.execute("PRAGMA page_count").fetchone()[0]
        transaction._connection.execute(f"PRAGMA max_page_count = {n_pages}")
    with pytest.raises(StoreUnavailableError, match="full"):
        writer.count(make_batch(stored, reports))
    assert store.read_tally(stored).n_reports == len(store.read_reports(stored)) == 10
    assert writer.count(make_batch(stored, reports)) == Outcome(900, 0)


def test_bug_while_counting_fails_its_group_and_not_the_thread(
    store: Store, writer: WatchedWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch = make_batch(publish_here(store), make_reports(5))
    with monkeypatch.context() as patched:
        patched.setattr("sotto_collector.writer.count_batches", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            writer.count(batch)
    assert writer.count(batch) == Outcome(5, 0)


def wait_for_empty_log(store: Store) -> None:
    """Return once the write-ahead log is empty; polled, for SQLite announces nothing."""
    deadline = time.monotonic() + TIMEOUT_S
    while Path(f"{store.path}-wal").stat().st_size > 0:
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_idle_writer_empties_the_log_which_is_in_the_order_of_commits(
    store: Store, writer: WatchedWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    folds: list[bool] = []
    fold_log = store.fold_log

    def watched() -> bool:
        folds.append(fold_log())
        return folds[-1]

    monkeypatch.setattr(store, "fold_log", watched)
    stored = publish_here(store)
    writer.count(make_batch(stored, make_reports(5)))
    assert Path(f"{store.path}-wal").stat().st_size > 0 or folds  # the check can fail
    wait_for_empty_log(store)
    with closing(sqlite3.connect(store.path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM reports").fetchall()
        writer.count(make_batch(stored, make_reports(5)))
        deadline = time.monotonic() + TIMEOUT_S
        while False not in folds:
            assert time.monotonic() < deadline
            time.sleep(0.01)
    wait_for_empty_log(store)


def test_log_that_a_killed_collector_left_is_emptied(store: Store) -> None:
    publish_here(store)
    assert Path(f"{store.path}-wal").stat().st_size > 0
    with closing(Writer(store, max_queued_reports=1000)):
        wait_for_empty_log(store)


def test_log_that_cannot_be_emptied_is_logged_once_and_tried_again(
    store: Store, writer: WatchedWriter, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    tried = threading.Semaphore(0)

    def fail() -> bool:
        tried.release()
        raise StoreUnavailableError("the disk is on fire.")

    monkeypatch.setattr("sotto_collector.writer.IDLE_S", 0.01)
    with monkeypatch.context() as patched:
        patched.setattr(store, "fold_log", fail)
        assert writer.count(make_batch(publish_here(store), make_reports(5))) == Outcome(5, 0)
        for _ in range(3):
            assert tried.acquire(timeout=TIMEOUT_S)
        messages = [record.getMessage() for record in caplog.records]
    assert messages == ["the write-ahead log is not emptied now, and holds the order of commits: the disk is on fire."]
    wait_for_empty_log(store)


def test_closing_commits_what_is_queued_and_refuses_the_rest(store: Store) -> None:
    stored = publish_here(store)
    writer = WatchedWriter(store, max_queued_reports=1000)
    with ThreadPoolExecutor(3) as pool:
        with store.transaction():
            replies = queue_behind_lock(writer, pool, stored, 300)
            closing_thread = threading.Thread(target=writer.close)
            closing_thread.start()
        closing_thread.join(TIMEOUT_S)
        assert sum(reply.result(TIMEOUT_S).n_counted for reply in replies) == 301
    with pytest.raises(StoreUnavailableError, match="stopping"):
        writer.count(make_batch(stored, make_reports(1)))


def test_retry_storm_counts_every_report_once(store: Store, writer: WatchedWriter) -> None:
    """200 batches of 10 from 8 threads, shuffled, each sent three times, a third cut anew so that they overlap."""
    stored = publish_here(store)
    reports = make_reports(2000)
    whole = [reports[start : start + 10] for start in range(0, 2000, 10)]
    overlapping = [reports[start : start + 10] for start in range(5, 1990, 10)]
    sendings = whole + whole + overlapping
    random.Random(1).shuffle(sendings)  # noqa: S311  # an order, no secret
    with ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(writer.count, (make_batch(stored, sending) for sending in sendings)))
    assert sum(outcome.n_counted for outcome in outcomes) == 2000
    assert sum(outcome.n_duplicates for outcome in outcomes) == sum(map(len, sendings)) - 2000
    assert dict(store.read_reports(stored)) == {report.id: report.record for report in reports}
    assert store.read_tally(stored) == Tally.of(SURVEY, make_batch(stored, reports).records)


@settings(max_examples=40)
@given(st.lists(st.lists(st.integers(0, 30), min_size=1, max_size=20), min_size=1, max_size=6))
def test_any_batches_count_the_different_reports_in_them(batches: list[list[int]]) -> None:
    with (
        TemporaryDirectory() as folder,
        closing(Store(Path(folder) / "survey.db")) as store,
        closing(WatchedWriter(store, max_queued_reports=99)) as writer,
    ):
        stored = publish_here(store, SMALL)
        outcomes = [writer.count(make_batch(stored, [REPORTS[index] for index in batch])) for batch in batches]
        different = {index for batch in batches for index in batch}
        assert sum(outcome.n_counted for outcome in outcomes) == len(different)
        expected = make_batch(stored, [REPORTS[index] for index in different]).records
        assert store.read_tally(stored) == Tally.of(SMALL, expected) == store.recount(stored)
