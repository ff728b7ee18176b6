"""A copy has every row of one state, however many parts it is copied in, and tells nothing of their order."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from collecting import (
    INVITED_WAVES,
    SMALL,
    STRINGS,
    count_here,
    invite_reports,
    make_batch,
    make_reports,
    publish_here,
)
from sotto_collector.intake.counting import count_batches, prepare_batches
from sotto_collector.store import Store
from sotto_collector.store.copy import copy_store
from sotto_collector.store.schema import metadata

N_REPORTS = 60


def rows_of(store: Store) -> dict[str, list[tuple[Any, ...]]]:
    with store.reader() as connection:
        return {
            table.name: [tuple(row) for row in connection.execute(select(table).order_by(*table.primary_key.columns))]
            for table in metadata.sorted_tables
        }


def fill(store: Store) -> None:
    """Count reports of several surveys and waves, the last first, and leave invitations open."""
    for survey in (SMALL, STRINGS, INVITED_WAVES):
        stored = publish_here(store, survey)
        for wave in range(survey.waves, 0, -1):
            reports = make_reports(N_REPORTS, survey, wave)
            if survey.invited:
                invite_reports(store, stored, reports)
                continue
            batches = prepare_batches([make_batch(stored, reports)])
            store.run(lambda transaction, batches=batches: count_batches(transaction, batches))


def parts_of(n_rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("dialect", "sqlite"):
        monkeypatch.setattr(f"sotto_collector.store.{module}.POURED_ROWS", n_rows)


@pytest.mark.later("postgres", "thorough")
@pytest.mark.parametrize(
    "n_rows",
    [pytest.param(1, marks=pytest.mark.thorough), 7, pytest.param(N_REPORTS, marks=pytest.mark.thorough), 10_000],
)
def test_every_table_is_the_same_in_the_copy(
    store: Store, tmp_path: Path, n_rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(store)
    parts_of(n_rows, monkeypatch)
    told: list[int] = []
    n_copied = copy_store(store, str(tmp_path / "copy.db"), told.append)
    rows = rows_of(store)
    with closing(Store(tmp_path / "copy.db", create=False)) as copy:
        assert rows_of(copy) == rows
    assert n_copied == told[-1] == sum(map(len, rows.values()))
    assert told == sorted(set(told))
    assert min(len(rows[table]) for table in ("surveys", "tallies", "inbox", "invitations")) > 2


def test_rows_lie_in_the_order_of_their_keys_in_the_copy(store: Store, tmp_path: Path) -> None:
    """Tallies have a place of their own in SQLite's file: their waves came backwards."""
    fill(store)
    copy_store(store, str(tmp_path / "copy.db"))
    with closing(sqlite3.connect(tmp_path / "copy.db")) as copy:
        found = copy.execute("SELECT survey_key, cell, shard FROM tallies ORDER BY rowid").fetchall()
    assert found == sorted(found)
    assert len(found) > 2


@pytest.mark.later("postgres", "thorough")
def test_what_comes_while_it_is_copied_is_in_no_table_of_the_copy(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(store)
    stored, before = store.list_surveys(), rows_of(store)
    small = next(found for found in stored if found.survey == SMALL)
    parts_of(7, monkeypatch)

    def count_more(_: int) -> None:
        count_here(store, small, make_reports(3, SMALL))

    told: Callable[[int], None] = count_more
    copy_store(store, str(tmp_path / "copy.db"), told)
    assert len(rows_of(store)["inbox"]) > len(before["inbox"])
    with closing(Store(tmp_path / "copy.db", create=False)) as copy:
        assert rows_of(copy) == before
