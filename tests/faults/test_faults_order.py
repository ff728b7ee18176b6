"""Storage tells neither the order in which reports came nor when: on both databases, read raw."""

import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import select

from collecting import SMALL, make_batch, make_reports, prepare, publish_here
from raw_database import correlate_ranks, leaf_offsets, read_hidden
from sotto_collector.collector import Collector
from sotto_collector.intake import counting, tidying
from sotto_collector.settings import Settings
from sotto_collector.store import Store, postgres_statements
from sotto_collector.store.schema import metadata
from sotto_protocol import Report

N_REPORTS = 500
MOST = 0.3
"""The correlation of 500 random ranks has a standard deviation of .045, and exceeds this once in 10^10."""
MOST_AGAINST = 0.03
"""Where a page was split a row or two lie elsewhere; of rows that lie as they came, one in two, until a split."""


def share_against_key(db: str, reports: list[Report]) -> float:
    """Return how many of the rows on a page of SQLite's lie on the other side of the row before than their key says."""
    pages = leaf_offsets(Path(db), reports)
    assert sum(map(len, pages)) > N_REPORTS - 20  # the others are keys of the branches
    steps = [np.diff(page) > 0 for page in pages]  # a page is filled from its end
    return float(np.concatenate(steps).mean())


def correlation(db: str, reports: list[Report]) -> float:
    """Return the correlation of the ranks of arrival and place in PostgreSQL; 0 where place tells nothing."""
    lay = [row[0] for table in ("inbox", "reports") for row in read_hidden(db, table, "report_id")]
    assert set(lay) == {report.id for report in reports}
    return abs(correlate_ranks([lay.index(report.id) for report in reports], [*range(len(reports))]))


def tells_order(db: str, reports: list[Report]) -> bool:
    """Return whether storage tells the order in which reports came."""
    if db.startswith("postgresql"):
        return correlation(db, reports) > MOST
    return share_against_key(db, reports) > MOST_AGAINST


@contextmanager
def collector(db: str) -> Iterator[Collector]:
    """A collector without its server, for a survey; it stops as it always does."""
    with closing(Store(db)) as store:
        publish_here(store, SMALL)
    with closing(Collector(Settings(db=db))) as at_work:
        yield at_work


def store_flush(at_work: Collector) -> list[Report]:
    """Store reports that arrive together."""
    reports = make_reports(N_REPORTS, SMALL)
    at_work.writer.write(make_batch(publish_here(at_work.store, SMALL), reports))
    at_work.store.clean()
    return reports


def test_reports_of_one_flush_lie_in_no_order_of_arrival(db: str) -> None:
    with collector(db) as at_work:
        assert not tells_order(db, store_flush(at_work))


def test_order_of_arrival_within_a_flush_is_found_out(db: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where ids are inserted as they came; SQLite puts the rows of a page where there is room."""
    monkeypatch.setattr(counting, "_sort_unique", lambda joined: np.arange(len(joined) // 16))
    monkeypatch.setattr(postgres_statements, "INSERT", postgres_statements.INSERT.replace("ORDER BY report_id", ""))
    with collector(db) as at_work:
        assert tells_order(db, store_flush(at_work))


def test_reports_that_came_one_by_one_lie_in_no_order_of_arrival_once_the_collector_stopped(
    db: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PostgreSQL says of each row, besides, which transaction wrote it: one, for all."""
    monkeypatch.setattr(tidying, "GATHER_S", 3600)  # no turn before the last, however long the machine takes
    reports = make_reports(N_REPORTS, SMALL)
    with collector(db) as at_work:
        survey = publish_here(at_work.store, SMALL)
        for report in reports:
            at_work.writer.write(make_batch(survey, [report]))
        at_work.store.clean()
        assert tells_order(db, reports)  # it can be seen where it is there
    assert not tells_order(db, reports)
    if db.startswith("postgresql"):
        assert len({xmin for _, xmin, _ in read_hidden(db, "reports", "report_id")}) == 1


def moments(started: float) -> list[range]:
    """Return the integers that would tell a time of this test, in every unit that programs use."""
    return [
        range(int((started - 3600) * per_s), int((time.time() + 3600) * per_s)) for per_s in (1, 10**3, 10**6, 10**9)
    ]


def test_no_time_is_stored_anywhere(db: str) -> None:
    """No value of any table is a number that is a time, or a text with a date. (A token may end: it says when.)"""
    started = time.time()
    prepare(db, SMALL)
    with collector(db) as at_work:
        store_flush(at_work)
        with at_work.store.reader() as connection:
            rows = [row for table in metadata.sorted_tables for row in connection.execute(select(table)).all()]
    assert len(rows) > N_REPORTS
    dates = [datetime.now(UTC).strftime(form) for form in ("%Y-%m-%d", "%Y%m%d", "%d %b %Y")]
    for value in (value for row in rows for value in row):
        assert not isinstance(value, float | datetime)
        if isinstance(value, int):
            assert not any(value in moment for moment in moments(started))
        if isinstance(value, str):
            assert not any(date in value for date in dates)
