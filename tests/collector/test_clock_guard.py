"""A clock in doubt erases nothing before somebody could look, and what was promised to go goes all the same."""

import ctypes
from dataclasses import replace
from types import SimpleNamespace

import pytest

from collecting import SMALL, Calendar, count_here, make_reports, publish_here
from sotto_collector import clock
from sotto_collector.intake import clock_guard
from sotto_collector.intake.counting import Outcome
from sotto_collector.intake.retention import Retention
from sotto_collector.store import Store, StoredSurvey
from sotto_collector.store.retention import read_days

KEPT = replace(SMALL, id="kept", closes="2026-01-10", erase_after=10)
DAY = "2026-01-20"
WAIT_S = 3600


class Clock:
    """Whether the host's clock is synchronized, and the seconds since some moment."""

    def __init__(self) -> None:
        self.is_synchronized: bool | None = True
        self.now_s = 5.0


@pytest.fixture
def host(monkeypatch: pytest.MonkeyPatch) -> Clock:
    host = Clock()
    monkeypatch.setattr(clock, "is_synchronized", lambda: host.is_synchronized)
    monkeypatch.setattr(clock_guard, "time", SimpleNamespace(monotonic=lambda: host.now_s))
    return host


@pytest.fixture
def calendar(store: Store) -> Calendar:
    store.today = calendar = Calendar("2026-01-10")
    return calendar


@pytest.fixture
def stored(store: Store, calendar: Calendar) -> StoredSurvey:
    stored = publish_here(store, KEPT)
    count_here(store, stored, make_reports(9, KEPT))
    return stored


def look(retention: Retention) -> None:
    """Let it look once, and do all that it then does."""
    retention._next_at = 0.0
    while not retention.wait_s():
        retention.step()


def n_left(store: Store, stored: StoredSurvey) -> int:
    return sum(bool(packed) for _, packed in store.read_reports(stored))


def last_day(store: Store) -> str | None:
    with store.reader() as connection:
        return read_days(connection)[0]


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if "unless the clock is set right" in record.getMessage()]


@pytest.mark.parametrize("restarts", [False, True])
def test_day_that_jumped_by_more_than_three_waits_and_says_so(
    store: Store,
    stored: StoredSurvey,
    calendar: Calendar,
    host: Clock,
    caplog: pytest.LogCaptureFixture,
    restarts: bool,
) -> None:
    retention = Retention(store, WAIT_S)
    calendar.day = "2026-01-19"
    look(retention)
    assert last_day(store) == "2026-01-19"
    calendar.day = "2026-01-25"
    retention = Retention(store, WAIT_S) if restarts else retention
    for _ in range(3):
        look(retention)
        host.now_s += WAIT_S / 3 - 1
    assert n_left(store, stored) == 9
    assert warnings(caplog) == [
        "survey kept: by the clock it is 2026-01-25, and its reports are to be erased; but the last day that was seen "
        "is 2026-01-19, 6 days before. They are erased in 60 minutes unless the clock is set right before: look at it "
        "(timedatectl)"
    ]
    assert last_day(store) == "2026-01-19"
    host.now_s += 3
    look(retention)
    assert n_left(store, stored) == 0


def test_clock_that_is_set_right_meanwhile_has_erased_and_closed_nothing(
    store: Store, stored: StoredSurvey, calendar: Calendar, host: Clock
) -> None:
    retention = Retention(store, WAIT_S)
    look(retention)
    calendar.day = "2026-02-01"
    look(retention)
    calendar.day = "2026-01-10"
    host.now_s += 2 * WAIT_S
    look(retention)
    assert (n_left(store, stored), last_day(store)) == (9, "2026-01-10")
    assert count_here(store, stored, make_reports(1, KEPT)) == [Outcome(1, 0, 0)]
    calendar.day = "2026-02-01"
    look(retention)
    assert n_left(store, stored) == 10  # the wait begins anew


def test_day_that_comes_after_three_others_or_fewer_is_believed(
    store: Store, stored: StoredSurvey, calendar: Calendar, host: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    retention = Retention(store, WAIT_S)
    calendar.day = "2026-01-17"
    look(retention)
    calendar.day = DAY
    look(retention)
    assert (n_left(store, stored), warnings(caplog)) == (0, [])


@pytest.mark.parametrize("word", ["synchronized at last", "waited for", "cannot be asked"])
def test_host_that_is_not_synchronized_waits_until_it_is_or_for_an_hour(
    store: Store, stored: StoredSurvey, calendar: Calendar, host: Clock, caplog: pytest.LogCaptureFixture, word: str
) -> None:
    retention = Retention(store, WAIT_S)
    calendar.day = DAY
    host.is_synchronized = None if word == "cannot be asked" else False
    look(retention)
    if word != "cannot be asked":
        assert n_left(store, stored) == 9
        (said,) = warnings(caplog)
        assert "but the host says that its clock is not synchronized. They are erased in 60 minutes" in said
        host.is_synchronized, host.now_s = (True, 6.0) if word == "synchronized at last" else (False, 5.0 + WAIT_S)
        look(retention)
    assert n_left(store, stored) == 0


def test_jump_on_which_nothing_was_due_is_believed_after_a_while_and_not_said(
    store: Store, stored: StoredSurvey, calendar: Calendar, host: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    retention = Retention(store, WAIT_S)
    calendar.day = "2026-01-10"
    look(retention)
    calendar.day = "2026-01-19"
    look(retention)
    assert last_day(store) == "2026-01-10"
    host.now_s += WAIT_S
    look(retention)
    assert last_day(store) == "2026-01-19"
    calendar.day = DAY
    look(retention)
    assert (n_left(store, stored), warnings(caplog)) == (0, [])


def test_no_wait_trusts_the_clock(store: Store, stored: StoredSurvey, calendar: Calendar, host: Clock) -> None:
    retention = Retention(store, 0)
    look(retention)
    calendar.day, host.is_synchronized = "2027-01-01", False
    look(retention)
    assert n_left(store, stored) == 0


def test_no_day_is_remembered_where_no_reports_go_on_one(store: Store, calendar: Calendar, host: Clock) -> None:
    publish_here(store, SMALL)
    store.put_draft(KEPT)
    retention = Retention(store, WAIT_S)
    look(retention)
    assert last_day(store) is None
    stored = publish_here(store, KEPT)
    look(retention)
    assert last_day(store) == "2026-01-10"
    store.close_survey(stored.key)
    store.erase_survey(stored.key)
    look(retention)
    assert last_day(store) is None


@pytest.mark.parametrize(("state", "expected"), [(-1, None), (0, True), (1, True), (4, True), (5, False)])
def test_kernel_is_asked_for_the_state_of_its_clock(
    monkeypatch: pytest.MonkeyPatch, state: int, expected: bool | None
) -> None:
    assert clock.is_synchronized() in (True, False, None)
    monkeypatch.setattr(ctypes, "CDLL", lambda _: SimpleNamespace(adjtimex=lambda _: state))
    monkeypatch.setattr("sys.platform", "linux")
    assert clock.is_synchronized() is expected
    monkeypatch.setattr(ctypes, "CDLL", lambda _: SimpleNamespace())
    assert clock.is_synchronized() is None
    monkeypatch.setattr("sys.platform", "darwin")
    monkeypatch.setattr(ctypes, "CDLL", None)
    assert clock.is_synchronized() is None
