"""Recount: says where a tally differs from its reports, repairs it, and is exact while others write."""

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import numpy as np
import pytest
from sqlalchemy import text

from collecting import SMALL, STRINGS, SURVEY, TIMEOUT_S, count_here, make_reports, publish_here, tally_of
from sotto_collector.errors import StoreError
from sotto_collector.store import Store
from sotto_collector.store.recount import Difference, check_integrity, recount_survey
from sotto_protocol import Tally
from sotto_protocol.counted import Counted, PackedTally


def execute(store: Store, statement: str) -> None:
    with store.transaction() as transaction:
        transaction.connection.execute(text(statement))


def test_tally_that_is_right_differs_nowhere(store: Store) -> None:
    stored = publish_here(store, STRINGS)
    assert recount_survey(store, stored) == recount_survey(store, stored, fix=True) == []
    count_here(store, stored, make_reports(20, STRINGS, 2))
    assert recount_survey(store, stored) == []


@pytest.mark.few(4)
@pytest.mark.parametrize(
    ("statement", "differences"),
    [
        ("DELETE FROM tallies", [Difference("strings", 1, 0, 20, 7), Difference("strings", 3, 0, 10, 7)]),
        ("DELETE FROM tallies WHERE cell = 3", [Difference("strings", 3, 0, 10, 7)]),
        ("UPDATE tallies SET n_reports = n_reports + 1 WHERE cell = 1", [Difference("strings", 1, 21, 20, 0)]),
        ("UPDATE tallies SET cell = 2 WHERE cell = 1", [Difference("strings", 1, 0, 20, 7)]),
    ],
)
def test_tally_that_is_wrong_is_said_to_be_and_is_repaired(
    store: Store, statement: str, differences: list[Difference]
) -> None:
    stored, small = publish_here(store, STRINGS), publish_here(store, SMALL)
    reports = [*make_reports(20, STRINGS), *make_reports(10, STRINGS, 3)]
    count_here(store, stored, reports)
    execute(store, statement)
    found = recount_survey(store, stored)
    named = [(row.survey_id, row.cell, row.n_tallied, row.n_stored, row.n_counts > 0) for row in found]
    wanted = [(row.survey_id, row.cell, row.n_tallied, row.n_stored, row.n_counts > 0) for row in differences]
    assert named[: len(wanted)] == wanted
    with pytest.raises(StoreError, match="tally of strings differs"):
        check_integrity(store)
    assert recount_survey(store, small, fix=True) == []
    assert recount_survey(store, stored, fix=True) == found
    assert recount_survey(store, stored) == []
    check_integrity(store)
    assert store.read_tally(stored) == tally_of(STRINGS, reports)
    assert store.read_tally(stored, 2) == Tally.empty(STRINGS)


def test_single_count_that_is_off_by_one_is_found(store: Store) -> None:
    stored, reports = publish_here(store), make_reports(30)
    count_here(store, stored, reports)
    with store.transaction() as transaction:
        change = np.zeros_like(tally_of(SURVEY, reports).pack().counts)
        change[5:7] = -1, 1
        transaction.add_to_tally(stored.key, 1, PackedTally(Counted(), change))
    assert recount_survey(store, stored) == [Difference("habits", 1, 30, 30, 2)]


@pytest.mark.later("postgres", "thorough")
def test_recount_is_exact_while_others_write(db: str, store: Store) -> None:
    stored, done = publish_here(store, SMALL), threading.Event()
    reports = make_reports(3000, SMALL)

    def write(first: int) -> None:
        with closing(Store(db)) as mine:
            for start in range(first, 3000, 60):
                count_here(mine, stored, reports[start : start + 30])

    with ThreadPoolExecutor(3) as pool:
        writing = [pool.submit(write, first) for first in (0, 30)]
        while not done.is_set():
            assert recount_survey(store, stored) == []
            assert recount_survey(store, stored, fix=True) == []  # repairs nothing that others were about to commit
            if all(task.done() for task in writing):
                done.set()
        for task in writing:
            task.result(TIMEOUT_S)
    assert store.read_tally(stored) == tally_of(SMALL, reports)


def test_erased_reports_are_not_counted(store: Store) -> None:
    stored, reports = publish_here(store, SMALL), make_reports(10, SMALL)
    count_here(store, stored, reports)
    store.erase_report(stored, reports[3].id)
    execute(store, "DELETE FROM tallies")
    recount_survey(store, stored, fix=True)
    assert store.read_tally(stored) == tally_of(SMALL, reports[:3] + reports[4:])
