"""Retention: on the day that a survey promises the collector erases its reports by itself, once; their counts stay."""

import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from collecting import (
    SMALL,
    Calendar,
    count_here,
    execute,
    make_batch,
    make_reports,
    publish_here,
    serve,
    tally_of,
    wait_until,
)
from postgres_server import postgres_server
from raw_files import PostgresFiles, RawFiles, SqliteFiles
from sotto_collector.errors import NotKeptError, StoreUnavailableError, SurveyClosedError
from sotto_collector.intake.counting import Outcome
from sotto_collector.intake.retention import Retention
from sotto_collector.intake.writer import Writer
from sotto_collector.store import Store, StoredSurvey, retention as steps
from sotto_collector.store.copy import copy_store
from sotto_collector.store.inbox import Inbox
from sotto_collector.store.recount import check_integrity, recount_survey
from sotto_collector.store.retention import erase_due, find_due, find_erasure
from sotto_collector.store.stock import count_stock
from sotto_protocol import Report, Survey, compile_toml

pytestmark = pytest.mark.later("postgres", "thorough")  # an erasure is a transaction as others

LAST, BEFORE, DAY = "2019-12-31", "2020-01-29", "2020-01-30"
OPTIONS = ", ".join(f'"{number}"' for number in range(128))
KEPT = compile_toml(f"""
id = "kept"
title = "Kept for thirty days"
closes = "{LAST}"
erase_after = 30
[[questions]]
id = "town"
type = "one-of"
text = "Where?"
options = [{OPTIONS}]
mechanism = "sue"
epsilon = 1.0
""")
"""Its reports have 16 bytes that are nowhere else by chance."""


@pytest.fixture
def calendar(store: Store) -> Calendar:
    store.today = calendar = Calendar(LAST)
    return calendar


def fill(store: Store, n_reports: int = 40, survey: Survey = KEPT) -> tuple[StoredSurvey, list[Report]]:
    """Publish a survey, count reports, the first half of them moved out of the inbox, and erase one by its receipt."""
    stored, sent = publish_here(store, survey), make_reports(n_reports, survey)
    for half in (sent[: n_reports // 2], sent[n_reports // 2 :]):
        Inbox(store).finish()
        assert count_here(store, stored, half) == [Outcome(len(half), 0, 0)]
    assert store.erase_report(stored, sent[0].id)
    return stored, sent


def erase_here(store: Store) -> dict[str, int]:
    told: dict[str, int] = {}
    erase_due(store, told.__setitem__)
    return told


def packed_in(store: Store, stored: StoredSurvey) -> list[bytes]:
    return [packed for _, packed in store.read_reports(stored) if packed]


def test_reports_go_on_their_day_and_ids_and_counts_stay(store: Store, calendar: Calendar) -> None:
    stored, sent = fill(store)
    counted = tally_of(KEPT, sent[1:])
    calendar.day = BEFORE
    assert (KEPT.erase_on, find_due(store), erase_here(store)) == (DAY, [], {})
    assert len(packed_in(store, stored)) == 39
    calendar.day = DAY
    assert erase_here(store) == {"kept": 39}
    assert packed_in(store, stored) == []
    assert {key for key, _ in store.read_reports(stored)} == {report.id for report in sent}
    assert store.read_tally(stored) == counted
    assert erase_here(store) == {}
    with store.reader() as connection:
        assert find_erasure(connection, stored.key) == (DAY, 39)
        assert count_stock(connection, stored.key) == (0, 40, 39, 0)


def test_repeat_is_acknowledged_and_a_new_report_refused_afterwards_whatever_the_clock(
    store: Store, calendar: Calendar
) -> None:
    stored, sent = fill(store)
    calendar.day = DAY
    erase_here(store)
    assert count_here(store, stored, sent) == [Outcome(0, 40, 0)]
    calendar.day = LAST  # of a collector whose clock is behind
    (refused,) = count_here(store, stored, make_reports(1, KEPT))
    assert isinstance(refused, SurveyClosedError)
    assert store.read_tally(stored).n_reports == 39


def test_nothing_is_read_from_its_day_on_though_nobody_has_erased_it_yet(store: Store, calendar: Calendar) -> None:
    fill(store)
    calendar.day = DAY
    stored = store.find_survey("kept")
    assert stored is not None
    assert stored.is_erased
    assert stored.survey.keeps_reports
    for ask in (
        lambda: store.open_records(stored),
        lambda: store.recount(stored),
        lambda: store.erase_report(stored, b"x" * 16),
    ):
        with pytest.raises(
            NotKeptError, match=r"^the reports of survey kept were erased, as the survey promised for 2020"
        ):
            ask()


def test_recount_compares_with_how_many_went_at_every_moment(store: Store, calendar: Calendar) -> None:
    """Before, between two slices, after; and it finds a tally that is wrong, and never writes it anew from nothing."""
    stored, _ = fill(store)
    assert recount_survey(store, stored) == []
    calendar.day = DAY
    half = stored.key, b"", b"\x80" + bytes(15)
    store.run(lambda transaction: steps.erase_slice(transaction, *half))
    assert 0 < len(packed_in(store, stored)) < 39
    check_integrity(store)
    assert recount_survey(store, stored, fix=True) == []  # as it was read before: no count is lost by that
    assert erase_here(store) == {"kept": 39}
    check_integrity(store)
    execute(store, "UPDATE tallies SET n_reports = n_reports + 1")
    (found,) = recount_survey(store, stored, fix=True)
    assert (found.cell, found.n_tallied, found.n_stored, found.can_be_fixed) == (None, 40, 39, False)
    assert store.read_tally(stored).n_reports == 40


def test_collectors_erase_once_together_and_one_line_says_so(
    db: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both find it, and take turns, slice by slice; reports of another survey come meanwhile."""
    monkeypatch.setattr("sotto_collector.store.inbox.SLICE_REPORTS", 4)
    calendar = Calendar(LAST)
    with closing(Store(db, today=calendar)) as store, closing(Store(db, today=calendar)) as other:
        stored, sent = fill(store)
        small = publish_here(store, SMALL)
        calendar.day = DAY
        both = [Retention(store), Retention(other)]
        n_steps = [0, 0]
        while find_due(store) or any(each.wait_s() == 0 for each in both):
            for place, each in enumerate(both):
                n_steps[place] += each.wait_s() == 0
                each.step()
            count_here(store, small, make_reports(1, SMALL))
        assert all(n > 10 for n in n_steps)
        assert store.read_tally(stored) == tally_of(KEPT, sent[1:])
        assert len(packed_in(store, small)) == store.read_tally(small).n_reports > 0
        check_integrity(store)
    said = [record.getMessage() for record in caplog.records if "reports were erased" in record.getMessage()]
    assert said == ["survey kept: 39 reports were erased on the day that the survey promised; their counts stay"]


@pytest.mark.thorough
def test_writer_erases_by_itself_while_it_serves(db: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody restarts it, and no report comes: it looks now and then, here more often; SQLite's log has no trace."""
    monkeypatch.setattr("sotto_collector.intake.retention.LOOK_S", 0.02)
    calendar = Calendar(LAST)
    with closing(Store(db, today=calendar)) as store:
        stored, sent = fill(store)
        files, records = SqliteFiles(db), [report.record for report in sent[1:]]
        writer = Writer(store, max_queued_reports=1000)
        try:
            wait_until(lambda: writer._tidying.is_done)
            assert len(packed_in(store, stored)) == 39
            calendar.day = DAY
            wait_until(lambda: not packed_in(store, stored) and not find_due(store))
            wait_until(lambda: not any(files.count(records)))  # of a PostgreSQL: below, in its own files
            assert isinstance(_refusal(writer, stored), SurveyClosedError)
        finally:
            writer.close()


def _refusal(writer: Writer, stored: StoredSurvey) -> Exception | None:
    try:
        writer.write(make_batch(stored, make_reports(1, KEPT)))
    except SurveyClosedError as fault:
        return fault
    return None


def test_fault_of_the_database_puts_it_off_and_nothing_is_erased_twice(
    store: Store, calendar: Calendar, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored, sent = fill(store)
    calendar.day = DAY
    retention, run = Retention(store), store.run
    while packed_in(store, stored):
        monkeypatch.setattr(store, "run", _fail)
        assert retention.wait_s() == 0
        if retention._slices or retention._due:
            with pytest.raises(StoreUnavailableError):
                retention.step()
            assert retention.wait_s() > 1  # a fault does not spin
            retention._next_at = 0.0
        monkeypatch.setattr(store, "run", run)
        retention.step()
    assert retention.step()
    with store.reader() as connection:
        assert find_erasure(connection, stored.key) == (DAY, 39)
    assert store.read_tally(stored) == tally_of(KEPT, sent[1:])


def _fail(_: object) -> None:
    raise StoreUnavailableError("the store cannot write now: database or disk is full.")


def test_draft_has_no_day(store: Store, calendar: Calendar) -> None:
    store.put_draft(KEPT)
    calendar.day = DAY
    assert find_due(store) == []
    stored = store.find_survey("kept")
    assert stored is not None
    assert not stored.is_erased


@pytest.fixture(params=["sqlite", "postgres"])
def files(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[RawFiles]:
    if request.param == "sqlite":
        yield SqliteFiles(str(shutil.copy(request.getfixturevalue("file_made"), tmp_path / "survey.db")))
        return
    with postgres_server() as server, closing(Store(server.url)):
        yield PostgresFiles(server.url, server)


def test_collector_that_slept_over_the_day_erases_as_it_starts_and_leaves_no_trace(
    files: RawFiles, tmp_path: Path
) -> None:
    """With two workers, and again from a backup of before; the line is written once, and says no moment."""
    backup = tmp_path / "backup.db"
    with closing(Store(files.db, today=Calendar(LAST))) as store:
        stored, sent = fill(store)
        copy_store(store, str(backup))
    records = [report.record for report in sent[1:]]
    assert all(files.count(records))  # the search can find them
    with serve(files.db, "--workers", "2", "--log-time", "none", "--clock-wait-s", "0", survey=KEPT) as served:
        wait_until(lambda: not any(files.count(records)))
        assert served.ask("GET", "/v1/surveys/kept/records", token=served.analyst)[2]["code"] == "not_kept"
        code, _, said = served.stop()
    line = "sotto_collector: survey kept: 39 reports were erased on the day that the survey promised; their counts stay"
    assert (code, said.splitlines()) == (0, [line])
    assert not any(files.count(records))
    restored = SqliteFiles(str(backup))
    assert all(restored.count(records))
    with serve(backup, "--log-time", "none", "--clock-wait-s", "0", survey=KEPT) as served:
        wait_until(lambda: not any(restored.count(records)))
        assert served.stop()[2].splitlines() == [line]
    with closing(Store(backup)) as store:
        assert store.read_tally(stored) == tally_of(KEPT, sent[1:])
