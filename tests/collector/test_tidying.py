"""Tidying: every few seconds, busy or idle; a small store as a whole, of a large one the inbox; never twice in vain."""

import time
from contextlib import closing

import pytest

from collecting import SMALL, count_here, make_reports, publish_here
from raw_database import read_hidden
from sotto_collector.errors import StoreUnavailableError
from sotto_collector.intake import tidying
from sotto_collector.intake.tidying import Tidying
from sotto_collector.store import Store
from sotto_collector.store.inbox import Inbox
from sotto_collector.store.recount import check_integrity

pytestmark = pytest.mark.later("postgres", "thorough")  # tests/faults/test_faults_forgotten.py has both


class Watched(Tidying):
    """Tidying that knows what it has done: `done` are the names of the store's methods that were called."""

    def __init__(self, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__(store)
        self.done: list[str] = []
        self.now = time.monotonic()
        monkeypatch.setattr(tidying.time, "monotonic", lambda: self.now)
        for owner, name in ((store, "rewrite"), (self._inbox, "settle")):
            monkeypatch.setattr(owner, name, self._watch(name, getattr(owner, name)))

    def _watch(self, name: str, work):  # type: ignore[no-untyped-def]  # as it is called
        def watched() -> object:
            self.done.append(name)
            return work()

        return watched

    def come(self, store: Store, n_reports: int) -> None:
        """Let reports come."""
        count_here(store, publish_here(store, SMALL), make_reports(n_reports, SMALL))
        self.note_arrived(n_reports)

    def wait(self) -> None:
        """Let the time pass until the next turn, and take it."""
        wait_s = self.wait_s()
        assert wait_s is not None
        self.now += wait_s
        self.step()


@pytest.fixture
def mine(store: Store, monkeypatch: pytest.MonkeyPatch) -> Watched:
    """What there is to do in a store of 200 reports that was tidied just now."""
    count_here(store, publish_here(store, SMALL), make_reports(200, SMALL))
    begun = Watched(store, monkeypatch)
    begun.wait()
    assert begun.is_done
    assert begun.done == ["rewrite"]
    begun.done.clear()
    return begun


@pytest.fixture
def no_store_is_tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let any store hold others up, and wear a disk out."""
    monkeypatch.setattr(tidying, "STALL_BYTES", 0)


def test_turns_come_every_few_seconds_though_reports_never_stop_coming(store: Store, mine: Watched) -> None:
    began = mine.now
    for _ in range(25):
        mine.come(store, 1)
        mine.now += 0.8
        mine.step()
    assert len(mine.done) == 3
    assert mine.now - began == pytest.approx(20)
    mine.wait()
    assert Inbox(store).is_empty()
    assert mine.is_done
    assert mine.wait_s() is None
    check_integrity(store)


def test_reports_that_come_together_share_a_turn(store: Store, mine: Watched) -> None:
    mine.now += 100
    mine.come(store, 1)
    mine.step()
    assert mine.done == []
    assert mine.wait_s() == pytest.approx(tidying.GATHER_S)
    mine.come(store, 1)
    mine.wait()
    assert mine.done == ["rewrite"]


def test_of_a_large_store_only_the_inbox_is_written_anew(
    store: Store, mine: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sotto_collector.store.store.MAX_REWRITE_BYTES", 0)
    mine.come(store, 5)
    mine.wait()
    assert mine.done == ["settle"]
    assert mine.is_done
    mine.come(store, 1)
    mine.finish()
    assert mine.done == ["settle", "settle"]
    assert not Inbox(store).is_empty()
    check_integrity(store)


@pytest.mark.usefixtures("no_store_is_tiny")
def test_a_store_of_some_size_is_written_anew_as_a_whole_once_a_minute(store: Store, mine: Watched) -> None:
    began = mine.now
    while mine.now - began < 2 * tidying.ALL_S:
        mine.come(store, 1)
        mine.wait()
    assert mine.done.count("rewrite") == 2
    assert mine.done.count("settle") > 15
    mine.come(store, 1)
    while not mine.is_done:  # and once more, though nothing comes any more
        mine.wait()
    assert mine.done.count("rewrite") == 3
    assert Inbox(store).is_empty()
    check_integrity(store)


@pytest.mark.usefixtures("no_store_is_tiny")
def test_what_is_deleted_again_and_again_costs_no_more_than_a_minutes_turn(store: Store, mine: Watched) -> None:
    began = mine.now
    while mine.now - began < 2 * tidying.ALL_S:
        mine.note_deletion()
        mine.wait()
    assert mine.done.count("rewrite") == 2


def test_what_another_collector_was_in_the_way_of_is_still_owed(
    postgres_db: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(Store(postgres_db)) as store, closing(Store(postgres_db)) as other:
        mine = Watched(store, monkeypatch)
        mine.come(store, 20)
        with other.dialect._alone():  # type: ignore[attr-defined]  # PostgreSQL's
            mine.wait()
            assert not mine.is_done
            mine.finish()
            assert not mine.is_done
            assert store.dialect.close() is False
        mine.finish()
        assert mine.is_done
        rows = read_hidden(postgres_db, "reports", "report_id")
        assert len({xmin for _, xmin, _ in rows}) == 1


def test_collector_that_starts_writes_anew_what_a_killed_one_had_only_moved(store: Store, mine: Watched) -> None:
    mine.come(store, 30)
    mine._inbox.finish()
    begun = Tidying(store)
    assert not begun.is_done
    begun.finish()
    assert begun.is_done


def test_what_is_deleted_meanwhile_is_not_forgotten(
    store: Store, mine: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine.note_deletion()
    assert not mine.is_done
    rewrite = store.rewrite
    monkeypatch.setattr(store, "rewrite", lambda: (mine.note_deletion(), rewrite())[1])
    mine.wait()
    assert not mine.is_done
    monkeypatch.setattr(store, "rewrite", rewrite)
    mine.wait()
    assert mine.is_done


def test_nothing_is_written_anew_in_vain_while_somebody_is_in_the_way(
    store: Store, mine: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What cannot be let go of piles up: PostgreSQL's dead rows, SQLite's log."""
    clean = store.clean
    monkeypatch.setattr(store, "clean", lambda **_: False)
    for _ in range(3):
        mine.come(store, 1)
        mine.wait()
    assert mine.done == ["rewrite"]
    monkeypatch.setattr(store, "clean", clean)
    mine.wait()
    assert mine.done == ["rewrite", "rewrite"]
    assert mine.is_done


def test_turn_that_fails_is_taken_again_and_not_at_once(
    store: Store, mine: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> None:
        raise StoreUnavailableError("the disk is on fire.")

    rewrite = store.rewrite
    monkeypatch.setattr(store, "rewrite", fail)
    mine.come(store, 1)
    with pytest.raises(StoreUnavailableError, match="on fire"):
        mine.wait()
    assert not mine.is_done
    assert mine.wait_s() == pytest.approx(tidying.TURN_S)
    monkeypatch.setattr(store, "rewrite", rewrite)
    mine.wait()
    assert mine.is_done
