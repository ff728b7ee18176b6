"""The writer: groups of batches, each report counted once, an answer only after the commit."""

import random
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st
from sqlalchemy import func, select

from collecting import SMALL, STRINGS, SURVEY, TIMEOUT_S, make_batch, make_reports, publish_here, tally_of
from sotto_collector.errors import BusyError, StoreUnavailableError, SurveyClosedError
from sotto_collector.intake.counting import Outcome
from sotto_collector.store import Store
from sotto_collector.store.recount import check_integrity
from sotto_collector.store.schema import inbox
from sotto_protocol import Report, Survey, Tally
from watched_writer import WatchedWriter, held, queue_behind_lock, wait_until

pytestmark = pytest.mark.later("postgres", "thorough")  # test_counting.py and test_store.py have both

REPORTS = make_reports(31, SMALL)


@pytest.fixture
def writer(store: Store) -> Iterator[WatchedWriter]:
    with closing(WatchedWriter(store, max_queued_reports=1000)) as opened:
        yield opened
    check_integrity(store)


def count_inbox(store: Store) -> int:
    with store.reader() as connection:
        return connection.execute(select(func.count()).select_from(inbox)).scalar_one()


def test_new_reports_are_counted(store: Store, writer: WatchedWriter) -> None:
    stored = publish_here(store)
    reports = make_reports(100)
    batch = make_batch(stored, reports)
    assert writer.write(batch) == Outcome(100, 0)
    assert dict(store.read_reports(stored)) == {report.id: report.record for report in reports}
    assert store.read_tally(stored) == Tally.of(SURVEY, batch.records)


def test_resent_reports_are_duplicates_and_the_others_of_their_batch_count(store: Store, writer: WatchedWriter) -> None:
    stored = publish_here(store)
    reports = make_reports(30)
    assert writer.write(make_batch(stored, reports[:20])) == Outcome(20, 0)
    assert writer.write(make_batch(stored, reports[10:])) == Outcome(10, 10)
    assert writer.write(make_batch(stored, reports)) == Outcome(0, 30)
    assert store.read_tally(stored).n_reports == 30


def test_of_one_id_the_first_record_stays(store: Store, writer: WatchedWriter) -> None:
    stored = publish_here(store)
    first, second, third = (Report(b"i" * 16, report.record) for report in make_reports(3))
    assert len({first.record, second.record, third.record}) == 3
    assert writer.write(make_batch(stored, [first, second])) == Outcome(1, 1, 1)
    assert writer.write(make_batch(stored, [third])) == Outcome(0, 1, 1)
    assert writer.write(make_batch(stored, [first, third, *make_reports(3)])) == Outcome(3, 2, 1)
    assert dict(store.read_reports(stored))[first.id] == first.record
    assert store.read_tally(stored).n_reports == 4


def test_batches_that_are_committed_together_are_each_told_their_own_conflicts(
    store: Store, writer: WatchedWriter
) -> None:
    stored = publish_here(store)
    report, other = make_reports(2)
    changed = Report(report.id, other.record)
    with ThreadPoolExecutor(5) as pool:
        with held(store, stored):
            queue_behind_lock(writer, pool, stored, 1)
            batches = [make_batch(stored, [report]), make_batch(stored, [*make_reports(2), changed]), None]
            batches[2] = make_batch(stored, [changed, *make_reports(1), report])
            replies = []
            for n_waiting, batch in enumerate(batches, 2):  # one after the other, so that one is the first
                replies.append(pool.submit(writer.write, batch))
                wait_until(writer, lambda n_waiting=n_waiting: len(writer._queue) == n_waiting)
        outcomes = [reply.result(TIMEOUT_S) for reply in replies]
    assert outcomes == [Outcome(1, 0, 0), Outcome(2, 1, 1), Outcome(1, 2, 1)]


def test_ids_that_end_in_zero_bytes_stay_different(store: Store, writer: WatchedWriter) -> None:
    stored = publish_here(store)
    ids = [bytes(16), b"a" + bytes(15), b"a" + bytes(14) + b"b", b"\xff" * 16]
    reports = [Report(key, report.record) for key, report in zip(ids, make_reports(4), strict=True)]
    assert writer.write(make_batch(stored, reports)) == Outcome(4, 0)
    assert [key for key, _ in store.read_reports(stored)] == ids


def test_same_id_in_two_surveys_is_two_reports(store: Store, writer: WatchedWriter) -> None:
    for survey in (SURVEY, SMALL):
        (report,) = make_reports(1, survey)
        assert writer.write(make_batch(publish_here(store, survey), [Report(b"i" * 16, report.record)])) == Outcome(
            1, 0
        )


def test_batches_that_wait_are_committed_together_and_each_is_told_its_own(store: Store, writer: WatchedWriter) -> None:
    stored, small = publish_here(store), publish_here(store, SMALL)
    reports = make_reports(40)
    batches = [make_batch(stored, reports[:30]), make_batch(stored, reports[20:]), make_batch(small, REPORTS)]
    with ThreadPoolExecutor(5) as pool:
        with held(store, stored):
            queue_behind_lock(writer, pool, stored, 1)
            replies = [pool.submit(writer.write, batch) for batch in batches]
            wait_until(writer, lambda: len(writer._queue) == 4)
        outcomes = [reply.result(TIMEOUT_S) for reply in replies]
    assert writer.groups == [1, 4]
    assert sum(outcome.n_counted for outcome in outcomes[:2]) == 40
    assert sum(outcome.n_duplicates for outcome in outcomes[:2]) == 10
    assert outcomes[2] == Outcome(31, 0)


def test_nothing_is_acknowledged_while_the_commit_is_pending(store: Store, writer: WatchedWriter) -> None:
    stored = publish_here(store)
    with ThreadPoolExecutor(2) as pool:
        with held(store, stored):
            replies = queue_behind_lock(writer, pool, stored, 4)
            assert not any(reply.done() for reply in replies)
        assert [reply.result(TIMEOUT_S) for reply in replies] == [Outcome(1, 0), Outcome(4, 0)]


def test_closed_survey_takes_nothing_more_and_still_acknowledges_a_repeat(store: Store, writer: WatchedWriter) -> None:
    stored, small = publish_here(store), publish_here(store, SMALL)
    reports = make_reports(3)
    writer.write(make_batch(stored, reports))
    store.close_survey(stored.key)
    assert writer.write(make_batch(stored, reports[:2])) == Outcome(0, 2)
    for refused in (make_reports(3), [*reports, *make_reports(1)]):
        with pytest.raises(SurveyClosedError):
            writer.write(make_batch(stored, refused))
    assert store.read_tally(stored).n_reports == 3
    assert writer.write(make_batch(small, make_reports(2, SMALL))) == Outcome(2, 0)


def test_request_waits_so_long_and_no_longer_and_what_was_still_queued_is_not_stored(store: Store) -> None:
    stored, reports = publish_here(store), make_reports(9)
    with (
        closing(WatchedWriter(store, max_queued_reports=1000, commit_timeout_s=0.3)) as writer,
        ThreadPoolExecutor(3) as pool,
    ):
        with held(store, stored):
            begun = pool.submit(writer.write, make_batch(stored, make_reports(1)))
            wait_until(writer, lambda: bool(writer.groups))
            queued = pool.submit(writer.write, make_batch(stored, make_reports(4)))
            for reply in (begun, queued):
                with pytest.raises(StoreUnavailableError, match="does not respond"):
                    reply.result(TIMEOUT_S)
            assert (writer._queue, writer._n_queued) == ([], 0)
        writer._commit_timeout_s = TIMEOUT_S  # nothing holds it up now, and a busy machine takes its time
        assert writer.write(make_batch(stored, reports)) == Outcome(9, 0)
    assert store.read_tally(stored).n_reports == 10  # the one that was begun, and may be sent again
    check_integrity(store)


def test_batch_over_the_queues_bound_is_refused_until_there_is_room(store: Store, writer: WatchedWriter) -> None:
    stored = publish_here(store)
    with ThreadPoolExecutor(2) as pool:
        with held(store, stored):
            replies = queue_behind_lock(writer, pool, stored, 900)
            with pytest.raises(BusyError, match="at most 1000"):
                writer.write(make_batch(stored, make_reports(200)))
        assert [reply.result(TIMEOUT_S).n_duplicates for reply in replies] == [0, 0]
    assert writer.write(make_batch(stored, make_reports(200))) == Outcome(200, 0)


def test_one_batch_larger_than_the_bound_is_taken_when_nothing_waits(store: Store, writer: WatchedWriter) -> None:
    assert writer.write(make_batch(publish_here(store), make_reports(1500))) == Outcome(1500, 0)


def test_bug_while_counting_fails_its_group_and_not_the_thread(
    store: Store, writer: WatchedWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch = make_batch(publish_here(store), make_reports(5))
    with monkeypatch.context() as patched:
        patched.setattr("sotto_collector.intake.writer.count_batches", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            writer.write(batch)
    assert writer.write(batch) == Outcome(5, 0)


def test_closing_commits_what_is_queued_and_refuses_the_rest(store: Store) -> None:
    stored = publish_here(store)
    writer = WatchedWriter(store, max_queued_reports=1000)
    with ThreadPoolExecutor(3) as pool:
        with held(store, stored):
            replies = queue_behind_lock(writer, pool, stored, 300)
            closing_thread = threading.Thread(target=writer.close)
            closing_thread.start()
        closing_thread.join(TIMEOUT_S)
        assert sum(reply.result(TIMEOUT_S).n_counted for reply in replies) == 301
    with pytest.raises(StoreUnavailableError, match="stopping"):
        writer.write(make_batch(stored, make_reports(1)))


@pytest.fixture
def _shuffled_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let reports be moved out of the inbox all the time, a few at once: from before the writer begins."""
    monkeypatch.setattr("sotto_collector.store.inbox.LEAST_REPORTS", 50)
    monkeypatch.setattr("sotto_collector.store.inbox.SLICE_REPORTS", 20)


@pytest.mark.usefixtures("_shuffled_often")
def test_retry_storm_counts_every_report_once(store: Store, writer: WatchedWriter) -> None:
    """200 batches of 10 from 8 threads, shuffled, each sent three times, a third cut anew so that they overlap."""
    stored = publish_here(store)
    reports = make_reports(2000)
    whole = [reports[start : start + 10] for start in range(0, 2000, 10)]
    overlapping = [reports[start : start + 10] for start in range(5, 1990, 10)]
    sendings = whole + whole + overlapping
    random.Random(1).shuffle(sendings)  # noqa: S311  # an order, no secret
    with ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(writer.write, (make_batch(stored, sending) for sending in sendings)))
    assert sum(outcome.n_counted for outcome in outcomes) == 2000
    assert sum(outcome.n_duplicates for outcome in outcomes) == sum(map(len, sendings)) - 2000
    assert dict(store.read_reports(stored)) == {report.id: report.record for report in reports}
    assert store.read_tally(stored) == Tally.of(SURVEY, make_batch(stored, reports).records)


@pytest.mark.usefixtures("_shuffled_often")
@pytest.mark.parametrize("survey", [SMALL, STRINGS], ids=["one wave", "three waves"])
def test_reports_leave_the_inbox_when_they_are_many_and_all_when_it_is_tidied(
    store: Store, writer: WatchedWriter, survey: Survey
) -> None:
    stored, reports = publish_here(store, survey), make_reports(600, survey)
    for start in range(0, 600, 15):
        writer.write(make_batch(stored, reports[start : start + 15]))
    assert 0 < count_inbox(store) < 300  # it is emptied by and by, and never all at once
    writer.close()
    writer.tidy()
    assert count_inbox(store) == 0
    assert dict(store.read_reports(stored)) == {report.id: report.record for report in reports}
    assert store.read_tally(stored) == tally_of(survey, reports) == store.recount(stored)


def test_idle_writer_tidies_a_small_store(store: Store, writer: WatchedWriter, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sotto_collector.intake.tidying.GATHER_S", 0.01)
    monkeypatch.setattr("sotto_collector.intake.tidying.TURN_S", 0.01)
    stored, reports = publish_here(store), make_reports(30)
    writer.write(make_batch(stored, reports))
    deadline = time.monotonic() + TIMEOUT_S
    while count_inbox(store):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert writer.write(make_batch(stored, reports)) == Outcome(0, 30)


def test_waves_that_are_sent_at_once_are_counted_each_by_itself(store: Store, writer: WatchedWriter) -> None:
    """60 batches of all three waves mixed, from 8 threads, each sent twice."""
    stored = publish_here(store, STRINGS)
    by_wave = {wave: make_reports(400, STRINGS, wave) for wave in (1, 2, 3)}
    reports = [report for sent in by_wave.values() for report in sent]
    chance = random.Random(3)  # noqa: S311  # an order, no secret
    chance.shuffle(reports)
    sendings = [reports[start : start + 20] for start in range(0, 1200, 20)] * 2
    chance.shuffle(sendings)
    with ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(writer.write, (make_batch(stored, sending) for sending in sendings)))
    assert sum(outcome.n_counted for outcome in outcomes) == sum(outcome.n_duplicates for outcome in outcomes) == 1200
    for wave, sent in by_wave.items():
        assert store.read_tally(stored, wave) == tally_of(STRINGS, sent) == store.recount(stored, wave)
    assert store.read_tally(stored) == tally_of(STRINGS, reports) == store.recount(stored)


def test_report_that_is_sent_again_for_another_wave_is_a_duplicate(store: Store, writer: WatchedWriter) -> None:
    stored = publish_here(store, STRINGS)
    (first,), (second,) = (make_reports(1, STRINGS, wave) for wave in (1, 2))
    assert writer.write(make_batch(stored, [first, Report(first.id, second.record)])) == Outcome(1, 1, 1)
    assert writer.write(make_batch(stored, [Report(first.id, second.record)])) == Outcome(0, 1, 1)
    assert store.read_tally(stored).waves == (1,)


def test_any_batches_count_the_different_reports_in_them(tmp_path: Path) -> None:
    numbers = count()
    with (
        closing(Store(tmp_path / "survey.db")) as store,
        closing(WatchedWriter(store, max_queued_reports=99)) as writer,
    ):

        @settings(max_examples=40)
        @given(st.lists(st.lists(st.integers(0, 30), min_size=1, max_size=20), min_size=1, max_size=6))
        def check(batches: list[list[int]]) -> None:
            survey = replace(SMALL, id=f"small-{next(numbers)}")
            stored = publish_here(store, survey)
            outcomes = [writer.write(make_batch(stored, [REPORTS[index] for index in batch])) for batch in batches]
            different = {index for batch in batches for index in batch}
            assert sum(outcome.n_counted for outcome in outcomes) == len(different)
            assert sum(outcome.n_duplicates for outcome in outcomes) == sum(map(len, batches)) - len(different)
            expected = tally_of(survey, [REPORTS[index] for index in different])
            assert store.read_tally(stored) == expected == store.recount(stored)

        check()
