"""Recount: every tally against the reports that it was made from."""

from dataclasses import dataclass

from sqlalchemy import Connection, select

from sotto_collector.errors import StoreError
from sotto_collector.store.dialect import Dialect
from sotto_collector.store.records import Selection, count_ids
from sotto_collector.store.retally import tally_reports
from sotto_collector.store.schema import inbox, reports, surveys
from sotto_collector.store.stock import count_kept
from sotto_collector.store.store import Store
from sotto_collector.store.stored import StoredSurvey
from sotto_collector.store.sums import sum_shards
from sotto_protocol import Tally


@dataclass(frozen=True, slots=True)
class Difference:
    """A cell (`Survey.cells`) whose tally is not that of its reports: how many each has, and how many counts differ.

    `cell` is None where only counts are left: a survey's ids are compared, those of all waves, with what was counted.
    """

    survey_id: str
    cell: int | None
    n_tallied: int
    n_stored: int
    n_counts: int

    @property
    def can_be_fixed(self) -> bool:
        """Whether the tally can be rewritten: from counts alone it cannot."""
        return self.cell is not None


def recount_survey(store: Store, stored: StoredSurvey, *, fix: bool = False) -> list[Difference]:
    """Return where a survey's tallies differ from its reports; with `fix` those tallies are rewritten.

    Both are read in one state of the database: others may write meanwhile; with `fix` they wait. Of a survey that keeps
    counts alone, or whose reports were erased, the number of ids is compared with that of counted reports, and nothing
    is written: as the database says in that state, whatever `stored` does. Raises StoreError.
    """
    if not fix:
        with store.snapshot() as connection:
            return _compare(store.dialect, connection, stored)[0]

    with store.transaction() as transaction:
        transaction.take_time()
        transaction.lock_survey(stored.key, alone=True)
        differences, counted = _compare(store.dialect, transaction.connection, stored)
        if any(found.can_be_fixed for found in differences):
            transaction.replace_tally(stored.key, counted)
    return differences


def check_integrity(store: Store) -> None:
    """Raise StoreError where the database's own check finds damage, or a tally differs from its reports."""
    store.dialect.check_integrity()
    for stored in store.list_surveys():
        if recount_survey(store, stored):
            raise StoreError(f"db ({store.dialect.name}): the tally of {stored.survey.id} differs from its reports.")


def _compare_ids(connection: Connection, stored: StoredSurvey, n_erased: int | None) -> list[Difference]:
    """Compare what is counted with the ids; of erased reports with how many they were: some ids are of none of them."""
    n_tallied = sum(packed.n_reports for packed in sum_shards(connection, stored).values())
    left = sum(count_kept(connection, stored.key, table) for table in (inbox, reports))
    n_ids = count_ids(connection, stored.key) if n_erased is None else n_erased + left
    return [Difference(stored.survey.id, None, n_tallied, n_ids, 0)] if n_tallied != n_ids else []


def _compare(
    dialect: Dialect, connection: Connection, stored: StoredSurvey
) -> tuple[list[Difference], dict[int, Tally]]:
    n_erased = connection.scalar(select(surveys.c.n_erased).where(surveys.c.survey_key == stored.key))
    if n_erased is not None or not stored.survey.keeps_reports:
        return _compare_ids(connection, stored, n_erased), {}
    counted = tally_reports(dialect, connection, Selection(stored.key, stored.survey))
    none = Tally.empty(stored.survey).pack()
    stated, found = sum_shards(connection, stored), {cell: tally.pack() for cell, tally in counted.items()}
    differences = []
    for cell in sorted({*stated, *found}):
        have, want = stated.get(cell, none), found.get(cell, none)
        n_counts = int((have.counts != want.counts).sum())
        if n_counts or have.n_reports != want.n_reports:
            differences.append(Difference(stored.survey.id, cell, have.n_reports, want.n_reports, n_counts))
    return differences, counted
