"""A clock in doubt erases nothing before somebody could look, and what was promised to go goes all the same."""

import ctypes
from dataclasses import replace
from types import SimpleNamespace

import pytest

from collecting import SMALL, Calendar, count_here, make_reports, publish_here
from sotto_collector import clock
from sotto_collector.intake import clock_guard
from sotto_collector.intake.counting import Outcome
from sotto_collector.intake.retention import LOOK_IN_DOUBT_S, Retention
from sotto_collector.store import Store, StoredSurvey
from sotto_collector.store.redo import Wishes
from sotto_collector.store.restore import restore_in_place
from sotto_collector.store.retention import Seen, read_seen

pytestmark = pytest.mark.later("postgres", "rare")  # the day is compared in Python

KEPT = replace(SMALL, id="kept", closes="2026-01-10", erase_after=10)
DAY = "2026-01-20"
WAIT_S = 3600
SHORT_S = 60
"""A wait of few looks."""


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


def seen(store: Store) -> Seen:
    with store.reader() as connection:
        return read_seen(connection)


def last_day(store: Store) -> str | None:
    return seen(store).last_day


def doubt(store: Store, calendar: Calendar) -> None:
    """Let a collector see a day, and the clock jump."""
    look(Retention(store, WAIT_S))
    calendar.day = "2026-01-25"


def run_for(store: Store, host: Clock, seconds: int) -> None:
    """Start a collector, let it look as often as it does while it waits, and kill it."""
    retention = Retention(store, SHORT_S)
    look(retention)
    for _ in range(0, seconds, int(LOOK_IN_DOUBT_S)):
        host.now_s += LOOK_IN_DOUBT_S
        look(retention)
    host.now_s += 1e6  # it is not there, and the machine may be another one


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [
        record.getMessage()
        for record in caplog.records
        if "unless somebody corrects the clock first" in record.getMessage()
    ]


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
        "survey kept: the clock says 2026-01-25, so its reports are due to be erased, but the last known day is "
        "2026-01-19, 6 days before. They are erased in 60 minutes unless somebody corrects the clock first: check it "
        "with timedatectl"
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
    calendar.day = "2026-01-19"
    look(retention)
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


@pytest.mark.parametrize("n_collectors", [1, 2])
def test_wait_goes_on_where_a_collector_is_started_again(
    store: Store, stored: StoredSurvey, calendar: Calendar, host: Clock, n_collectors: int
) -> None:
    """What was waited is kept with the reports; two collectors at once wait for no less than one."""
    doubt(store, calendar)
    others = [Retention(store, SHORT_S) for _ in range(n_collectors - 1)]
    for n_starts in range(1, 6):
        for other in others:
            look(other)
        run_for(store, host, 10)
        assert (n_left(store, stored), seen(store).waited_s) == (9, 10 * n_starts)
        others = [Retention(store, SHORT_S) for _ in others]
    run_for(store, host, 10)
    assert n_left(store, stored) == 0
    run_for(store, host, 0)
    assert seen(store) == Seen(None, 0, is_pending=False)


def test_wait_of_two_collectors_at_once_is_counted_once(
    store: Store, stored: StoredSurvey, calendar: Calendar, host: Clock
) -> None:
    doubt(store, calendar)
    collectors = [Retention(store, SHORT_S) for _ in range(3)]
    for _ in range(SHORT_S // 10 - 1):
        for collector in collectors:
            look(collector)
        host.now_s += 10
    look(collectors[0])
    assert (n_left(store, stored), seen(store).waited_s) == (9, SHORT_S - 10)


def test_clock_that_was_set_right_while_no_collector_ran_is_waited_for_anew(
    store: Store, stored: StoredSurvey, calendar: Calendar, host: Clock
) -> None:
    doubt(store, calendar)
    run_for(store, host, SHORT_S - 10)
    calendar.day = "2026-01-10"
    run_for(store, host, 0)
    assert (n_left(store, stored), seen(store)) == (9, Seen("2026-01-10", 0, is_pending=True))
    calendar.day = "2026-01-25"
    run_for(store, host, SHORT_S - 10)
    assert n_left(store, stored) == 9


def test_wait_that_is_in_a_backup_does_not_count_after_a_restore(
    store: Store, stored: StoredSurvey, calendar: Calendar, host: Clock
) -> None:
    doubt(store, calendar)
    run_for(store, host, SHORT_S - 10)
    host.is_synchronized = False
    restore_in_place(store.dialect.name, Wishes())
    assert (n_left(store, stored), seen(store).waited_s) == (9, 0)


def test_first_look_after_an_upgrade_knows_no_day_and_waits_before_it_erases(
    store: Store, stored: StoredSurvey, calendar: Calendar, host: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    calendar.day = DAY
    retention = Retention(store, WAIT_S)
    look(retention)
    assert (n_left(store, stored), last_day(store)) == (9, None)
    (said,) = warnings(caplog)
    assert "but no earlier day is known. They are erased in 60 minutes unless" in said
    host.now_s += WAIT_S - 50
    look(retention)
    look(Retention(store, WAIT_S))
    assert "They are erased in 1 minute unless" in warnings(caplog)[-1]
    host.now_s += 50
    look(retention)
    assert n_left(store, stored) == 0


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
