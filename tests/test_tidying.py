"""Tidying: every few seconds, busy or idle; a small store as a whole, of a large one the inbox; never twice in vain."""

import time

import pytest

from collecting import SMALL, count_here, make_reports, publish_here
from sotto_collector import tidying
from sotto_collector.errors import StoreUnavailableError
from sotto_collector.store import Store
from sotto_collector.store.audit import check_integrity
from sotto_collector.store.shuffle import Shuffle
from sotto_collector.tidying import Tidying


class Watched(Tidying):
    """Tidying that knows what it has done: `done` are the names of the store's methods that were called."""

    def __init__(self, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__(store)
        self.done: list[str] = []
        self.now = time.monotonic()
        monkeypatch.setattr(tidying.time, "monotonic", lambda: self.now)
        for owner, name in ((store, "rewrite"), (self._shuffle, "settle")):
            monkeypatch.setattr(owner, name, self._watch(name, getattr(owner, name)))

    def _watch(self, name: str, work):  # type: ignore[no-untyped-def]  # as it is called
        def watched() -> None:
            self.done.append(name)
            work()

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


def let_nothing_be_calm(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let any report be many, and any store hold others up."""
    monkeypatch.setattr(tidying, "CALM_REPORTS", 0)
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
    assert Shuffle(store).is_inbox_empty()
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
    mine.turn(is_last=True)
    assert mine.done == ["settle", "settle"]
    assert not Shuffle(store).is_inbox_empty()
    check_integrity(store)


def test_a_busy_store_is_written_anew_as_a_whole_once_it_is_calm(
    store: Store, mine: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    let_nothing_be_calm(monkeypatch)
    for _ in range(3):
        mine.come(store, 2)
        mine.wait()
    assert mine.done == ["settle"] * 3
    assert not mine.is_done
    mine.wait()
    assert mine.done == ["settle"] * 3 + ["rewrite"]
    assert mine.is_done
    assert Shuffle(store).is_inbox_empty()


def test_a_store_that_is_never_calm_is_written_anew_once_a_minute(
    store: Store, mine: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    let_nothing_be_calm(monkeypatch)
    began = mine.now
    while mine.now - began < 2 * tidying.LATEST_S:
        mine.come(store, 1)
        mine.wait()
    assert mine.done.count("rewrite") == 2
    assert mine.done.count("settle") > 15


def test_what_is_deleted_meanwhile_is_not_forgotten(
    store: Store, mine: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine.note_deletion()
    assert not mine.is_done
    rewrite = store.rewrite
    monkeypatch.setattr(store, "rewrite", lambda: (rewrite(), mine.note_deletion()))
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
