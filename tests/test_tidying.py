"""Tidying: once enough is new, or something was deleted, or it has waited for long; never for each report."""

import time

import pytest

from collecting import SMALL, count_here, make_reports, publish_here
from sotto_collector import tidying
from sotto_collector.store import Store
from sotto_collector.store.audit import check_integrity
from sotto_collector.store.shuffle import Shuffle
from sotto_collector.tidying import Tidying


@pytest.fixture(autouse=True)
def no_store_is_tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tidying, "TIDY_S", 0.0)
    monkeypatch.setattr(tidying, "TIDY_SHARE", 0.0)
    monkeypatch.setattr(tidying, "FREE_BYTES", 0)


@pytest.fixture
def tidied(store: Store) -> Tidying:
    """What there is to do in a store of 200 reports that was tidied just now."""
    count_here(store, publish_here(store, SMALL), make_reports(200, SMALL))
    begun = Tidying(store)
    assert is_tidied(begun)
    assert begun.is_done
    return begun


def is_tidied(mine: Tidying) -> bool:
    """Ask twice, for only then it is known that nothing came in between."""
    return mine.tidy_if_idle() or mine.tidy_if_idle()


def come(store: Store, mine: Tidying, n_reports: int) -> None:
    count_here(store, publish_here(store, SMALL), make_reports(n_reports, SMALL))
    mine.note_arrived(n_reports)
    assert not mine.is_done


def test_few_new_reports_wait_until_they_are_a_twentieth(store: Store, tidied: Tidying) -> None:
    for _ in range(5):
        come(store, tidied, 2)
        assert not is_tidied(tidied)
    assert not Shuffle(store).is_inbox_empty()
    come(store, tidied, 1)
    assert is_tidied(tidied)
    assert Shuffle(store).is_inbox_empty()
    check_integrity(store)


def test_reports_that_come_meanwhile_put_it_off(store: Store, tidied: Tidying) -> None:
    come(store, tidied, 50)
    assert not tidied.tidy_if_idle()
    count_here(store, publish_here(store, SMALL), make_reports(1, SMALL))  # by another process
    assert not tidied.tidy_if_idle()
    assert tidied.tidy_if_idle()


def test_what_was_deleted_goes_at_once_and_what_is_deleted_meanwhile_is_not_forgotten(
    store: Store, tidied: Tidying, monkeypatch: pytest.MonkeyPatch
) -> None:
    tidied.note_deletion()
    assert not tidied.is_done
    rewrite = store.rewrite
    monkeypatch.setattr(store, "rewrite", lambda: (rewrite(), tidied.note_deletion()))
    assert is_tidied(tidied)
    assert not tidied.is_done
    monkeypatch.undo()
    tidied.tidy()
    assert tidied.is_done


def test_few_new_reports_wait_no_longer_than_a_minute(
    store: Store, tidied: Tidying, monkeypatch: pytest.MonkeyPatch
) -> None:
    come(store, tidied, 1)
    assert not is_tidied(tidied)
    monkeypatch.setattr(tidying.time, "monotonic", lambda now=time.monotonic: now() + tidying.LATEST_S)
    assert is_tidied(tidied)


def test_tiny_store_is_tidied_at_once(store: Store, tidied: Tidying, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tidying, "FREE_BYTES", 2**20)
    come(store, tidied, 1)
    assert is_tidied(tidied)
    assert tidied.is_done
